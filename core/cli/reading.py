"""How files are to be read, where they do not say it themselves: a saved reading, and options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.cli.options import file_path, flag, told
from core.importing import (
    LAYOUTS,
    SETTINGS,
    USUAL,
    Reading,
    load_reading,
    render_reading,
    with_settings,
    write_reading,
)
from core.records import TandemError

OF_VOTES = tuple(
    name
    for name in SETTINGS
    if name not in ("systems", "system_name", "kinds", "lower_is_better")  # of a store, or of texts
)
"""The settings that `rank --votes` takes as options."""
EXAMPLES = {"map": "item=doc_id", "kinds": "bleu=baseline"}


def add_reading(add: Callable[..., Any], names: Iterable[str] = SETTINGS) -> None:
    """Add the options of a reading: a file that holds one, and each of these settings."""
    add(
        "--reading",
        type=file_path,
        metavar="FILE.toml",
        help="a saved reading of such files; what other options say goes before it",
    )
    add(
        "--save-reading",
        type=file_path,
        metavar="FILE.toml",
        help="save how the files are read, to cite it or to read other files the same way",
    )
    for name in names:
        each = SETTINGS[name]
        how: dict[str, Any] = {"help": each.help}
        if not isinstance(each.usual, str):
            how |= {"nargs": "+", "action": "extend"}
        if each.metavar:
            how["metavar"] = each.metavar
        elif choices := ("auto", *LAYOUTS) if name == "format" else tuple(each.words):
            how["choices"] = choices
        add(flag(name), **how)


def parse_reading_options(args: argparse.Namespace, names: Iterable[str] = SETTINGS) -> Reading:
    """The saved reading that was named, with these settings where options say otherwise.

    Raises TandemError for a file that holds no reading, and for an option such as FIELD=COLUMN
    that is written otherwise.
    """
    given = told(args, names)
    for name in {"map", "kinds"} & set(given):
        given[name] = _parse_table(name, given[name])
    return with_settings(load_reading(args.reading) if args.reading else USUAL, given)


def save_reading(args: argparse.Namespace, readings: Mapping[str, Reading]) -> None:
    """Save the one reading of all files, where that was asked for. Raises TandemError where they
    are read in several ways.
    """
    if not args.save_reading:
        return
    different = {render_reading(reading): name for name, reading in readings.items()}
    if len(different) > 1:
        raise TandemError(
            f"{' and '.join(list(different.values())[:2])} are read in different ways, which one "
            "reading does not hold: import them one after another, or leave out --save-reading"
        )
    for reading in list(readings.values())[:1]:
        write_reading(reading, args.save_reading)


def _parse_table(name: str, texts: Iterable[str]) -> dict[str, str]:
    """key -> value of texts such as FIELD=COLUMN. A value that is a choice stands behind the last
    sign, as a name may hold one.
    """
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
