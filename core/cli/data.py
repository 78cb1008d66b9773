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
from .command import Command, Verbs
from .output import CommandAnswer, ProgressLine, answer_rows, table, warn
from .reading import PATHS, ReadingRequest, render_account
from .settings import SELECTING, WHO, flag, include, include_changes


def import_(
    store: Store,
    store_path: Path,
    paths: tuple[Path, ...] = PATHS,
    name: str = declare(
        MISSING, "name of the data set in the store", option="dataset", metavar="NAME"
    ),
    *,
    reading: ReadingRequest,
    dry_run: bool = declare(False, "show how the files would be read; write nothing"),
    context_noun: str = declare("context", 'such as "article"', metavar="WORD"),
    candidate_noun: str = declare("text", 'such as "summary"', metavar="WORD"),
    instructions: str = declare("", "guidelines for annotators", metavar="TEXT"),
    source: str = declare("", "source of the data", metavar="TEXT"),
    licence: str = declare("", "licence of the data", metavar="TEXT"),
    text_format: str = declare(
        "", "how people see the texts (default: as the texts look)", choices=TEXT_FORMATS
    ),
) -> CommandAnswer:
    """Import files, or only plan it (`--dry-run`). A repeated import returns its earlier report."""

    def set_text_format(target: Store) -> None:
        if text_format:
            chosen = TextFormat(text_format)
            dataset_decisions.set_text_format(target, WHO, name.strip(), chosen)

    progress, how, files = ProgressLine(), reading.parse(), list(paths)
    dataset = Dataset(name, source, licence, context_noun, candidate_noun, instructions)
    is_new = not (dry_run or reading.save_reading)
    if is_new and (earlier := importer.find_earlier_import(store, files, name.strip(), how)):
        set_text_format(store)
        return _answer_import(earlier)
    found = importer.survey(store, files, dataset, how, progress=progress)
    reading.save(found.readings)
    if not dry_run:
        # only now a store that was not there is made: a refused import leaves nothing behind
        with nullcontext(store) if store.path == store_path else Store(store_path) as target:
            report = importer.write(target, found, progress=progress)
            set_text_format(target)
        return _answer_import(replace(report, looks="") if text_format else report)
    found.stage.close()
    report = found.report.render_reasons(flag)
    warn(*report.warnings)
    readings = {file: render_reading(read_as) for file, read_as in found.readings.items()}
    return CommandAnswer(
        {**report.document(), "readings": readings}, _describe_plan(report, found, readings)
    )


def _answer_import(report: importer.ImportReport) -> CommandAnswer:
    report = report.render_reasons(flag)
    warn(*report.warnings)
    return CommandAnswer(report.document(), _render_report(report))


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


def list_datasets(store: Store) -> CommandAnswer:
    """List the data sets of the store with their counts."""
    frame = store.datasets.summary()[["dataset", *COUNTS]]
    return answer_rows(frame, "The store is empty: import something.")


def describe(store: Store, selection: Selection = include()) -> CommandAnswer:
    """Describe a data set in tables and notes."""
    found = reports.describe(store, selection)
    frames = {found.rows_are: found.rows, **found.tables}
    parts = [f"{name}\n{table(frame)}" for name, frame in frames.items() if len(frame)]
    text = "\n\n".join([*parts, *found.notes])
    return CommandAnswer(found.document(), text or "Nothing yet.")


def _is_about_answers(values: Mapping[str, Any]) -> bool:
    return values.get("what") not in ("generations", "checks")


OF_ANSWERS = Part("answers and scores", _is_about_answers, "what")
OURS = Part("--what", lambda values: not values["format"], "format")


def export(
    store: Store,
    what: str = declare("", "what to write", choices=exports.EXPORTS),
    format: str = declare("", "judgements in the layout of another tool", choices=tuple(FORMATS)),
    to: Path = declare(
        MISSING,
        ".csv, .jsonl or .parquet; of other tools also .json or .zip",
        metavar="FILE",
        output="file",
    ),
    for_spreadsheets: bool = declare(
        False,
        "write a CSV that runs no text as a formula: an apostrophe before = + - @",
        part=OURS,
    ),
    names: bool = declare(False, "write people's names, not person-7; the log says so"),
    selection: Selection = include(*PROVENANCE, part=OF_ANSWERS),
) -> CommandAnswer:
    """Export rows to a file, in our own format or that of another tool."""
    if bool(what) == bool(format):
        raise TandemError("say either --what to write, or --format of another tool")
    how: dict[str, Any] = {"who": WHO, "names": names}
    if not format:
        portions = exports.export(store, what, selection, **how)
        rows = exports.save(portions, to, spreadsheet=for_spreadsheets)
        return CommandAnswer({"rows": rows, "file": str(to)}, f"{rows:,} rows in {to}")
    converted = exports.convert_to_format(store, format, selection, **how)
    rows = exports.save_in_format(converted, to)
    document = {"rows": rows, "file": str(to), "left_out": dict(converted.left_out)}
    lines = filter(None, (f"{rows:,} rows in {to}", converted.describe_losses()))
    return CommandAnswer(document, "\n".join(lines))


