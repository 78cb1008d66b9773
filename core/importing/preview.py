"""What a file holds, for a person who checks it before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.importing.cells import Cells, as_text
from core.importing.codes import Codes, Meaning
from core.importing.examples import RowSample
from core.importing.layouts import LAYOUTS
from core.importing.reading import Reading
from core.importing.report import Report
from core.importing.survey import survey
from core.importing.table_fields import matched
from core.importing.winners import WINNERS, side_key
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
    what its winners mean, and how many names of items and different contexts it has. `is_whole` is
    whether that is all of it, and not just its first rows.
    """

    reading: Reading
    report: Report
    samples: list[RowSample]
    winners: list[WinnerValue]
    item_names: int
    contexts: int
    is_whole: bool


def preview(
    store: Store, path: Path, dataset: Dataset, reading: Reading, limit: int = PREVIEWED
) -> Preview:
    """Read the first rows of a file as an import would. Writes nothing. Raises TandemError where
    the import would refuse the file for what stands in them.
    """
    found = survey(store, [path], dataset, reading, limit=limit)
    found.stage.close()
    (file,) = found.files
    rows = list(file.source.cells(limit))
    fields = matched(file.source) if LAYOUTS[file.file.layout].matched else {}
    columns = [fields.get(name, "") for name in ("item", "context")]
    names, contexts = (
        len({str(row.get(column)) for row in rows} if column else ()) for column in columns
    )
    return Preview(
        reading=found.readings[file.file.name],
        report=found.report(),
        samples=found.samples,
        winners=_list_winner_values(rows, fields, reading.codes),
        item_names=names,
        contexts=contexts,
        is_whole=found.rows < limit,
    )


def _list_winner_values(
    rows: Iterable[Cells], fields: Mapping[str, str], codes: Codes
) -> list[WinnerValue]:
    """The values of a winner column, the most frequent first."""
    if "winner" not in fields:
        return []
    sides = [fields.get(f"{name}_{side}", "") for name in ("system", "text") for side in "ab"]
    counts = Counter[tuple[str, Meaning | None, bool]]()
    for cells in rows:
        value = (as_text(cells.get(fields["winner"])) or "").strip()
        is_name = value != "" and value in [cells.get(side) for side in sides if side]
        meaning = codes.outcome(value) or WINNERS.get(side_key(value))
        counts[value, None if is_name else meaning, is_name] += 1
    return [
        WinnerValue(value, times, meaning, is_name)
        for (value, meaning, is_name), times in counts.most_common()
    ]
