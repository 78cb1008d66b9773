"""Files -> store, one way: read, stage, check, write. Importing the same file again adds nothing
twice.

Files are read to their end before anything is written: one that cannot be read, or that has no
usable row, leaves the store as it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..pairing import identical_note, open_default
from ..records import Dataset
from ..store import Store
from . import files
from .choice import Progress, ignore_progress
from .reading import USUAL, Reading
from .report import COUNTS, ImportReport, RowSample, WinnerValue
from .survey import Survey, survey
from .text_formats import FoundFormat
from .writing import write_survey

__all__ = [
    "ImportReport", "Preview", "Survey", "examples", "find_earlier_import", "load", "preview",
    "survey", "write",
]  # fmt: skip

PREVIEWED = 2_000  # rows: enough to see what a file holds, and read in a moment
LOOKED_AT = 200  # rows of a file from which examples are taken
READS = 5
"""Changes whenever the same file would be read otherwise than before."""
KEPT = 100  # rows that are skipped and listed again


def load(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    reading: Reading = USUAL,
    *,
    progress: Progress = ignore_progress,
) -> ImportReport:
    """Import files into one data set: a survey, then the writing; neither where the same files were
    imported before.
    """
    if earlier := find_earlier_import(store, paths, dataset.name.strip(), reading):
        return earlier
    found = survey(store, paths, dataset, reading, progress=progress)
    return write(store, found, progress=progress)


def write(store: Store, survey: Survey, *, progress: Progress = ignore_progress) -> ImportReport:
    """Write what a survey found into a store, in short transactions, and close the survey."""
    try:
        with store.connection.many_writes():
            report = survey.report
            added = {**report.added, **write_survey(store, survey, progress)}
            progress("planning", report.rows, report.rows)
            identical = identical_note(open_default(store, survey.dataset.name))
            report = replace(report, added=added, warnings=[*report.warnings, *identical])
            if not any(file.layout.looks_around for file in survey.files):
                kept = replace(
                    report, skipped=report.skipped[:KEPT],
                    unlisted=report.unlisted + len(report.skipped[KEPT:]),
                )  # fmt: skip
                uid = store.datasets.identity(survey.dataset.name)
                name = _name(uid, survey.paths, survey.reading)
                store.settings.put(name, json.dumps(asdict(kept)))
    finally:
        survey.stage.close()
    return report


@dataclass(frozen=True)
class Preview:
    """A file as it would be read: its complete reading, rows in words, what would be left out,
    what its winners mean, how many names of items and different contexts it has, and how its texts
    look. `is_whole` is whether that is all of it, and not just its first rows.
    """

    reading: Reading
    report: ImportReport
    samples: list[RowSample]
    winners: list[WinnerValue]
    item_names: int
    contexts: int
    is_whole: bool
    found_format: FoundFormat


def preview(
    store: Store, path: Path, dataset: Dataset, reading: Reading, limit: int = PREVIEWED
) -> Preview:
    """Read the first `limit` rows of a file as an import would; write nothing.

    Raises TandemError where the import would refuse the file for these rows.
    """
    found = survey(store, [path], dataset, reading, limit=limit)
    with closing(found.stage):
        database, file = found.stage.database, found.files[0]
        ((names, contexts),) = database.rows(
            "SELECT count(DISTINCT nullif(item, '')), count(DISTINCT context_id) FROM entries"
        )
        is_whole = all(each.rows < limit for each in found.files)
        return Preview(
            found.readings[file.name], found.report, found.samples, found.winners, names, contexts,
            is_whole, found.found_format,
        )  # fmt: skip


def examples(store: Store, path: Path, dataset: Dataset, reading: Reading = USUAL) -> list[str]:
    """Return up to three rows of a file in words, as `load` would read them.

    Raises TandemError where `load` would refuse the file for its first rows.
    """
    samples = preview(store, path, dataset, reading, LOOKED_AT).samples
    return [sample.sentence for sample in samples]


def find_earlier_import(
    store: Store, paths: Sequence[Path], dataset: str, reading: Reading
) -> ImportReport | None:
    """Return the report of an earlier import of the same files, read the same way, into this data
    set. Returns None if there was none that came to its end.
    """
    uid = store.datasets.identity(dataset)
    found = uid and store.settings.get(_name(uid, paths, reading))
    if not found:
        return None
    report = ImportReport(**json.loads(found))
    note = "these files were imported before and read the same way: they are not read again"
    return replace(report, added=dict.fromkeys(COUNTS, 0), warnings=[*report.warnings, note])


def _name(uid: str, paths: Sequence[Path], reading: Reading) -> str:
    # Folders may say whose texts a file has; what is named itself is refused where a folder
    # leaves it out.
    every = sorted((str(path.resolve()), files.sha256(path)) for path in files.expand(paths))
    said = json.dumps([READS, sorted(path.name for path in paths), every, repr(reading)])
    return f"imported into {uid} {hashlib.sha256(said.encode()).hexdigest()}"
