"""Stored similarities: each once, whatever the order of the pair."""

import pytest

from core.records import Generation
from core.store.similarities import Chosen
from tests.study import DATASET, fill, ids


def test_a_pair_is_stored_once(study) -> None:
    known = ids(study)
    a, b = known["i0", "alpha", 0], known["i0", "beta", 0]
    assert study.add_similarities([("m", b, a, 0.5), ("other", a, b, 0.7)]) == 2
    assert study.add_similarities([("m", a, b, 0.9)]) == 0
    rows = study.similarities("m", Chosen(DATASET))
    assert rows[["item", "system_1", "system_2", "sample_1", "sample_2", "value"]].to_numpy().tolist() == [
        ["i0", "alpha", "beta", 0, 0, 0.5]
    ]
    assert study.measured("m", [a, b]) == {(min(a, b), max(a, b))}
    assert study.measured("m", []) == set()


def test_what_is_compared(store) -> None:
    fill(store, items=450, systems=("alpha", "beta"), samples=2)
    store.add_generations(DATASET, [Generation("i0", "alpha", 7, "late"), Generation("i1", "alpha", 2, None)])
    assert store.count_pairs("m", Chosen(DATASET)) == (450, 450 * 6, 0)
    assert store.count_pairs("m", Chosen(DATASET, samples=8)) == (450, 449 * 6 + 10, 0)
    assert store.count_pairs("m", Chosen(DATASET, systems=("beta",))) == (450, 450, 0)
    assert store.count_pairs("m", Chosen(DATASET, samples=1)) == (450, 450, 0)
    assert store.count_pairs("m", Chosen(DATASET, subset="none")) == (0, 0, 0)
    batches = list(store.comparable(Chosen(DATASET)))
    assert [len({item for item, _, _ in rows}) for rows in batches] == [200, 200, 50]
    assert sum(map(len, batches)) == 450 * 4


@pytest.mark.parametrize("systems", [(), ("alpha", "beta")])
def test_counting_what_is_measured(study, systems) -> None:
    known = ids(study)
    study.add_similarities(
        [
            ("m", known["i0", one, 0], known["i0", other, 0], 0.5)
            for one, other in (("alpha", "beta"), ("alpha", "gamma"))
        ]
    )
    _, pairs, measured = study.count_pairs("m", Chosen(DATASET, systems))
    assert (pairs, measured) == ((3, 1) if systems else (9, 2))
