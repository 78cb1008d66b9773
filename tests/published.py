"""What tests of published layouts share: small files, and what a store holds of them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from core.importing import Reading, importer
from core.records import Dataset
from core.store import Store

real = pytest.mark.shared


class Study:
    """A data set "d", and a folder to write files for it in."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder

    @contextmanager
    def renewed(self) -> Iterator[Study]:
        """A study with a folder and a store of its own, for a case of a table."""
        with (
            TemporaryDirectory(dir=self.store.path.parent) as folder,
            Store(Path(folder, "store.sqlite3")) as store,
        ):
            yield Study(store, Path(folder, "files"))

    def write(self, name: str, rows: list[Any]) -> Path:
        """A file in the form its name says; lines of text for a .txt."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        bare = name.removesuffix(".gz")
        if bare.endswith(".csv"):
            buffer = io.StringIO()
            writer = csv.DictWriter(buffer, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
            text = buffer.getvalue()
        elif bare.endswith(".txt"):
            text = "".join(f"{row}\n" for row in rows)
        elif bare.endswith(".json"):
            text = json.dumps(rows)
        else:
            text = "".join(json.dumps(row) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name != bare else text.encode())
        return path

    def load(self, *paths: Path | str, **how: Any) -> importer.ImportReport:
        """Import files or folders, named from the folder."""
        every = [self.folder / path for path in paths or (".",)]
        reading = how.pop("reading", None) or Reading(**how)
        return importer.load(self.store, every, Dataset("d"), reading)

    def bring(self, name: str, rows: list[Any]) -> importer.ImportReport:
        """Write a file and import it."""
        return self.load(self.write(name, rows))

    def votes(self, *columns: str) -> list[list[Any]]:
        """item, first, second, judge, answer (outcome or failure) of all judgements, in order."""
        frame = self.store.judgement_frames.load_all("d")
        answer = frame["outcome"].where(frame["outcome"].notna(), frame["failure"])
        frame = frame.assign(answer=answer)
        names = columns or ("item", "system_a", "system_b", "judge", "answer")
        listed: list[list[Any]] = frame[list(names)].to_numpy(dtype=object).tolist()
        return listed

    def scores(self) -> list[list[Any]]:
        """item, system, attribute, rater, value of every score; where there is no number, why."""
        frame = self.store.scores.load_all("d").astype({"value": object})
        frame["value"] = frame["value"].where(frame["failure"] == "", frame["failure"])
        listed: list[list[Any]] = (
            frame[["item", "system", "attribute", "rater", "value"]].to_numpy().tolist()
        )
        return listed

    def texts(self) -> list[list[Any]]:
        """item, system, text of every generation; None where it is not available."""
        frame = self.store.texts.generations("d")
        listed: list[list[Any]] = (
            frame[["item", "system", "text"]].astype(object).to_numpy().tolist()
        )
        return [
            [item, system, text if isinstance(text, str) else None] for item, system, text in listed
        ]


def reasons(report: importer.ImportReport) -> list[tuple[Any, str]]:
    return [(one["row"], str(one["reason"])) for one in report.skipped]


def check_skipped(report: importer.ImportReport, named: dict[int, str]) -> None:
    """These rows were skipped and no others, and each reason names what a pattern says."""
    found = reasons(report)
    assert [row for row, _ in found] == list(named)
    for row, reason in found:
        assert re.search(named[row], reason), reason
