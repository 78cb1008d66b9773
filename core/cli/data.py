"""Commands about what the store holds: import, datasets, describe, export."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

import pandas as pd

from core.cli import options
from core.cli.command import Command
from core.cli.options import SELECTING, WHO, Part, add_provenance, file_path
from core.cli.output import Answer, table, warn
from core.cli.progress import Progress
from core.cli.reading import add_reading, parse_reading_options, save_reading
from core.exporting import FORMATS
from core.exporting import export as exports
from core.findings.judgements import describe as reports
from core.findings.judgements import finding
from core.importing import COUNTS, LAYOUTS, importer, render_reading
from core.records import Dataset, TandemError, spoken
from core.store import Store


def import_(store: Store, asked: argparse.Namespace) -> Answer:
    dataset = Dataset(
        asked.dataset,
        asked.source,
        asked.licence,
        asked.context_noun,
        asked.candidate_noun,
        asked.instructions,
    )
    progress, reading = Progress(), parse_reading_options(asked)
    if not (asked.dry_run or asked.save_reading):
        paths = asked.paths
        if earlier := importer.find_earlier_import(store, paths, dataset.name.strip(), reading):
            return _answer_import(earlier)
    found = importer.survey(store, asked.paths, dataset, reading, progress=progress)
    save_reading(asked, found.readings)
    report = found.report if asked.dry_run else _written(store, asked, found, progress)
    if not asked.dry_run:
        return _answer_import(report)
    found.stage.close()
    report = report.told(options.flag)
    warn(*report.warnings)
    readings = {name: render_reading(reading) for name, reading in found.readings.items()}
    return Answer(
        {**report.document(), "readings": readings}, _describe_plan(report, found, readings)
    )


def _answer_import(report: importer.Report) -> Answer:
    report = report.told(options.flag)
    warn(*report.warnings)
    return Answer(report.document(), _render_report(report))


def _written(
    store: Store, asked: argparse.Namespace, found: importer.Survey, progress: Progress
) -> importer.Report:
    """Only now does a store that was not there come into being: a refused import leaves nothing
    behind.
    """
    with nullcontext(store) if store.path == asked.store else Store(asked.store) as target:
        return importer.write(target, found, progress=progress)


def _describe_plan(
    report: importer.Report, survey: importer.Survey, readings: Mapping[str, str]
) -> str:
    """What an import would do: how the files are read, what some rows say, what is left out."""
    said = [
        f"{_files(readings, text)} would be read so:\n{textwrap.indent(text, '    ')}"
        for text in dict.fromkeys(readings.values())
    ]
    rows = [f"  {spoken(sample.sentence, options.flag)}" for sample in survey.samples]
    says = ["what rows say:", *rows, ""] if rows else []
    nothing = "nothing was written; leave out --dry-run to import"
    report = replace(report, examples=[])
    return "\n".join([*said, *says, _render_report(report, dry=True), nothing])


def _render_report(report: importer.Report, *, dry: bool = False) -> str:
    """The report for a person."""
    read = [
        f"{_files(report.layouts, layout)}: read as {LAYOUTS[layout].title}"
        for layout in dict.fromkeys(report.layouts.values())
    ]
    left = [f"left out: {one['reason']}" for one in report.left_out]
    counts = pd.DataFrame({"in the files": report.held, **({} if dry else {"added": report.added})})
    where = [
        f"  {one.get('file', '')} row {one['row']}: {one['reason']}".replace("   row", "  row")
        for one in report.skipped
    ]
    count = len(where) + report.unlisted
    skipped = f"{count:,} of {report.rows:,} rows skipped" + (":" if where else "")
    listed = f"the first {len(where):,}" if report.unlisted else "all"
    more = [f"  and {count - 20:,} more; --json lists {listed}"] if count > 20 else []
    head = [*report.alarms, *read, *left, *report.examples]
    lines = [*head, table(counts, index=True), skipped, *where[:20]]
    return "\n".join([*lines, *more])


def _files(readings: Mapping[str, str], reading: str) -> str:
    """The files that are read in this way, as a person wants to read of them: a folder may hold a
    hundred.
    """
    files = [file for file, read_as in readings.items() if read_as == reading]
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"


def _import_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("paths", nargs="+", type=file_path, metavar="PATH", help="files or folders")
    sub.add_argument("--dataset", required=True, metavar="NAME", help="its name in the store")
    add_reading(sub.add_argument)
    sub.add_argument(
        "--dry-run", action="store_true", help="say how the files would be read; write nothing"
    )
    sub.add_argument("--context-noun", default="context", help='such as "article"')
    sub.add_argument("--candidate-noun", default="text", help='such as "summary"')
    sub.add_argument("--instructions", default="", help="guidelines for annotators")
    sub.add_argument("--source", default="", help="where the data come from")
    sub.add_argument("--licence", default="", help="licence of the data")


def list_(store: Store, asked: argparse.Namespace) -> Answer:
    frame = store.datasets.summary()[["dataset", *COUNTS]]
    return Answer(
        finding.records(frame),
        table(frame) if len(frame) else "The store is empty: import something.",
    )


def describe(store: Store, asked: argparse.Namespace) -> Answer:
    found = reports.describe(store, options.selection(store, asked))
    parts = [f"{name}\n{table(frame)}" for name, frame in found.frames.items() if len(frame)]
    text = "\n\n".join([*parts, *found.notes])
    return Answer(found.document(), text or "Nothing yet.")


def export(store: Store, asked: argparse.Namespace) -> Answer:
    if bool(asked.what) == bool(asked.format):
        raise TandemError("say either --what to write, or --format of another tool")
    if asked.format:
        return _in_format(store, asked)
    portions = exports.export(
        store, asked.what, options.selection(store, asked), who=WHO, names=asked.names
    )
    rows = exports.save(portions, asked.to, spreadsheet=asked.for_spreadsheets)
    return Answer({"rows": rows, "file": str(asked.to)}, f"{rows:,} rows in {asked.to}")


def _in_format(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.for_spreadsheets:
        raise TandemError("--for-spreadsheets is for --what: leave it out")
    told = exports.in_format(
        store, asked.format, options.selection(store, asked), who=WHO, names=asked.names
    )
    rows = exports.save_in_format(told, asked.to)
    document = {"rows": rows, "file": str(asked.to), "left_out": dict(told.left_out)}
    text = "\n".join(filter(None, (f"{rows:,} rows in {asked.to}", told.lost())))
    return Answer(document, text)


def _export_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--what", choices=tuple(exports.EXPORTS), help="what to write")
    sub.add_argument(
        "--format", choices=tuple(FORMATS), help="judgements in the layout of another tool"
    )
    sub.add_argument(
        "--to",
        type=file_path,
        required=True,
        metavar="FILE",
        help=".csv, .jsonl or .parquet; of other tools also .json or .zip",
    )
    sub.add_argument(
        "--for-spreadsheets",
        action="store_true",
        help="a CSV whose texts are never run as formulas: an apostrophe before = + - @",
    )
    sub.add_argument(
        "--names",
        action="store_true",
        help="people who annotate here by their names, not as person-7; the log says so",
    )
    answers = Part(sub, "answers and marks", lambda asked: asked.what != "generations", "what")
    add_provenance(sub, answers)


def _read_by_export(asked: argparse.Namespace) -> Sequence[str]:
    return ("subset", "systems", "seed") if asked.what == "generations" else tuple(SELECTING)


COMMANDS = {
    "import": Command(
        import_,
        "import files into the store",
        _import_options,
        reads=None,
        # they are compared with an empty store before they make one on the disk
        without=lambda asked: not os.path.exists(asked.store),
        begins=lambda asked: True,
    ),
    "datasets": Command(list_, "list the data sets", reads=None),
    "describe": Command(describe, "summarise judgements and scores"),
    "export": Command(
        export, "write what the store holds, also for other tools", _export_options, _read_by_export
    ),
}
