"""Files -> store: recognise the layout, check every row, then write. Importing the same file again
adds nothing twice.

Files are read to their end before anything is written: one that cannot be read, or of which no row
can be used, leaves the store as it was. What they say is kept on disk meanwhile (`Spool`), and then
written in short transactions, so people can annotate meanwhile, and an import that was killed is
finished by repeating it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.importing.choice import Progress, choose, silent
from core.importing.examples import rows_in_words
from core.importing.layout import Record
from core.importing.layouts import LAYOUTS
from core.importing.reading import USUAL, Reading
from core.importing.report import Report
from core.importing.spool import Found, without_cycles
from core.importing.survey import OVERALL, Survey, survey
from core.pairing import identical_note, open_default
from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Score, System, Vote
from core.store import Store

__all__ = ["Report", "Survey", "examples", "load", "survey", "write"]


def load(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    reading: Reading = USUAL,
    *,
    progress: Progress = silent,
) -> Report:
    """Import files into one data set: a survey, then the writing."""
    return write(
        store, survey(store, paths, dataset, reading, progress=progress), progress=progress
    )


def write(store: Store, survey: Survey, *, progress: Progress = silent) -> Report:
    """What a survey found goes into a store, in short transactions."""
    with store.connection.many_writes(), without_cycles():
        added = _write(store, survey, progress)
        progress("planning", survey.rows, survey.rows)
        identical = open_default(store, survey.dataset.name)
        report = survey.report(added)
    return replace(report, warnings=[*report.warnings, *identical_note(identical)])


def examples(store: Store, path: Path, dataset: Dataset, reading: Reading = USUAL) -> list[str]:
    """Up to three rows of a file in words, as `load` would read them. Raises TandemError where it
    would refuse the file for what stands in these rows.
    """
    (file,), _ = choose(store, [path], dataset, reading)
    return rows_in_words(LAYOUTS[file.layout], file.source)


def _write(store: Store, survey: Survey, progress: Progress) -> dict[str, int]:
    added, dataset = Counter[str](), survey.dataset
    store.datasets.add(dataset, dict(survey.digests))
    for rows, done in survey.found:
        added.update(_add(store, dataset.name, _new(store, rows)))
        progress("importing", done, survey.rows)
    if not store.datasets.attributes(dataset.name):
        added["attributes"] += store.datasets.add_attributes(
            dataset.name, [survey.files[0].source.attribute(OVERALL)]
        )
    return added


def _new(store: Store, rows: Sequence[Found]) -> list[Record]:
    """The records of rows, without those of a row whose vote is known from another row. A vote that
    came without an item has the row it first stood in as its item, and the file may have got rows
    above it since.
    """
    own = {
        vote.source_row: vote.item
        for row in rows
        if row.own
        for vote in row.records
        if isinstance(vote, Vote) and vote.source_row
    }
    known = store.imported_votes.items_of(own) if own else {}
    moved = {mark for mark, item in known.items() if own[mark] != item}
    return [
        record
        for row in rows
        if not (row.own and moved)
        or not any(isinstance(vote, Vote) and vote.source_row in moved for vote in row.records)
        for record in row.records
    ]


def _add(store: Store, dataset: str, records: Sequence[Record]) -> dict[str, int]:
    """Write a chunk in one transaction. What every row repeats is dropped before it reaches the
    store.
    """
    of = defaultdict[type, list[Any]](list)
    for record in records:
        of[type(record)].append(record)
    with store.transaction():
        added = {
            "items": store.datasets.add_items(dataset, dict.fromkeys(of[Item])),
            "systems": store.datasets.add_systems(dataset, dict.fromkeys(of[System])),
            "attributes": store.datasets.add_attributes(dataset, dict.fromkeys(of[Attribute])),
            "judges": store.judges.add(dict.fromkeys(of[JudgeSpec])),
            "generations": store.datasets.add_generations(dataset, of[Generation]),
            "scores": store.scores.add(dataset, of[Score]),
        }
        added["comparisons"], added["judgements"] = store.imported_votes.add(dataset, of[Vote])
    return added
