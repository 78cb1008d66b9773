"""Small files in the layouts of public ones, by the right values of their expected.txt."""

from __future__ import annotations

from typing import Any

import pytest

from core.importing import Reading, importer
from core.records import Dataset
from core.store import Store
from tests.paths import SHARED

CASES = SHARED / "cases"
PEOPLE = {"systems": ("X", "Y"), "mapping": {"judge": "annotator_index"}}
ITEMS: list[tuple[list[str], dict[str, Any], tuple[int, int, int]]] = [
    (["source-and-prompt/no_texts.csv"], {}, (12, 12, 0)),
    (["source-and-prompt/votes.csv"], {}, (12, 12, 24)),
    (["context-and-question/rag.csv"], {}, (12, 12, 24)),
    (["context-and-question/rag_ids.csv"], {}, (12, 12, 0)),
    (["context-and-question/rag_no_texts.csv"], {}, (12, 12, 0)),
    (["instruction-and-input/empty_input.json"], {}, (12, 0, 12)),
    (["instruction-and-input/human_pairs.json"], PEOPLE, (12, 12, 24)),
    (["instruction-and-input/outputs.json"], {}, (12, 0, 24)),
    (["instruction-and-input/votes_no_texts.csv"], {}, (12, 12, 0)),
    (["two-questions-long/metric.csv"], {}, (6, 12, 0)),
    (["two-questions-long/metric2.csv"], {}, (6, 12, 0)),
    (["weekly/week1.csv", "weekly/week2.csv"], {}, (20, 20, 0)),
]
"""Files, how they are read, and the numbers of items, judgements and texts."""


@pytest.mark.skipif(not CASES.is_dir(), reason="the public cases are not there")
@pytest.mark.parametrize(("names", "said", "expected"), ITEMS, ids=lambda value: str(value)[:60])
def test_public_cases(names: list[str], said: dict[str, Any], expected: tuple[int, ...]) -> None:
    with Store(":memory:") as store:
        report = importer.load(
            store, [CASES / name for name in names], Dataset("d"), Reading(**said)
        )
    counts = report.counts
    assert (counts["items"], counts["judgements"], counts["generations"]) == expected
