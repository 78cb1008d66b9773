"""Measuring: what is missing and nothing else, in bits that survive a kill."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.records import Generation, Status, TandemError
from core.runs import execution, worker
from core.runs import measure as measuring
from core.runs.measure import outlook
from core.similarity import (
    METRICS,
    DeclaredMetric,
    Group,
    MeasurementRequest,
    MetricPace,
    make_metric,
)
from core.similarity.metric import OfFeatures
from core.store import ChosenGenerations, Store
from tests.processes import Command
from tests.study import DATASET, add_texts, ends, fill, ids, measure, tandem, wait_for


class Shared(OfFeatures):
    """How many words two texts share of all they have. Remembers what it was asked."""

    name = "shared"
    signature = "shared|1"

    def __init__(self) -> None:
        self.loaded = 0
        self.read: list[str] = []
        self.pairs = 0

    def load(self) -> None:
        self.loaded += 1

    def features(self, texts: Sequence[str]) -> list[set[str]]:
        self.read += texts
        return [set(text.split()) for text in texts]

    def compare(self, one: set[str], other: set[str]) -> float:
        self.pairs += 1
        return len(one & other) / len(one | other)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = DeclaredMetric(
        "shared", "shared words", "", lambda *chosen: Shared(), MetricPace(1, 1e5, 1e5)
    )
    monkeypatch.setitem(METRICS, "shared", declared)


def stored(store: Store) -> list[tuple[object, ...]]:
    return store.connection.rows("SELECT * FROM similarities ORDER BY 1, 2, 3")


def texts(store: Store, *, items: int = 40, words: int = 60, samples: int = 3) -> None:
    """Two systems' samples on some items, drawn from a seed."""
    rng = np.random.default_rng(0)
    vocabulary = [f"word{n}" for n in range(400)]
    drawn = [
        Generation(f"i{i}", system, sample, " ".join(rng.choice(vocabulary, words)))
        for i in range(items)
        for system in "ab"
        for sample in range(samples)
    ]
    add_texts(store, "d", drawn)


def test_every_pair_of_an_item_once_and_a_second_run_reads_nothing(store: Store) -> None:
    fill(store, items=2, systems=("alpha", "beta"), samples=3)
    first, second = Shared(), Shared()
    result = measure(store, ChosenGenerations(DATASET), first)
    assert (result.planned, result.done, result.answered, result.status) == (2, 2, 2, Status.DONE)
    assert len(before := stored(store)) == 30
    assert first.pairs == 30
    assert len(first.read) == len(set(first.read)) == 12, "each text is read once"
    result = measure(store, ChosenGenerations(DATASET), second)
    assert (result.answered, result.done, second.loaded, second.read) == (0, 2, 0, [])
    assert stored(store) == before


def test_just_what_is_new(store: Store) -> None:
    fill(store, items=2, systems=("alpha", "beta"))
    measure(store, ChosenGenerations(DATASET), Shared())
    fill(store, items=3, systems=("alpha", "beta", "gamma"))
    metric = Shared()
    result = measure(store, ChosenGenerations(DATASET), metric)
    assert (result.answered, metric.pairs) == (3, 2 * 2 + 3)
    assert measure(store, ChosenGenerations(DATASET, ("alpha", "gamma")), Shared()).answered == 0


def test_identical_texts_are_measured_once_and_are_alike(store: Store) -> None:
    fill(store, items=1, systems=("alpha", "beta"))
    alike = [Generation("i0", "alpha", n, "the same words") for n in (1, 2, 3)]
    store.datasets.add_generations(DATASET, alike)
    metric, known = Shared(), ids(store)
    measure(store, ChosenGenerations(DATASET), metric)
    same = {known["i0", "alpha", n] for n in (1, 2, 3)}
    assert {value for _, one, other, value in stored(store) if {one, other} <= same} == {1.0}
    assert len(stored(store)) == 10
    assert metric.pairs == 3


def test_texts_that_are_not_available_are_left_out_and_empty_ones_are_not(store: Store) -> None:
    fill(store, items=1, systems=("alpha", "beta"))
    odd = [Generation("i0", "alpha", 1, None), Generation("i0", "beta", 1, "")]
    store.datasets.add_generations(DATASET, odd)
    measure(store, ChosenGenerations(DATASET), Shared())
    assert sorted(value for *_, value in stored(store)) == [0, 0, 0]


def test_nothing_to_compare(store: Store) -> None:
    fill(store, systems=("alpha",))
    with pytest.raises(TandemError, match=rf"{DATASET!r}.*\btwo texts\b.*: import\b"):
        outlook(store, MeasurementRequest(ChosenGenerations(DATASET), "shared"))
    with pytest.raises(TandemError, match="among these"):
        outlook(store, MeasurementRequest(ChosenGenerations(DATASET, subset="none"), "shared"))


