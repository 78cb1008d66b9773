"""A store as large as studies get, written in bulk: a million judgements in a minute."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from core.pairing import open_default
from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Kind, Score, System
from core.store import Store

DATASET, SYSTEMS, OF_ITEM, AN_ITEM = "large", 100, 5, 10
PEOPLE, MODELS = 40, 3
ORDERED = list(permutations(range(OF_ITEM), 2))
TIES, BOTH_BAD, FAILED = 0.1, 0.03, 0.01
MARKED = 10  # every so many items have the marks of an expert

_COMPARE = """INSERT INTO comparisons
    (attribute, generation_a, generation_b, item, system_a, system_b)
    SELECT ?, a.id, b.id, a.item, a.system, b.system FROM generations a, generations b
    WHERE a.id = ? AND b.id = ?"""
_JUDGE = """INSERT INTO judgements
    (comparison, judge, outcome, prob_a, failure, seconds, created_at)
    SELECT id, ?, ?, ?, ?, ?, ? FROM comparisons
    WHERE attribute = ? AND generation_a = ? AND generation_b = ?"""


def study(store: Store, judgements: int) -> None:
    """The study with its default campaign; the same numbers always give the same answers."""
    rng = np.random.default_rng(0)
    items = max(20, judgements // AN_ITEM)
    written_by = np.argsort(rng.random((items, SYSTEMS)), axis=1)[:, :OF_ITEM]
    with store.transaction():
        _texts(store, written_by, rng)
        generations = np.array(store.connection.rows("SELECT id FROM generations ORDER BY id"))
        generations = generations.reshape(items, OF_ITEM)
        attribute = store.datasets.attribute_id(DATASET, "overall")
        _answers(store, attribute, written_by, generations, rng)
        _marks(store, written_by, rng)
    open_default(store, DATASET)


def _texts(store: Store, written_by: NDArray[np.int64], rng: np.random.Generator) -> None:
    store.datasets.add(Dataset(DATASET))
    store.datasets.add_attributes(DATASET, [Attribute("overall")])
    store.datasets.add_items(
        DATASET, (Item(f"i{item}", f"What of {item}? " * 12) for item in range(len(written_by)))
    )
    store.datasets.add_systems(DATASET, (System(_system(place)) for place in range(SYSTEMS)))
    words = rng.integers(5, 60, written_by.shape)
    store.datasets.add_generations(
        DATASET,
        (
            Generation(
                f"i{item}", _system(place), 0, f"{place} of {item} " + "word " * words[item, of]
            )
            for item, places in enumerate(written_by)
            for of, place in enumerate(places)
        ),
    )


def _system(place: int) -> str:
    return f"system {place:02}"


def _answers(
    store: Store,
    attribute: int,
    written_by: NDArray[np.int64],
    generations: NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """Ten answers an item, by ten judges, each about one of its ordered pairs."""
    people = [JudgeSpec(f"person {n:02}", Kind.HUMAN) for n in range(PEOPLE)]
    models = [JudgeSpec(f"model {n}", Kind.LLM) for n in range(MODELS)]
    store.judges.add([*people, *models])
    judges = np.array([store.judges.id_of(judge.name) for judge in (*people, *models)])
    items = len(written_by)
    who = np.argsort(rng.random((items, len(judges))), axis=1)[:, :AN_ITEM].ravel()
    item = np.repeat(np.arange(items), AN_ITEM)
    pair = np.array(ORDERED)[rng.integers(len(ORDERED), size=len(item))]
    strength = rng.normal(0, 1, SYSTEMS)
    apart = strength[written_by[item, pair[:, 0]]] - strength[written_by[item, pair[:, 1]]]
    probability = 1 / (1 + np.exp(-(apart + 0.2 + rng.normal(0, 0.5, len(item)))))
    said = np.where(rng.random(len(item)) < probability, "a", "b").astype(object)
    rest = rng.random(len(item))
    said[rest < TIES] = "tie"
    said[rest < BOTH_BAD] = "both_bad"
    said[rest > 1 - FAILED] = None
    asked = (generations[item, pair[:, 0]], generations[item, pair[:, 1]])
    ordered = np.unique(np.stack(asked, axis=1), axis=0)
    write = store.connection.executemany
    write(_COMPARE, ((attribute, a, b) for a, b in ordered.tolist()))
    write(_JUDGE, _rows(attribute, judges[who], who >= PEOPLE, said, probability, asked))


def _rows(
    attribute: int,
    judge: NDArray[np.int64],
    sure: NDArray[np.bool_],
    said: NDArray[np.object_],
    probability: NDArray[np.float64],
    asked: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Iterator[tuple[object, ...]]:
    """Rows of judgements: models give a probability, people take some seconds."""
    columns = zip(
        judge.tolist(), sure.tolist(), said.tolist(), probability.tolist(), *asked, strict=True
    )
    for place, (by, model, outcome, p, a, b) in enumerate(columns):
        given = round(p, 3) if model and outcome else None
        failure = "" if outcome else "unparsed"
        seconds = None if model else 3 + place % 20
        row = (by, outcome, given, failure, seconds, f"{place:09}")
        yield (*row, attribute, int(a), int(b))


def _marks(store: Store, written_by: NDArray[np.int64], rng: np.random.Generator) -> None:
    """An expert's marks of every text of some items."""
    store.judges.add([JudgeSpec("expert", Kind.HUMAN)])
    store.scores.add(
        DATASET,
        (
            Score(f"i{item}", _system(place), "overall", "expert", float(rng.integers(1, 6)))
            for item in range(0, len(written_by), MARKED)
            for place in written_by[item]
        ),
    )
