"""One item opened: its texts and how alike they are, by hand."""

from __future__ import annotations

import pytest

from core.findings.separability.applications import likeness
from core.findings.separability.settings import Settings
from core.records import TandemError
from core.similarity.metrics import make_metric
from core.store import ChosenGenerations, Store
from tests.study import DATASET, fill, ids, measure

SIDES = ("gamma", "alpha")


def test_the_texts_and_every_two_of_them(store: Store) -> None:
    """A is the system named first. Two samples each: six pairs, both ways, none with itself."""
    fill(store, items=2, samples=3)
    measure(store, ChosenGenerations(DATASET), make_metric("rouge1"))
    found = likeness(store, DATASET, "i1", SIDES, Settings(metric="rouge1", samples=2))
    context = store.connection.value("SELECT context FROM items WHERE key = 'i1'")
    assert found.context == context
    assert found.texts[["side", "system", "sample", "label"]].to_numpy().tolist() == [
        ["A", "gamma", 0, "A0"], ["A", "gamma", 1, "A1"], ["B", "alpha", 0, "B0"], ["B", "alpha", 1, "B1"],
    ]  # fmt: skip
    assert found.texts["text"][2] == "alpha-1-0"
    matrix = found.matrix.set_index(["label_1", "label_2"])["similarity"]
    assert len(matrix) == len(set(matrix.index)) == 12
    assert all(
        matrix[one, other] == matrix[other, one] and one != other for one, other in matrix.index
    )
    known = ids(store)
    pair = sorted((known["i1", "gamma", 1], known["i1", "alpha", 0]))
    stored = store.connection.value(
        "SELECT value FROM similarities WHERE generation_1 = ? AND generation_2 = ?", pair
    )
    assert matrix["A1", "B0"] == stored
    with pytest.raises(TandemError, match=r"^no bleu similarities\b.*'i1'.*\bgamma and alpha\b"):
        likeness(store, DATASET, "i1", SIDES, Settings(metric="bleu"))
