"""Commands about what the store holds: import, datasets, describe, dataset, export."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..catalogue import PROVENANCE
from ..exporting import FORMATS
from ..exporting import export as exports
from ..findings.judgements import Selection
from ..findings.judgements import describe as reports
from ..importing import COUNTS, LAYOUTS, importer, render_reading
from ..labels import TEXT_FORMATS
from ..records import Dataset, TandemError, TextFormat, render_options
from ..settings import Part, declare
from ..store import Store, dataset_decisions
from .command import Command, NoOptions, Verbs
from .output import CommandAnswer, ProgressLine, answer_rows, table, warn
from .reading import ReadingRequest, render_account
from .settings import SELECTING, WHO, flag, include, include_changes


@dataclass(frozen=True, kw_only=True)
class ImportRequest:
    """Options of `import`: the files, the data set they become, and how they are read."""

    store: Path
    paths: tuple[Path, ...] = declare(
        MISSING, "files or folders", metavar="PATH", is_positional=True
    )
    name: str = declare(
        MISSING, "name of the data set in the store", option="dataset", metavar="NAME"
    )
    reading: ReadingRequest
    dry_run: bool = declare(False, "show how the files would be read; write nothing")
    context_noun: str = declare("context", 'such as "article"', metavar="WORD")
    candidate_noun: str = declare("text", 'such as "summary"', metavar="WORD")
    instructions: str = declare("", "guidelines for annotators", metavar="TEXT")
    source: str = declare("", "source of the data", metavar="TEXT")
    licence: str = declare("", "licence of the data", metavar="TEXT")
    text_format: str = declare(
        "", "how people see the texts (default: as the texts look)", choices=TEXT_FORMATS
    )

    @property
    def dataset(self) -> Dataset:
        """The data set as the options describe it."""
        nouns = self.context_noun, self.candidate_noun
        return Dataset(self.name, self.source, self.licence, *nouns, self.instructions)


def import_(store: Store, request: ImportRequest) -> CommandAnswer:
    """Import files, or only plan it (`--dry-run`). A repeated import returns its earlier report."""
    progress, reading, dataset = ProgressLine(), request.reading.parse(), request.dataset
    paths = list(request.paths)
    is_new = not (request.dry_run or request.reading.save_reading)
    name = dataset.name.strip()
    if is_new and (earlier := importer.find_earlier_import(store, paths, name, reading)):
        _set_text_format(store, request)
        return _answer_import(earlier)
    found = importer.survey(store, paths, dataset, reading, progress=progress)
    request.reading.save(found.readings)
    if not request.dry_run:
        return _answer_import(_write_import(store, request, found, progress))
    found.stage.close()
    report = found.report.render_reasons(flag)
    warn(*report.warnings)
    readings = {name: render_reading(reading) for name, reading in found.readings.items()}
    return CommandAnswer(
        {**report.document(), "readings": readings}, _describe_plan(report, found, readings)
    )


def _answer_import(report: importer.ImportReport) -> CommandAnswer:
    report = report.render_reasons(flag)
    warn(*report.warnings)
    return CommandAnswer(report.document(), _render_report(report))


def _write_import(
    store: Store, request: ImportRequest, found: importer.Survey, progress: ProgressLine
) -> importer.ImportReport:
    """Only now a store that was not there is made: a refused import leaves nothing behind."""
    is_there = store.path == request.store
    with nullcontext(store) if is_there else Store(request.store) as target:
        report = importer.write(target, found, progress=progress)
        _set_text_format(target, request)
    return replace(report, looks="") if request.text_format else report


def _set_text_format(store: Store, request: ImportRequest) -> None:
    if request.text_format:
        chosen = TextFormat(request.text_format)
        dataset_decisions.set_text_format(store, WHO, request.name.strip(), chosen)


def _describe_plan(
    report: importer.ImportReport, survey: importer.Survey, readings: Mapping[str, str]
) -> str:
    said = [
        f"{_files(readings, text)} would be read so:\n{textwrap.indent(text, '    ')}"
        for text in dict.fromkeys(readings.values())
    ]
    rows = [f"  {render_options(sample.sentence, flag)}" for sample in survey.samples]
    says = ["what rows say:", *rows, ""] if rows else []
    columns = [render_account(report), ""] if report.columns else []
    nothing = "nothing was written; leave out --dry-run to import"
    report = replace(report, examples=[])
    return "\n".join([*said, *columns, *says, _render_report(report, dry=True), nothing])


def _render_report(report: importer.ImportReport, *, dry: bool = False) -> str:
    read = [
        f"{_files(report.layouts, layout)}: read as {LAYOUTS[layout].title}"
        for layout in dict.fromkeys(report.layouts.values())
    ]
    left = [f"left out: {one['reason']}" for one in report.left_out]
    counts = pd.DataFrame(
        {"in the files": report.counts, **({} if dry else {"added": report.added})}
    )
    where = [
        f"  {one.get('file', '')} row {one['row']}: {one['reason']}".replace("   row", "  row")
        for one in report.skipped
    ]
    count = len(where) + report.unlisted
    skipped = f"{count:,} of {report.rows:,} rows skipped" + (":" if where else "")
    listed = f"the first {len(where):,}" if report.unlisted else "all"
    more = [f"  and {count - 20:,} more; --json lists {listed}"] if count > 20 else []
    looks = [report.looks] if report.looks else []
    looks += [report.describe_unused()] if report.describe_unused() and not dry else []
    head = [*report.alarms, *read, *left, *report.examples, *looks]
    lines = [*head, table(counts, index=True), skipped, *where[:20]]
    return "\n".join([*lines, *more])


def _files(readings: Mapping[str, str], reading: str) -> str:
    """Name the files that are read in this way: a folder may hold a hundred."""
    files = [file for file, read_as in readings.items() if read_as == reading]
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"


def list_datasets(store: Store, request: NoOptions) -> CommandAnswer:
    """List the data sets of the store with their counts."""
    frame = store.datasets.summary()[["dataset", *COUNTS]]
    return answer_rows(frame, "The store is empty: import something.")


@dataclass(frozen=True)
class DescribeRequest:
    """The judgements to describe."""

    selection: Selection = include()


def describe(store: Store, request: DescribeRequest) -> CommandAnswer:
    """Describe a data set in tables and notes."""
    found = reports.describe(store, request.selection)
    frames = {found.rows_are: found.rows, **found.tables}
    parts = [f"{name}\n{table(frame)}" for name, frame in frames.items() if len(frame)]
    text = "\n\n".join([*parts, *found.notes])
    return CommandAnswer(found.document(), text or "Nothing yet.")


def _is_about_answers(values: Mapping[str, Any]) -> bool:
    return values.get("what") not in ("generations", "checks")


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """Options of `export`: a part of the store (`what`), or judgements in another `format`."""

    what: str = declare("", "what to write", choices=exports.EXPORTS)
    format: str = declare(
        "", "judgements in the layout of another tool", choices={name: name for name in FORMATS}
    )
    to: Path = declare(
        MISSING,
        ".csv, .jsonl or .parquet; of other tools also .json or .zip",
        metavar="FILE",
        output="file",
    )
    for_spreadsheets: bool = declare(
        False,
        "write a CSV that runs no text as a formula: an apostrophe before = + - @",
        part=Part("--what", lambda values: not values["format"], "format"),
    )
    names: bool = declare(False, "write people's names, not person-7; the log says so")
    selection: Selection = include(
        *PROVENANCE, part=Part("answers and scores", _is_about_answers, "what")
    )

    def __post_init__(self) -> None:
        if bool(self.what) == bool(self.format):
            raise TandemError("say either --what to write, or --format of another tool")


def export(store: Store, request: ExportRequest) -> CommandAnswer:
    """Export rows to a file, in our own format or that of another tool."""
    how: dict[str, Any] = {"who": WHO, "names": request.names}
    if request.format:
        converted = exports.convert_to_format(store, request.format, request.selection, **how)
        rows = exports.save_in_format(converted, request.to)
        document = {"rows": rows, "file": str(request.to), "left_out": dict(converted.left_out)}
        text = "\n".join(
            filter(None, (f"{rows:,} rows in {request.to}", converted.describe_losses()))
        )
        return CommandAnswer(document, text)
    portions = exports.export(store, request.what, request.selection, **how)
    rows = exports.save(portions, request.to, spreadsheet=request.for_spreadsheets)
    return CommandAnswer({"rows": rows, "file": str(request.to)}, f"{rows:,} rows in {request.to}")


def _list_read(values: Mapping[str, Any]) -> Sequence[str]:
    if _is_about_answers(values):
        return SELECTING
    if values["what"] == "checks":
        return ("subset", "attribute", "judges", "systems", "item_set")
    return ("subset", "systems", "item_set")


@dataclass(frozen=True, kw_only=True)
class DatasetRequest:
    """The data set that a command is about."""

    name: str = declare(MISSING, "the data set", metavar="NAME", is_positional=True)


@dataclass(frozen=True, kw_only=True)
class DeleteRequest(DatasetRequest):
    """The data set that goes, once its name is confirmed."""

    confirm: str | None = declare(
        None, "the data set's name again; without it, show what would go", metavar="NAME"
    )
    backup_to: Path | None = declare(
        None, "file that the store is copied to before", metavar="FILE", output="new file"
    )


def delete(store: Store, request: DeleteRequest) -> CommandAnswer:
    """Delete a data set after a backup; without `--confirm NAME`, count what would be lost."""
    if request.confirm is None:
        contents = dataset_decisions.count_contents(store, request.name)
        text = (
            f"with {request.name} go {dataset_decisions.describe_contents(contents)}; nothing was "
            f"deleted: add --confirm NAME, with its name"
        )
        return CommandAnswer({"deleted": False, **contents}, text)
    if request.confirm != request.name:
        raise TandemError(
            f"--confirm {request.confirm!r} is not {request.name!r}: nothing was deleted"
        )
    gone = dataset_decisions.delete(store, WHO, request.name, request.backup_to)
    text = (
        f"{request.name} is gone, with {dataset_decisions.describe_contents(gone.contents)}; "
        f"{gone.backup} has all of it ({gone.bytes:,} bytes). The store's own file keeps its "
        "size, and fills again"
    )
    document = {"deleted": True, **gone.contents, "backup": str(gone.backup), "bytes": gone.bytes}
    return CommandAnswer(document, text)


def withdraw_simulated(store: Store, request: DatasetRequest) -> CommandAnswer:
    """Withdraw the votes and marks of a data set's simulated voters."""
    number = dataset_decisions.withdraw_simulated(store, WHO, request.name)
    text = (
        f"{number:,} votes and scores of simulated voters of {request.name} are withdrawn: "
        "they stay in the store, and count nowhere"
    )
    return CommandAnswer({"withdrawn": number}, text)