def _list_read(values: Mapping[str, Any]) -> Sequence[str]:
    if _is_about_answers(values):
        return SELECTING
    if values["what"] == "checks":
        return ("subset", "attribute", "judges", "systems", "item_set")
    return ("subset", "systems", "item_set")


NAME: Any = declare(MISSING, "the data set", metavar="NAME", is_positional=True)


def delete(
    store: Store,
    name: str = NAME,
    confirm: str | None = declare(
        None, "the data set's name again; without it, show what would go", metavar="NAME"
    ),
    backup_to: Path | None = declare(
        None, "file that the store is copied to before", metavar="FILE", output="new file"
    ),
) -> CommandAnswer:
    """Delete a data set after a backup; without `--confirm NAME`, count what would be lost."""
    if confirm is None:
        contents = dataset_decisions.count_contents(store, name)
        text = (
            f"with {name} go {dataset_decisions.describe_contents(contents)}; nothing was "
            f"deleted: add --confirm NAME, with its name"
        )
        return CommandAnswer({"deleted": False, **contents}, text)
    if confirm != name:
        raise TandemError(f"--confirm {confirm!r} is not {name!r}: nothing was deleted")
    gone = dataset_decisions.delete(store, WHO, name, backup_to)
    text = (
        f"{name} is gone, with {dataset_decisions.describe_contents(gone.contents)}; "
        f"{gone.backup} has all of it ({gone.bytes:,} bytes). The store's own file keeps its "
        "size, and fills again"
    )
    document = {"deleted": True, **gone.contents, "backup": str(gone.backup), "bytes": gone.bytes}
    return CommandAnswer(document, text)


def withdraw_simulated(store: Store, name: str = NAME) -> CommandAnswer:
    """Withdraw the votes and marks of a data set's simulated voters."""
    number = dataset_decisions.withdraw_simulated(store, WHO, name)
    text = (
        f"{number:,} votes and scores of simulated voters of {name} are withdrawn: "
        "they stay in the store, and count nowhere"
    )
    return CommandAnswer({"withdrawn": number}, text)


def rename(
    store: Store,
    name: str = NAME,
    to: str = declare(MISSING, "the new name", metavar="NEW"),
) -> CommandAnswer:
    """Rename a data set."""
    dataset_decisions.rename(store, WHO, name, to)
    now = to.strip()
    return CommandAnswer({"dataset": now, "before": name}, f"{name} is now called {now}")


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


def reword(
    store: Store,
    name: str = NAME,
    wording: Mapping[str, str] = include_changes(Wording),
    attribute: str = declare("", "the attribute to reword", metavar="NAME"),
    asked: Mapping[str, str] = include_changes(QuestionWording),
    text_format: str = declare(
        "", "how people see the texts, for --attribute or for all", choices=TEXT_FORMATS
    ),
) -> CommandAnswer:
    """Change the wording or text format of a data set or attribute, all or nothing."""
    if asked and not attribute:
        raise TandemError(f"--{next(iter(asked))} is of an attribute: name it with --attribute")
    if not wording and not asked and not text_format:
        raise TandemError("nothing to edit: give --instructions, --question or another wording")
    with store.transaction(durable=True):
        changed = dataset_decisions.reword(store, WHO, name, wording)
        if asked:
            changed += dataset_decisions.reword_attribute(store, WHO, name, attribute, asked)
        if text_format:
            chosen = TextFormat(text_format)
            formatted = dataset_decisions.set_text_format(store, WHO, name, chosen, attribute)
            changed += ["text_format"] * bool(formatted)
    text = f"changed: {', '.join(changed)}" if changed else "the wording was the same already"
    return CommandAnswer({"changed": changed}, text)


COMMANDS = {
    "import": Command(
        import_,
        # they are compared with an empty store before they make one on the disk
        needs_no_store=lambda given: not os.path.exists(given["store_path"]),
        begins=lambda given: True,
    ),
    "datasets": Command(list_datasets),
    "describe": Command(describe),
    "export": Command(export, reads=_list_read),
    "dataset": Verbs(
        {
            "rename": Command(rename, "give it another name"),
            "delete": Command(delete, "delete it with all it holds"),
            "withdraw-simulated": Command(
                withdraw_simulated, "withdraw the votes of simulated voters"
            ),
            "edit": Command(reword, "word it otherwise"),
        }
    ),
}
