"""Preview of a file's content, for a person who checks it before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.importing.codes import Meaning
from core.importing.database import Database
from core.importing.reading import Reading
from core.importing.report import ImportReport, RowSample
from core.importing.staged_file import StagedFile
from core.importing.survey import survey
from core.importing.text_formats import FoundFormat
from core.records import Dataset
from core.store import Store

PREVIEWED = 2_000  # rows: enough to see what a file holds, and read in a moment


@dataclass(frozen=True)
class WinnerValue:
    """A value of a winner column: how often it is there, and what it means, None where that is not
    known. One that names a system, or repeats a text, means it in each row.
    """

    value: str
    times: int
    meaning: Meaning | None
    is_name: bool = False


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
        return Preview(
            reading=found.readings[file.name],
            report=found.report,
            samples=found.samples,
            winners=_list_winner_values(database, found.files),
            item_names=names,
            contexts=contexts,
            is_whole=all(each.rows < limit for each in found.files),
            found_format=found.found_format,
        )


def _list_winner_values(database: Database, files: Sequence[StagedFile]) -> list[WinnerValue]:
    """Return the values of a winner column, the most frequent first."""
    listed = database.rows(
        "SELECT file, kind, count(*) FROM entries WHERE kind IS NOT NULL GROUP BY ALL"
    )
    times = {(file, kind): number for file, kind, number in listed}
    counts = Counter[tuple[str, Meaning | None, bool]]()
    decided = ((file.number, *each) for file in files for each in enumerate(file.decided.items()))
    for number, place, (kind, said) in decided:
        meaning = said.outcome or (None if said.unknown else said.failure or None)
        is_name = bool(kind.repeats) or kind.winner in (kind.system_a, kind.system_b)
        if kind.field:
            key = kind.winner, None if is_name else meaning, is_name
            counts[key] += times.get((number, place), 0)
    return [
        WinnerValue(value, number, meaning, is_name)
        for (value, meaning, is_name), number in counts.most_common()
    ]
