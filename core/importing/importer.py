"""Files -> store, one way: read, stage, check, write. Importing the same file again adds nothing
twice.

Files are read to their end before anything is written: one that cannot be read, or that has no
usable row, leaves the store as it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ..pairing import identical_note, open_default
from ..records import Dataset
from ..store import Store
from . import files
from .choice import Progress, ignore_progress
from .preview import preview
from .reading import USUAL, Reading
from .report import COUNTS, ImportReport
from .survey import Survey, survey
from .writing import write_survey

__all__ = ["ImportReport", "Survey", "examples", "find_earlier_import", "load", "survey", "write"]

LOOKED_AT = 200  # rows of a file from which examples are taken
READS = 4
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
    return write(
        store, survey(store, paths, dataset, reading, progress=progress), progress=progress
    )


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
