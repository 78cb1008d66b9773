"""Settings for reading files that do not state them, and the command that looks at files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..contents import ABILITIES, FileContents, Holding, describe_holding, look_at_files
from ..importing import (
    LAYOUTS,
    NOT_USED,
    SETTINGS,
    TOOLS,
    USUAL,
    Reading,
    importer,
    load_reading,
    render_reading,
    with_settings,
    write_reading,
)
from ..installation import command_to_run
from ..records import TandemError, render_options
from ..settings import declare
from ..store import Store
from .command import Command
from .output import CommandAnswer, ProgressLine, table, warn
from .settings import flag, include, include_changes

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
        each = replace(each, list_choices=lambda: ("auto", *LAYOUTS, *TOOLS))
    one, many = ("", str), ((), tuple[str, ...])
    default, kind = one if isinstance(each.usual, str) else many
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


PATHS: Any = declare(MISSING, "files or folders", metavar="PATH", is_positional=True)
VALUES = 12  # of winners that are shown


def look(
    store: Store,
    paths: tuple[Path, ...] = PATHS,
    reading: ReadingRequest = include("reading", *SETTINGS),
) -> CommandAnswer:
    """Show what files hold and what they would say; no store is touched."""
    found = look_at_files(paths, reading.parse(), progress=ProgressLine())
    report, held, lead = found.report.render_reasons(flag), found.held, found.lead
    questions = [render_options(question.sentence, flag) for question in found.questions]
    warn(*questions, *report.warnings)
    document = {
        "questions": questions,
        "layouts": report.layouts,
        "holds": describe_holding(held),
        "lead": lead,
        "columns": report.columns,
        "winners": report.winners,
        "rows": report.rows,
        "skipped": report.skipped,
        "left_out": report.left_out,
        "possible": {each.command: each.is_possible(held) for each in ABILITIES},
        "examples": report.examples,
        "next": _suggest_command(paths, reading, found),
    }
    parts = [
        "\n".join(filter(None, [_describe_files(report), describe_holding(held), lead])),
        render_account(report),
        "\n".join(["what rows say:", *(f"  {example}" for example in report.examples)]),
        "\n".join(_describe_abilities(held)),
        f"next: {document['next']}",
    ]
    return CommandAnswer(document, "\n\n".join(filter(None, parts)))


def _describe_files(report: importer.ImportReport) -> str:
    read = [f"{file}: {LAYOUTS[layout].title}." for file, layout in report.layouts.items()]
    count = len(report.skipped) + report.unlisted
    skipped = f"{count:,} of {report.rows:,} rows are skipped" if count else "all are used"
    more = [f"... and {len(read) - 5} more files"] if len(read) > 5 else []
    left = [f"left out: {one['reason']}" for one in report.left_out]
    return "\n".join([*read[:5], *more, *left, f"{report.rows:,} rows, {skipped}."])


def render_account(report: importer.ImportReport) -> str:
    """Render what each column is used for, and what the values of the winner mean."""
    if not report.columns:
        return ""
    frame = pd.DataFrame(report.columns)
    if len(report.layouts) == 1:
        frame = frame.drop(columns="file")
    frame = frame.sort_values("use", key=lambda uses: uses == NOT_USED, kind="stable")
    winners = pd.DataFrame(report.winners[:VALUES]).rename(columns={"value": "winner"})
    return "\n\n".join([table(frame), *([table(winners)] if len(winners) else [])])


def _describe_abilities(held: Holding) -> Iterator[str]:
    able = [each.command for each in ABILITIES if each.is_possible(held)]
    if able:
        yield f"can be done now: {', '.join(able)}"
    for each in ABILITIES:
        if not each.is_possible(held):
            yield f"  {each.command} needs {each.needs}"


def _suggest_command(paths: Sequence[Path], reading: ReadingRequest, found: FileContents) -> str:
    """Return the command that imports the files, read as they were here. While there are questions,
    it is the one that looks again, with the columns they are about as what they seem to hold, or
    left out where another column is that.
    """
    files, settings = [*map(str, paths)], dict(reading.settings)
    if found.questions:
        used = {use for each in found.report.columns for use in each["use"].split(", ")}
        several = sum(question.field == "winner" for question in found.questions) > 1
        for question in found.questions:
            field = question.field
            if several and field == "winner":  # of a person each
                field = f"winner:{question.column}"
            is_free = field and field not in used
            setting = "map" if is_free else "unused"
            said = f"{field}={question.column}" if is_free else question.column
            settings[setting] = [*settings.get(setting, ()), said]
            used.add(field)
        words = ["look", *files]
    else:
        name = paths[0].name.partition(".")[0] or "data"
        words = ["import", *files, "--dataset", name]
    words += ["--reading", str(reading.reading)] if reading.reading else []
    for setting, value in settings.items():
        values = [value] if isinstance(value, str) else list(value)
        option = flag(setting)
        if any(each.startswith("-") for each in values):  # -1 alone would be an option
            words += [f"{option}={each}" for each in values]
        else:
            words += [option, *values]
    return command_to_run(shlex.join(words))


COMMANDS = {"look": Command(look, needs_no_store=lambda given: True)}
