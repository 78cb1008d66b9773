"""Stored similarities: each once, whatever the order of the pair."""

import pytest

from core.records import Generation
from core.store.similarities import Chosen, Extent
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

    def extent(*of, **limits) -> tuple[int, int, int]:
        found = store.extent("m", Chosen(DATASET, *of, **limits))
        return found.items, found.pairs, found.missing

    assert extent() == (450, 450 * 6, 450 * 6)
    assert extent(samples=8) == (450, 449 * 6 + 10, 449 * 6 + 10)
    assert extent(("beta",)) == (450, 450, 450)
    assert extent(samples=1) == (450, 450, 450)
    assert extent(subset="none") == (0, 0, 0)
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
    assert study.extent("m", Chosen(DATASET, systems)) == (Extent(3, 1, 3, 1) if systems else Extent(3, 0, 9, 2))
