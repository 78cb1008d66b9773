"""Tables that tests write by hand, read into a store as anybody's file is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from core.importing import Reading, importer
from core.records import Dataset
from core.store import Store


def load(
    store: Store,
    table: str | Sequence[Any] | pd.DataFrame,
    dataset: str = "d",
    *,
    name: str = "rows.csv",
    **reading: Any,
) -> Store:
    """Import a table, as text, in lines or as records, of which all rows are taken."""
    if not isinstance(table, str | pd.DataFrame) and all(isinstance(line, str) for line in table):
        table = "\n".join(table)
    text = table if isinstance(table, str) else pd.DataFrame(table).to_csv(index=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text)
        report = importer.load(store, [path], Dataset(dataset), Reading(**reading))
    assert report.skipped == []
    return store
