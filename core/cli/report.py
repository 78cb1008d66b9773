"""The command that writes a report of a data set, as a page and as files for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalogue import ADJUSTABLE, PROVENANCE
from ..exporting import record
from ..findings.judgements import Selection
from ..findings.leaderboard import RankSettings
from ..records import TandemError
from ..settings import declare
from ..store import Store
from .command import Command
from .findings import read_settings
from .options import WHO
from .output import CommandAnswer
from .settings import include

if TYPE_CHECKING:
    from ..reporting import Report

FORMATS = ("html", "csv", "svg", "latex", "markdown", "bibtex", "json")
"""Those of a report, written down here too: only who wants one waits for the charts' packages."""


BY_COMMAND = {declared.command: name for name, declared in ADJUSTABLE.items()}
"""The findings whose settings may be chosen, by their commands."""


@dataclass(frozen=True, kw_only=True)
class ReportRequest:
    """Options of `report`: the contents of the report on a data set, and where to write it."""

    html: Path | None = declare(
        None, "write one page that needs no other file", metavar="FILE", output="file"
    )
    out: Path | None = declare(
        None, "tables, figures, methods and references", metavar="FOLDER", output="folder"
    )
    formats: tuple[str, ...] = declare(
        (), "only these files of the folder", choices={name: name for name in FORMATS}
    )
    settings: RankSettings = include("method", "bootstrap")
    against: str = declare("", "rater whose scores are the reference for judges", metavar="RATER")
    chosen: tuple[str, ...] = declare(
        (),
        "settings of findings by their commands, such as accuracy.against=scores; commands are "
        f"{', '.join(BY_COMMAND)}",
        metavar="COMMAND.OPTION=VALUE",
        option="set",
    )
    names: bool = declare(False, "write people's names, not person-7; the log says so")
    selection: Selection = include(*PROVENANCE)

    def __post_init__(self) -> None:
        if not (self.html or self.out):
            raise TandemError("say where the report goes: --html FILE, --out FOLDER, or both")
        if self.formats and not self.out:
            raise TandemError("--formats is about the files of a folder: add --out FOLDER")


def report(store: Store, request: ReportRequest) -> CommandAnswer:
    """Write a report of a data set as one page, files, or both. The report is logged."""

    from .. import reporting

    chosen = read_chosen(request.chosen)
    about = (request.selection, request.settings, request.against, request.names, chosen)
    compiled = reporting.compile_report(store, reporting.ReportScope(*about))
    record(store, WHO, "report", compiled.dataset, names=request.names)
    # The folder first: it may hold files that are not to be replaced.
    out, formats = request.out, request.formats or FORMATS
    written = reporting.save(compiled, out, formats) if out else []
    if request.html:
        reporting.save_whole(request.html, reporting.page(compiled).encode())
        written.insert(0, request.html)
    document = {
        "files": [str(path) for path in written],
        "left_out": dict(compiled.left_out),
        "signatures": [one for section in compiled.sections for one in section.signatures],
    }
    return CommandAnswer(document, _render_files(compiled, written))


def read_chosen(words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The settings of each finding, of words such as accuracy.against=scores.

    Raises:
        TandemError: a command that is no part of a report, or an option that it would refuse.
    """
    options: dict[str, list[str]] = {}
    for word in words:
        command, _, option = word.partition(".")
        options.setdefault(command, []).append(f"--{option}")
    if wrong := [command for command in options if command not in BY_COMMAND]:
        there = ", ".join(BY_COMMAND)
        raise TandemError(f"--set {wrong[0]}: no report has its settings; there are {there}")
    return {
        BY_COMMAND[command]: read_settings(ADJUSTABLE[BY_COMMAND[command]], given)
        for command, given in options.items()
    }


def _render_files(compiled: Report, written: list[Path]) -> str:
    leads = [f"{one.title}: {one.lead}" for one in compiled.sections if one.lead]
    left_out = [f"without {part}: {why}" for part, why in compiled.left_out.items()]
    many = "1 file" if len(written) == 1 else f"{len(written)} files, the first"
    return "\n".join([*leads, *left_out, f"{many} {written[0]}"])


COMMANDS = {"report": Command(report, request=ReportRequest)}