@dataclass(frozen=True, kw_only=True)
class RenameRequest(DatasetRequest):
    """The new name of a data set."""

    to: str = declare(MISSING, "the new name", metavar="NEW")


def rename(store: Store, request: RenameRequest) -> CommandAnswer:
    """Rename a data set."""
    dataset_decisions.rename(store, WHO, request.name, request.to)
    name = request.to.strip()
    return CommandAnswer(
        {"dataset": name, "before": request.name}, f"{request.name} is now called {name}"
    )


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The wording of a data set: instructions, nouns, source and licence."""

    instructions: str = declare("", "guidelines for annotators", metavar="TEXT")
    context_noun: str = declare("", 'such as "article"', metavar="WORD")
    candidate_noun: str = declare("", 'such as "summary"', metavar="WORD")
    source: str = declare("", "source of the data", metavar="TEXT")
    licence: str = declare("", "licence of the data", metavar="TEXT")


@dataclass(frozen=True, kw_only=True)
class QuestionWording:
    """The wording of the question about an attribute."""

    adjective: str = declare("", "of the attribute, such as coherent", metavar="WORD")
    question: str = declare("", "of the attribute", metavar="TEXT")
    guideline: str = declare("", "of the attribute", metavar="TEXT")


@dataclass(frozen=True, kw_only=True)
class RewordRequest(DatasetRequest):
    """The words of a data set, or of the question about an attribute, that change."""

    wording: Mapping[str, str] = include_changes(Wording)
    attribute: str = declare("", "the attribute to reword", metavar="NAME")
    asked: Mapping[str, str] = include_changes(QuestionWording)
    text_format: str = declare(
        "", "how people see the texts, for --attribute or for all", choices=TEXT_FORMATS
    )

    def __post_init__(self) -> None:
        if self.asked and not self.attribute:
            raise TandemError(
                f"--{next(iter(self.asked))} is of an attribute: name it with --attribute"
            )
        if not self.wording and not self.asked and not self.text_format:
            raise TandemError("nothing to edit: give --instructions, --question or another wording")


def reword(store: Store, request: RewordRequest) -> CommandAnswer:
    """Change the wording or text format of a data set or attribute, all or nothing."""
    with store.transaction(durable=True):
        changed = dataset_decisions.reword(store, WHO, request.name, request.wording)
        if request.asked:
            changed += dataset_decisions.reword_attribute(
                store, WHO, request.name, request.attribute, request.asked
            )
        if request.text_format:
            chosen = TextFormat(request.text_format)
            formatted = dataset_decisions.set_text_format(
                store, WHO, request.name, chosen, request.attribute
            )
            changed += ["text_format"] * bool(formatted)
    text = f"changed: {', '.join(changed)}" if changed else "the wording was the same already"
    return CommandAnswer({"changed": changed}, text)


COMMANDS = {
    "import": Command(
        import_,
        request=ImportRequest,
        reads=None,
        # they are compared with an empty store before they make one on the disk
        needs_no_store=lambda values: not os.path.exists(values["store"]),
        begins=lambda values: True,
    ),
    "datasets": Command(list_datasets, request=NoOptions, reads=None),
    "describe": Command(describe, request=DescribeRequest),
    "export": Command(export, request=ExportRequest, reads=_list_read),
    "dataset": Verbs(
        {
            "rename": Command(rename, "give it another name", RenameRequest, reads=None),
            "delete": Command(delete, "delete it with all it holds", DeleteRequest, reads=None),
            "withdraw-simulated": Command(
                withdraw_simulated, "withdraw the votes of simulated voters", DatasetRequest,
                reads=None,
            ),
            "edit": Command(reword, "word it otherwise", RewordRequest, reads=None),
        }
    ),
}  # fmt: skip