@pytest.mark.parametrize("after", [1, 3])
def test_cancelled_and_continued(store: Store, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    texts(store)
    measure(store, ChosenGenerations("d"), Shared())
    expected = stored(store)
    store.connection.execute("DELETE FROM similarities")
    monkeypatch.setattr(measuring, "CHARACTERS", 20_000)
    heard: list[int] = []

    def hear(now: execution.ExecutionResult) -> None:
        heard.append(now.done)
        assert len(stored(store)) == 15 * now.done, "on disk before it is said"
        if len(heard) == after:
            execution.cancel(store, now.run)

    stopped = measure(store, ChosenGenerations("d"), Shared(), progress=hear)
    assert stopped.status == Status.CANCELLED
    assert 0 < stopped.done < 40
    rest = measure(store, ChosenGenerations("d"), Shared(), progress=hear)
    assert (rest.status, rest.answered) == (Status.DONE, 40 - stopped.done)
    assert heard == sorted(heard)
    assert stored(store) == expected


def test_the_worker_measures(store: Store) -> None:
    texts(store, items=3)
    request = MeasurementRequest(ChosenGenerations("d"), "rouge1")
    run = measuring.enqueue(store, request)
    worker.run_worker(store.path, once=True)
    assert execution.load_progress(store, run).status == Status.DONE
    assert len(stored(store)) == 3 * 15
    assert measuring.enqueue(store, request) == run
    assert execution.load_progress(store, run).status == Status.DONE, "nothing is missing"


def test_broken_half_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    texts(store)
    monkeypatch.setattr(measuring, "CHARACTERS", 20_000)
    metric = Shared()
    features = metric.features

    def breaks(read: Sequence[str]) -> list[set[str]]:
        if len(metric.read) > 80:
            raise MemoryError("no more")
        return features(read)

    metric.features = breaks  # type: ignore[method-assign]
    with pytest.raises(MemoryError):
        measure(store, ChosenGenerations("d"), metric)
    assert 0 < len(stored(store)) < 40 * 15
    assert measure(store, ChosenGenerations("d"), Shared()).status == Status.DONE
    assert len(stored(store)) == 40 * 15


def separability(path: Path, metric: str) -> dict[str, object]:
    said = ends(tandem(path, "separability", "--metric", metric, "--json"))
    found: dict[str, object] = json.loads(said.splitlines()[-1])
    return found


def far_enough(store: Store, process: Command, wanted: float) -> bool:
    return len(stored(store)) > wanted or process.poll() is not None


@pytest.mark.parametrize(
    ("metric", "kills", "items"),
    [("bleu", 1, 60), pytest.param("bleu", 5, 400, marks=pytest.mark.slow),
     pytest.param("bertscore-length", 3, 60, marks=pytest.mark.slow)],
)  # fmt: skip
def test_killed_at_random_moments_it_ends_with_the_same_numbers(
    tmp_path: Path, metric: str, kills: int, items: int
) -> None:
    paths = [tmp_path / "undisturbed.sqlite3", tmp_path / "disturbed.sqlite3"]
    words = 400 if metric == "bleu" else 60
    with Store(paths[0]) as undisturbed, Store(paths[1]) as disturbed:
        for store in (undisturbed, disturbed):
            texts(store, items=items, words=words, samples=4)
        expected = separability(paths[0], metric)
        for share in np.sort(np.random.default_rng(7).random(kills)):
            process = tandem(paths[1], "separability", "--metric", metric)
            far = partial(far_enough, disturbed, process, share * 0.8 * items * 28)
            wait_for(far, seconds=300)
            process.kill()
            process.communicate()
        assert len(stored(disturbed)) > 0
        found = separability(paths[1], metric)
        ours, theirs = stored(disturbed), stored(undisturbed)
    assert [row[:3] for row in ours] == [row[:3] for row in theirs]
    assert [row[3] for row in ours] == pytest.approx([row[3] for row in theirs], abs=1e-6)
    if metric == "bleu":
        assert found == expected


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_items(tmp_path: Path) -> None:
    peaks = []
    for items in (1000, 4000):
        with Store(tmp_path / f"{items}.sqlite3") as store:
            texts(store, items=items, words=30)
            tracemalloc.start()
            measure(store, ChosenGenerations("d"), make_metric("rouge1"))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_a_group_may_hold_any_pairs() -> None:
    (found,) = Shared().measure([Group(["a b", "b c"], np.array([0, 1, 1]), np.array([1, 0, 1]))])
    assert found["shared"].tolist() == [1 / 3, 1 / 3, 1]
