"""Stored similarities: each once, whatever the order of the pair."""

from core.records import Generation, Item, System
from core.store import ChosenGenerations, Extent, Store
from tests.study import DATASET, fill, ids

ALL = ChosenGenerations(DATASET)
COLUMNS = ["item", "system_1", "system_2", "sample_1", "sample_2", "value"]


def test_a_pair_is_stored_once(study: Store) -> None:
    similarities, known = study.similarities, ids(study)
    a, b, c = (known["i0", system, 0] for system in ("alpha", "beta", "gamma"))
    assert similarities.add([("m", b, a, 0.5), ("other", a, b, 0.7)]) == 2
    assert similarities.add([("m", a, b, 0.9)]) == 0
    rows = similarities.load_all("m", ALL)
    assert rows[COLUMNS].to_numpy().tolist() == [["i0", "alpha", "beta", 0, 0, 0.5]]
    assert similarities.list_measured("m", [a, b]) == {(min(a, b), max(a, b))}
    assert similarities.list_measured("m", []) == set()
    similarities.add([("m", a, c, 0.5)])
    two = ChosenGenerations(DATASET, ("alpha", "beta"))
    assert similarities.extent("m", ALL) == Extent(3, 0, 9, 2)
    assert similarities.extent("m", two) == Extent(3, 1, 3, 1)
    similarities.add([("m", known["i1", "alpha", 0], known["i1", "beta", 0], 0.5)])
    assert similarities.load_all("m", two)["item"].tolist() == ["i0", "i1"]
    assert similarities.load_all("m", two, item="i1")["item"].tolist() == ["i1"]


def test_what_is_compared(store: Store) -> None:
    fill(store, items=450, systems=("alpha", "beta"), samples=2)
    late = [Generation("i0", "alpha", 7, "late"), Generation("i1", "alpha", 2, None)]
    store.datasets.add_generations(DATASET, late)
    for of, limits, counts in (
        ((), {}, (450, 450 * 6)),
        ((), {"samples": 8}, (450, 449 * 6 + 10)),
        ((("beta",),), {}, (450, 450)),
        ((), {"samples": 1}, (450, 450)),
        ((), {"subset": "none"}, (0, 0)),
    ):
        extent = store.similarities.extent("m", ChosenGenerations(DATASET, *of, **limits))
        assert (extent.items, extent.pairs, extent.n_missing) == (*counts, counts[1])
    batches = list(store.similarities.iterate_texts(ALL))
    assert [len({item for item, _, _ in rows}) for rows in batches] == [200, 200, 50]
    assert sum(map(len, batches)) == 450 * 4


def test_how_many_texts_there_are(store: Store) -> None:
    fill(store, items=2, systems=("alpha", "beta"), samples=2)
    store.datasets.add_items(DATASET, [Item("i9")])
    store.datasets.add_generations(DATASET, [
        Generation("i0", "alpha", 2, "late"), Generation("i1", "beta", 2, None),
        Generation("i9", "beta", 0, "one"),
    ])  # fmt: skip
    counts = store.similarities.count_samples(ALL)
    # i0 and i1: "alpha-0-0" is 9 characters; beta's texts are two such words of 8 and a blank.
    assert counts[["system", "items", "several", "samples", "characters"]].values.tolist() == [
        ["alpha", 2, 2, 3, 4 * 9 + 4], ["beta", 3, 2, 2, 4 * 17 + 3],
    ]  # fmt: skip


def test_of_how_many_systems_there_are_two_texts_of_an_item(store: Store) -> None:
    fill(store, items=2, systems=("alpha", "beta", "gamma"), samples=1)
    for added, systems in (
        ([], 0),
        (
            [("i0", "alpha", 1, "again"), ("i1", "beta", 1, None), ("i1", "gamma", 2, "no second")],
            1,
        ),
        ([("i1", "gamma", 1, "a second")], 2),
    ):
        store.datasets.add_generations(DATASET, [Generation(*row) for row in added])
        assert store.similarities.sampled_systems(DATASET) == systems
    assert store.similarities.sampled_systems("another") == 0


def test_decodings(store: Store) -> None:
    fill(store, systems=("alpha",))
    hot = System("m-hot", "m", (("temperature", 1.5), ("top_p", 0.9)))
    store.datasets.add_systems(DATASET, [hot])
    decodings = store.datasets.decodings(DATASET).fillna(-1)
    assert decodings.to_numpy().tolist() == [["alpha", "", -1], ["m-hot", "m", 1.5]]
