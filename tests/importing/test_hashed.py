"""What is kept as 128 bits tells things apart as dictionaries and sets do, in a tenth of the memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.importing.cells import digest, short_digest
from core.importing.conflicts import NOTED, ContradictedError, Known
from core.importing.hashed import PLACES, Distinct, Numbers, Texts, fingerprint
from core.records import Dataset, Generation, Item, Score, System
from core.store import Store

keys = st.tuples(st.sampled_from(["text", "item"]), st.text(max_size=3), st.integers(0, 3))
values = st.integers(-(2**127), 2**127 - 1)


@given(st.lists(st.tuples(keys, values)))
def test_numbers_are_those_of_a_dictionary(put: list[tuple[tuple[str, str, int], int]]) -> None:
    numbers, known = Numbers(), dict[object, int]()
    for key, value in put:
        assert (key in numbers) == (key in known)
        numbers.put(key, value)
        known[key] = value
        assert len(numbers) == len(known)
    assert {key: numbers.get(key, 7) for key in known} == known
    assert numbers.get(("none", "", 0), 7) == 7


def test_they_hold_as_they_grow() -> None:
    numbers, many = Numbers(), 5 * PLACES
    for number in range(many):
        numbers.put(("key", number), number * number)
    assert len(numbers) == many
    assert all(numbers.get(("key", number), -1) == number * number for number in range(many))
    assert not any(("other", number) in numbers for number in range(many))


def test_keys_that_want_one_place_are_told_apart() -> None:
    numbers = Numbers()
    same = [key for key in range(200_000) if fingerprint(key)[0] % PLACES == 7]
    assert len(same) > 20
    for key in same:
        numbers.put(key, key)
    assert [numbers.get(key, -1) for key in same] == same


COLLIDING = "Summarise article 996664.", "Summarise article 20870443."
"""Two texts whose 48 bits (BLAKE2b, RFC 7693) are the same."""


def test_texts_whose_48_bits_are_the_same_contradict_each_other(store: Store) -> None:
    first, second = COLLIDING
    assert short_digest(first) == short_digest(second)
    known = Known(store, "d")
    known.learn([Item("1", first), Generation("1", "s", 0, first)])
    assert known.item_of(second) is None
    assert not known.has_context("1", second)
    assert known.sample_of("1", "s", digest(second)) == 1
    for other in (Item("1", second), Generation("1", "s", 0, second)):
        with pytest.raises(ContradictedError):
            known.learn([other])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_texts_are_as_they_were(texts: list[str]) -> None:
    kept = Texts()
    numbers = [kept.add(text) for text in texts]
    assert [kept[number] for number in numbers] == texts


@given(st.lists(st.integers(0, 50)), st.lists(st.integers(0, 50)))
def test_distinct_counts_as_a_set_does(first: list[int], second: list[int]) -> None:
    distinct = Distinct()
    distinct.add(first)
    assert len(distinct) == len(set(first))
    distinct.add(second)
    assert len(distinct) == len({*first, *second})


def test_texts_of_an_item_are_numbered_as_they_come(store: Store) -> None:
    """Beside dictionaries, with texts that come again."""
    rng, known = random.Random(3), Known(store, "d")
    held: dict[tuple[str, str], list[str]] = {}
    for _ in range(2000):
        item, system, text = f"i{rng.randrange(9)}", f"s{rng.randrange(3)}", f"t{rng.randrange(40)}"
        there = held.setdefault((item, system), [])
        expected = there.index(text) if text in there else len(there)
        assert known.sample_of(item, system, digest(text)) == expected
        known.learn([Generation(item, system, expected, text)])
        there += [text] * (expected == len(there))
    assert max(map(len, held.values())) > 20


def test_a_sample_that_is_left_free_stays_so(store: Store) -> None:
    known = Known(store, "d")
    known.learn([Generation("i", "s", 4, "a"), Generation("i", "s", 5, "a")])
    assert known.sample_of("i", "s", digest("a")) == 4
    assert known.sample_of("i", "s", digest("b")) == 6
    with pytest.raises(ContradictedError, match="sample 5 has another text already"):
        known.learn([Generation("i", "s", 5, "b")])


def test_the_first_item_of_a_context_is_its_item(store: Store) -> None:
    known = Known(store, "d")
    known.learn([Item("é1", "Why?"), Item("2", "Why?"), Item("3", "")])
    assert known.item_of("Why?") == "é1"
    assert known.item_of("Who?") is None
    assert [known.has_item(name) for name in ("é1", "2", "3")] == [True, True, False]
    with pytest.raises(ContradictedError, match="item '2' has another context"):
        known.learn([Item("2", "Who?")])
    assert known.item_of("Who?") is None


@pytest.mark.parametrize(("one", "other"), [(-1.0, -2.0), (1.0, 2.0**61), (0.0, None)])
def test_scores_that_python_hashes_alike_are_told_apart(
    store: Store, one: float, other: float | None
) -> None:
    def score(value: float | None) -> Score:
        return Score("i", "s", "a", "Ada", value, failure="" if value is not None else "none")

    known = Known(store, "d")
    known.learn([score(one)])
    known.learn([score(one + 0)])
    with pytest.raises(ContradictedError, match="another score"):
        known.learn([score(other)])


def test_zero_is_zero(store: Store) -> None:
    known = Known(store, "d")
    known.learn([Score("i", "s", "a", "Ada", 0.0)])
    known.learn([Score("i", "s", "a", "Ada", -0.0), Score("i", "s", "a", "Ada", 0)])


def test_what_the_store_has_is_known(store: Store) -> None:
    """More items than are read at a time, among those of another data set."""
    many = 2 * NOTED + 1
    for name in ("c", "d"):
        store.datasets.add(Dataset(name))
        store.datasets.add_systems(name, [System("s")])
    for first in range(0, many, 500):
        for name in ("c", "d"):
            numbers = range(first, min(first + 500, many))
            store.datasets.add_items(name, [Item(f"{n}", f"{name} {n}") for n in numbers])
    store.datasets.add_generations(
        "d", [Generation("7", "s", 0, "a"), Generation("7", "s", 1, "b")]
    )
    known = Known(store, "d")
    assert [known.item_of(f"d {n}") for n in range(many)] == [f"{n}" for n in range(many)]
    assert known.item_of("c 1") is None
    assert [known.sample_of("7", "s", digest(text)) for text in "abc"] == [0, 1, 2]
    with pytest.raises(ContradictedError, match="sample 1 has another text already"):
        known.learn([Generation("7", "s", 1, "c")])


def test_a_text_takes_little_memory(store: Store) -> None:
    """Of a million votes with two texts each, some 250 MB; dictionaries took 1.6 GB."""
    known, rows = Known(store, "d"), 20_000
    tracemalloc.start()
    for row in range(rows):
        known.learn(
            [Item(f"q{row}", f"context {row}"), Generation(f"q{row}", "s", 0, f"text {row}")]
        )
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / rows < 250
