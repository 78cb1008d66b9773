"""Preview of a file's content, for a person who checks it before anything is written."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..records import Dataset
from ..store import Store
from .reading import Reading
from .report import ImportReport, RowSample, WinnerValue
from .survey import survey
from .text_formats import FoundFormat

PREVIEWED = 2_000  # rows: enough to see what a file holds, and read in a moment


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
            winners=found.winners,
            item_names=names,
            contexts=contexts,
            is_whole=all(each.rows < limit for each in found.files),
            found_format=found.found_format,
        )
