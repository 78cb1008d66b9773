"""Stored similarities: each once, whatever the order of the pair."""

import pytest

from core.records import Generation, Item, System
from core.store import ChosenGenerations, Extent
from tests.study import DATASET, fill, ids


def test_a_pair_is_stored_once(study) -> None:
    known = ids(study)
    a, b = known["i0", "alpha", 0], known["i0", "beta", 0]
    assert study.similarities.add([("m", b, a, 0.5), ("other", a, b, 0.7)]) == 2
    assert study.similarities.add([("m", a, b, 0.9)]) == 0
    rows = study.similarities.load_all("m", ChosenGenerations(DATASET))
    assert rows[
        ["item", "system_1", "system_2", "sample_1", "sample_2", "value"]
    ].to_numpy().tolist() == [["i0", "alpha", "beta", 0, 0, 0.5]]
    assert study.similarities.list_measured("m", [a, b]) == {(min(a, b), max(a, b))}
    assert study.similarities.list_measured("m", []) == set()


def test_what_is_compared(store) -> None:
    fill(store, items=450, systems=("alpha", "beta"), samples=2)
    store.datasets.add_generations(
        DATASET, [Generation("i0", "alpha", 7, "late"), Generation("i1", "alpha", 2, None)]
    )

    def extent(*of, **limits) -> tuple[int, int, int]:
        found = store.similarities.extent("m", ChosenGenerations(DATASET, *of, **limits))
        return found.items, found.pairs, found.n_missing

    assert extent() == (450, 450 * 6, 450 * 6)
    assert extent(samples=8) == (450, 449 * 6 + 10, 449 * 6 + 10)
    assert extent(("beta",)) == (450, 450, 450)
    assert extent(samples=1) == (450, 450, 450)
    assert extent(subset="none") == (0, 0, 0)
    batches = list(store.similarities.iterate_texts(ChosenGenerations(DATASET)))
    assert [len({item for item, _, _ in rows}) for rows in batches] == [200, 200, 50]
    assert sum(map(len, batches)) == 450 * 4


def test_how_many_texts_there_are(store) -> None:
    fill(store, items=2, systems=("alpha", "beta"), samples=2)
    store.datasets.add_generations(
        DATASET, [Generation("i0", "alpha", 2, "late"), Generation("i1", "beta", 2, None)]
    )
    store.datasets.add_items(DATASET, [Item("i9")])
    store.datasets.add_generations(DATASET, [Generation("i9", "beta", 0, "one")])
    found = store.similarities.count_samples(ChosenGenerations(DATASET))
    assert found[["system", "items", "several", "samples"]].to_numpy().tolist() == [
        ["alpha", 2, 2, 3],
        ["beta", 3, 2, 2],
    ]
    # i0 and i1: "alpha-0-0" is 9 characters; beta's texts are two such words of 8 and a blank.
    assert found["characters"].tolist() == [4 * 9 + 4, 4 * 17 + 3]


def test_of_how_many_systems_there_are_two_texts_of_an_item(store) -> None:
    fill(store, items=2, systems=("alpha", "beta", "gamma"), samples=1)
    assert store.similarities.sampled_systems(DATASET) == 0
    store.datasets.add_generations(
        DATASET,
        [
            Generation("i0", "alpha", 1, "again"),
            Generation("i1", "beta", 1, None),
            Generation("i1", "gamma", 2, "a third, and no second"),
        ],
    )
    assert store.similarities.sampled_systems(DATASET) == 1
    store.datasets.add_generations(DATASET, [Generation("i1", "gamma", 1, "a second")])
    assert store.similarities.sampled_systems(DATASET) == 2
    assert store.similarities.sampled_systems("another") == 0


def test_similarities_of_one_item(study) -> None:
    known = ids(study)
    rows = [("m", known[item, "alpha", 0], known[item, "beta", 0], 0.5) for item in ("i0", "i1")]
    study.similarities.add(rows)
    assert study.similarities.load_all("m", ChosenGenerations(DATASET))["item"].tolist() == [
        "i0",
        "i1",
    ]
    assert study.similarities.load_all(
        "m", ChosenGenerations(DATASET, ("alpha", "beta")), item="i1"
    )["item"].tolist() == ["i1"]


def test_decodings(store) -> None:
    fill(store, systems=("alpha",))
    store.datasets.add_systems(
        DATASET, [System("m-hot", "m", (("temperature", 1.5), ("top_p", 0.9)))]
    )
    found = store.datasets.decodings(DATASET)
    assert found.fillna(-1).to_numpy().tolist() == [["alpha", "", -1], ["m-hot", "m", 1.5]]


@pytest.mark.parametrize("systems", [(), ("alpha", "beta")])
def test_counting_what_is_measured(study, systems) -> None:
    known = ids(study)
    study.similarities.add(
        [
            ("m", known["i0", one, 0], known["i0", other, 0], 0.5)
            for one, other in (("alpha", "beta"), ("alpha", "gamma"))
        ]
    )
    assert study.similarities.extent("m", ChosenGenerations(DATASET, systems)) == (
        Extent(3, 1, 3, 1) if systems else Extent(3, 0, 9, 2)
    )
