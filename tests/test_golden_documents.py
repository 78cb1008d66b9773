"""The JSON of every command about figures is what scripts have come to know."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_documents import compare, list_differences, read
from tests.three_studies import MARKED, fill


@pytest.mark.parametrize("study", MARKED)
def test_documents_are_as_known(study: str, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    assert list(compare(study, path, fill(study, path))) == [], (
        "run `python -m tests.document --write`, and read the diff"
    )


def test_a_difference_is_seen() -> None:
    known = read("sample")["agreement"]
    assert list(list_differences(known, known)) == []
    pairs = [{**known["pairs"][0], "verdicts": 1}, *known["pairs"][1:]]
    assert len(list(list_differences({**known, "pairs": pairs}, known))) == 1
    assert len(list(list_differences({**known, "more": 1}, known))) == 1
    assert list(list_differences([0.1 + 0.2], [0.3])) == []
    assert len(list(list_differences([0.3001], [0.3]))) == 1
