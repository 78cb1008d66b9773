"""Separability against K, C and temperature, counted by hand from similarities put into the store."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest

from core.findings.judgements.selection import Selection
from core.findings.separability.sample_size import compare_sizes, compare_temperatures
from core.findings.separability.settings import Settings
from core.records import Dataset, Generation, Item, System
from core.similarity.metrics import make_metric
from core.store import Store

KEY = make_metric("rouge1").signatures["rouge1"]
HOW = Settings("rouge1", over="pair", resamples=0)
Value = Callable[[str, int, str, int], float]


def fill(store: Store, items: dict[str, Value], systems: list[System], samples: int) -> None:
    """Every two texts of an item as alike as `value(system, sample, system, sample)` says."""
    with store.transaction():
        store.datasets.add(Dataset("d"))
        store.datasets.add_items("d", [Item(item, f"about {item}") for item in items])
        store.datasets.add_systems("d", systems)
        generations = [
            Generation(i, s.name, n, f"{s.name} {n} on {i}")
            for i in items
            for s in systems
            for n in range(samples)
        ]
        store.datasets.add_generations("d", generations)
    for item, of in store.texts.generations("d").groupby("item"):
        texts = of[["generation", "system", "sample"]].to_numpy().tolist()
        rows = [
            (KEY, one[0], other[0], items[item](*one[1:], *other[1:]))
            for one, other in combinations(texts, 2)
        ]
        store.similarities.add(rows)


def changing(one: str, n: int, other: str, m: int) -> float:
    """Of three texts each, the first two are as alike as they will be, the third less so."""
    if one == other:
        return {"a": (0.9, 0.6), "b": (0.8, 0.5)}[one][max(n, m) == 2]
    return 0.3 if max(n, m) == 2 else 0.1


def steady(one: str, n: int, other: str, m: int) -> float:
    return 0.4 if one == other else 0.3


def test_fewer_texts_by_hand(store: Store) -> None:
    """All three: self 0.7, cross 1.9 / 9, so 0.48889 on an item and 0.1 on the other, on a scale of
    0.48889. Of the first two:
    0.8 and 0.1."""
    fill(store, {"i": changing, "j": steady}, [System("a"), System("b")], 3)
    found = compare_sizes(store, Selection("d", systems=("a", "b")), HOW)
    scale = 0.7 - 1.9 / 9
    samples = found[found["of"] == "samples"]
    assert samples["value"].tolist() == [2, 3]
    assert samples["mean"].tolist() == pytest.approx([0.45 / scale, (scale + 0.1) / 2 / scale])
    assert samples["n"].tolist() == [2, 2]
    assert samples["spearman"].tolist() == [1, 1]
    cross = found[found["of"] == "cross"].set_index("value")["mean"]
    assert cross.index.tolist() == [1, 2, 3, 5, 8, 9]
    assert cross[9] == pytest.approx((scale + 0.1) / 2 / scale)
    assert cross[1] * scale in (pytest.approx((0.6 + 0.1) / 2), pytest.approx((0.4 + 0.1) / 2))


def test_two_texts_have_nothing_smaller_but_fewer_pairs(store: Store) -> None:
    fill(store, {"i": changing, "j": steady}, [System("a"), System("b")], 2)
    found = compare_sizes(store, Selection("d"), HOW)
    assert found["of"].unique().tolist() == ["cross"]
    assert found["value"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("steady_one", ["x", "a"])
def test_temperatures_by_hand(store: Store, steady_one: str) -> None:
    """Self 0.9 everywhere; m and n are 0.1 apart when cold and 0.5 when hot, and 0.3 from all
    others.
    """
    systems = [
        System(f"{base}-{t}", base, (("temperature", t),)) for base in "mn" for t in (0.2, 0.8)
    ]
    apart = {frozenset(("m-0.2", "n-0.2")): 0.1, frozenset(("m-0.8", "n-0.8")): 0.5}

    def value(one: str, n: int, other: str, m: int) -> float:
        return 0.9 if one == other else apart.get(frozenset((one, other)), 0.3)

    fill(store, {"i": value, "j": value}, [*systems, System(steady_one)], 2)
    found = compare_temperatures(store, Selection("d"), Settings("rouge1", normalise="none"))
    rows = found.assign(pair=found["base_1"] + found["base_2"]).set_index(["pair", "temperature"])
    others = ("mx", "nx") if steady_one == "x" else ("am", "an")
    expected = {(pair, t): 0.6 for pair in others for t in (0.2, 0.8)}
    expected |= {("mn", 0.2): 0.8, ("mn", 0.8): 0.4}
    assert rows["mean"].to_dict() == pytest.approx(expected)
    assert set(rows["n"]) == {2}
    # Of the models that were chosen, at all temperatures.
    some = Selection("d", systems=("m-0.2", "n-0.8"))
    chosen = compare_temperatures(store, some, Settings("rouge1", normalise="none"))
    assert chosen["mean"].tolist() == pytest.approx([0.8, 0.4])


def test_one_temperature_makes_no_curve(store: Store) -> None:
    fill(store, {"i": steady}, [System("a", "a", (("temperature", 0.5),)), System("b")], 2)
    assert compare_temperatures(store, Selection("d"), HOW).empty
