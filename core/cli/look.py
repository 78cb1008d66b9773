"""The command that looks at files: what they are, who would lead, what is not used, what next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from pathlib import Path

import pandas as pd

from ..contents import ABILITIES, FileContents, Holding, describe_holding, look_at_files
from ..importing import LAYOUTS, NOT_USED, SETTINGS, importer
from ..installation import command_to_run
from ..records import render_options
from ..settings import declare
from ..store import Store
from .command import Command
from .options import flag
from .output import CommandAnswer, table, warn
from .progress import ProgressLine
from .reading import ReadingRequest
from .settings import include

VALUES = 12  # of winners that are shown


@dataclass(frozen=True, kw_only=True)
class LookRequest:
    """Options of `look`: the files, and how they are read."""

    paths: tuple[Path, ...] = declare(
        MISSING, "files or folders", metavar="PATH", is_positional=True
    )
    reading: ReadingRequest = include("reading", *SETTINGS)


def look(store: Store, request: LookRequest) -> CommandAnswer:
    """Show what files hold and what they would say; no store is touched."""
    paths = list(request.paths)
    found = look_at_files(paths, request.reading.parse(), progress=ProgressLine())
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
        "next": _suggest_command(request, found),
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


def _suggest_command(request: LookRequest, found: FileContents) -> str:
    """Return the command that imports the files, read as they were here. While there are questions,
    it is the one that looks again, with the columns they are about as what they seem to hold, or
    left out where another column is that.
    """
    paths, settings = [*map(str, request.paths)], dict(request.reading.settings)
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
        words = ["look", *paths]
    else:
        name = request.paths[0].name.partition(".")[0] or "data"
        words = ["import", *paths, "--dataset", name]
    words += ["--reading", str(request.reading.reading)] if request.reading.reading else []
    for setting, value in settings.items():
        values = [value] if isinstance(value, str) else list(value)
        option = flag(setting)
        if any(each.startswith("-") for each in values):  # -1 alone would be an option
            words += [f"{option}={each}" for each in values]
        else:
            words += [option, *values]
    return command_to_run(shlex.join(words))


COMMANDS = {
    "look": Command(look, request=LookRequest, reads=None, needs_no_store=lambda asked: True)
}
