"""The command that writes what a data set comes to, as a page and as files for a paper."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli import options
from core.cli.command import Command
from core.cli.options import WHO, add_provenance, file_path
from core.cli.output import Answer
from core.cli.settings import add_settings, parse_settings
from core.exporting import record
from core.findings.leaderboard import RankSettings
from core.records import TandemError
from core.store import Store

if TYPE_CHECKING:
    from core.reporting import Report

FORMATS = ("html", "csv", "svg", "latex", "markdown", "bibtex", "json")
"""Those of a report, written down here too: only who wants one waits for the charts' packages."""


def report(store: Store, asked: argparse.Namespace) -> Answer:
    from core import reporting

    if not (asked.html or asked.out):
        raise TandemError("say where the report goes: --html FILE, --out FOLDER, or both")
    if asked.formats and not asked.out:
        raise TandemError("--formats is about the files of a folder: add --out FOLDER")
    reporting.check_places(asked.html, asked.out)
    settings = parse_settings(asked, RankSettings)
    request = reporting.Request(
        options.selection(store, asked), settings, asked.against or "", asked.names
    )
    compiled = reporting.compiled(store, request)
    record(store, WHO, "report", compiled.dataset, names=asked.names)
    written: list[Path] = []
    if asked.html:
        reporting.save_whole(asked.html, reporting.page(compiled).encode())
        written.append(asked.html)
    if asked.out:
        written += reporting.save(compiled, asked.out, tuple(asked.formats or FORMATS))
    return Answer(_document(compiled, written), _said(compiled, written))


def _document(compiled: Report, written: list[Path]) -> dict[str, Any]:
    return {
        "files": [str(path) for path in written],
        "left_out": dict(compiled.left_out),
        "signatures": [one for section in compiled.sections for one in section.signatures],
    }


def _said(compiled: Report, written: list[Path]) -> str:
    leads = [f"{one.title}: {one.lead}" for one in compiled.sections if one.lead]
    left_out = [f"without {part}: {why}" for part, why in compiled.left_out.items()]
    many = "1 file" if len(written) == 1 else f"{len(written)} files, the first"
    return "\n".join([*leads, *left_out, f"{many} {written[0]}"])


def _report_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--html", type=file_path, metavar="FILE", help="one page that needs nothing else"
    )
    sub.add_argument(
        "--out", type=file_path, metavar="FOLDER", help="tables, figures, methods and references"
    )
    sub.add_argument(
        "--formats", nargs="+", choices=FORMATS, metavar="FORMAT",
        help=f"only these files of the folder: {', '.join(FORMATS)}",
    )  # fmt: skip
    add_settings(sub.add_argument, RankSettings, "method", "bootstrap")
    sub.add_argument("--against", metavar="RATER", help="whose scores judges are held against")
    sub.add_argument(
        "--names",
        action="store_true",
        help="people who annotate here by their names, not as person-7; the log says so",
    )
    add_provenance(sub)


COMMANDS = {
    "report": Command(report, "write a page and files for a paper", _report_options),
}
