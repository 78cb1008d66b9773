"""Settings for reading files that do not state them: a saved reading, and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import Any

from ..importing import (
    LAYOUTS,
    SETTINGS,
    USUAL,
    Reading,
    load_reading,
    render_reading,
    with_settings,
    write_reading,
)
from ..records import TandemError
from ..settings import declare
from .options import flag
from .settings import include_changes

OF_VOTES = tuple(
    name
    for name in SETTINGS
    if name not in ("systems", "system_name", "lower_is_better")  # of a store, or of texts
)
"""The settings that `rank --votes` takes as options."""
EXAMPLES = {"map": "item=doc_id", "kinds": "bleu=baseline"}


def _declare_setting(name: str) -> tuple[str, Any, Any]:
    """A setting of a reading as a field of a request. Tables are given as KEY=VALUE."""
    each = SETTINGS[name]
    if name == "format":
        each = replace(each, list_choices=lambda: ("auto", *LAYOUTS))
    is_many = not isinstance(each.usual, str)
    default: Any = () if is_many else ""
    kind = tuple[str, ...] if is_many else str
    return name, kind, field(default=default, metadata={"setting": each})


ReadingOptions = make_dataclass("ReadingOptions", map(_declare_setting, SETTINGS), frozen=True)
"""Every setting of a reading as it is given."""


@dataclass(frozen=True, kw_only=True)
class ReadingRequest:
    """Options for reading files: a saved reading, and settings that override it."""

    reading: Path | None = declare(
        None,
        "a saved reading of such files; what other options say goes before it",
        metavar="FILE.toml",
    )
    save_reading: Path | None = declare(
        None,
        "save how the files are read, to cite it or to read other files the same way",
        metavar="FILE.toml",
        output="file",
    )
    settings: Mapping[str, Any] = include_changes(ReadingOptions)

    def parse(self, names: Iterable[str] = SETTINGS) -> Reading:
        """Return the saved reading that was named, overridden by the options that were given.

        Raises TandemError for a file that holds no reading, and for an option such as FIELD=COLUMN
        that is written otherwise.
        """
        given = {name: value for name, value in self.settings.items() if name in names}
        return parse_settings(given, load_reading(self.reading) if self.reading else USUAL)

    def save(self, readings: Mapping[str, Reading]) -> None:
        """Save the one reading of all files, if asked to. Raises TandemError for several."""
        if not self.save_reading:
            return
        different = {render_reading(reading): name for name, reading in readings.items()}
        if len(different) > 1:
            raise TandemError(
                f"{' and '.join(list(different.values())[:2])} are read in different ways, and "
                "one reading has one way: import each alone, or leave out --save-reading"
            )
        for reading in list(readings.values())[:1]:
            write_reading(reading, self.save_reading)


def parse_settings(given: Mapping[str, Any], reading: Reading = USUAL) -> Reading:
    """Override settings of a reading. Raises TandemError for a table that is written otherwise."""
    parsed = {
        name: _parse_table(name, value) if name in EXAMPLES else value
        for name, value in given.items()
    }
    return with_settings(reading, parsed)


def _parse_table(name: str, texts: Iterable[str]) -> dict[str, str]:
    """Parse FIELD=COLUMN into key -> value. A choice follows the last sign: names may hold one."""
    words, metavar = tuple(SETTINGS[name].words), SETTINGS[name].metavar
    table = {}
    for text in texts:
        key, sign, value = text.rpartition("=") if words else text.partition("=")
        if not (key and sign) or (words and value not in words):
            among = f"; kinds are {', '.join(words)}" if words else ""
            raise TandemError(
                f"{flag(name)} {text if words else key} should be {metavar}, such as {flag(name)} "
                f"{EXAMPLES[name]}{among}"
            )
        table[key] = value
    return table
