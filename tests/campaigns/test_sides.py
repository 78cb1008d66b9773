"""Nobody can compute which text stands left, nor which question is a check."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from core import campaigns
from core.pairing import open_default
from core.records import Answer, Outcome
from core.store import Check, Store
from tests.study import DATASET, SYSTEMS, ask, fill, ids

PEOPLE = [f"person {number}" for number in range(8)]
FAR = 0.5 + 0.17
"""Of 216 fair coins so many fall as foreseen once in a million times (5 standard deviations)."""


def drawn(*parts: object) -> int:
    """The draw of earlier Tandems, written down here once more."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


Guess = Callable[[str, str, list[str]], int]


def guesses(dataset: str = DATASET) -> Iterator[tuple[str, Guess]]:
    """Whether somebody who knows all names would say that the later system stands left."""
    for seed, sample, trial in product((0, 1, ""), ("#0", ""), ((), (0,), (1,))):

        def by_formula(  # as it was, and its neighbours
            who: str, item: str, systems: list[str],
            seed: object = seed, sample: str = sample, trial: tuple[int, ...] = trial,
        ) -> int:  # fmt: skip
            return drawn(seed, who, dataset, item, *(s + sample for s in systems), *trial) % 2

        yield f"{seed} {sample} {trial}", by_formula
    yield "no name", lambda who, item, systems: drawn(0, dataset, item, *systems) % 2
    yield "no item", lambda who, item, systems: drawn(0, who, dataset, *systems) % 2
    yield "no systems", lambda who, item, systems: drawn(0, who, dataset, item) % 2
    yield "always", lambda who, item, systems: 0


def answered(path: Path) -> list[tuple[str, str, str, str]]:
    """(person, item, system shown as A, as B) of all that PEOPLE are asked."""
    seen = []
    with Store(path) as store:
        fill(store, items=9)
        open_default(store, DATASET)
        store.connection.execute("UPDATE campaign_attributes SET overlap = ?", (len(PEOPLE),))
        system = {row: name for (_, name, _), row in ids(store).items()}
        for person in PEOPLE:
            campaigns.enrol(store, person)
            while shown := ask(store, person):
                sides = system[shown.generation_a], system[shown.generation_b]
                seen.append((person, shown.item, *sides))
                assert campaigns.answer(store, person, shown, Answer(Outcome.TIE))
    assert len(seen) == 8 * 9 * 3
    return seen


def test_sides_cannot_be_computed_from_names_and_items(tmp_path: Path) -> None:
    """They are balanced for people and systems, and another store draws differently."""
    seen, other = (answered(tmp_path / name) for name in ("one", "other"))
    for how, guess in guesses():
        right = sum(guess(who, item, sorted((a, b))) == int(a > b) for who, item, a, b in seen)
        assert 1 - FAR < right / len(seen) < FAR, how
    first = Counter(a for _, _, a, _ in seen)
    for name in SYSTEMS:  # of 144 pairs with each, 6 standard deviations
        assert 36 < first[name] < 108
    for person in PEOPLE:
        later = sum(a > b for who, _, a, b in seen if who == person)
        assert 0 < later < 27  # all alike once in 67 million times
    assert [row[:2] for row in seen] == [row[:2] for row in other]  # the order is that of the seed
    same = sum(mine == theirs for mine, theirs in zip(seen, other, strict=True)) / len(seen)
    assert 1 - FAR < same < FAR


def test_a_backup_draws_the_same(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.sqlite3", tmp_path / "copy.sqlite3"
    with Store(path) as store:
        fill(store, items=9)
        open_default(store, DATASET)
        campaigns.enrol(store, "Ada")
        store.connection.backup(copy)

    def sides(path: Path) -> list[tuple[int, int]]:
        seen = []
        with Store(path) as store:
            while shown := ask(store, "Ada"):
                assert ask(store, "Ada") == shown  # a reload
                with Store(path) as again:  # another process of the server
                    assert ask(again, "Ada") == shown
                seen.append((shown.generation_a, shown.generation_b))
                campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
        return seen

    assert sides(path) == sides(copy)


def test_a_pair_that_is_taken_back_keeps_its_sides(tmp_path: Path) -> None:
    """Also where they were drawn by an earlier Tandem."""
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=9)
        open_default(store, DATASET)
        campaigns.enrol(store, "Ada")
        for _ in range(12):
            shown = ask(store, "Ada")
            taken = campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
            redraw = "UPDATE secrets SET value = randomblob(32) WHERE name = 'sides'"
            store.connection.execute(redraw)
            assert campaigns.undo(store, "Ada", taken)
            again = ask(store, "Ada")
            assert (again.text_a, again.text_b) == (shown.text_a, shown.text_b)
            assert campaigns.answer(store, "Ada", again, Answer(Outcome.A))


def checks_shown(path: Path) -> list[tuple[str, int, bool]]:
    """(person, place of the check among all, whether its first text is A) in the order asked."""
    seen = []
    with Store(path) as store:
        fill(store, items=9)
        open_default(store, DATASET)
        campaign = store.campaigns.default(DATASET).id
        store.campaigns.edit(campaign, name="all pairs", design={"check_every": 1}, overlap=8)
        row, known = store.datasets.attribute_id(DATASET, "coherence"), ids(store)
        pairs = [(known[f"i{n}", "alpha", 0], known[f"i{n}", "beta", 0]) for n in range(9)]
        store.checks.add(campaign, [Check("gold", row, *pair, "1") for pair in pairs])
        numbers = [check.id for check in store.checks.list_active(campaign)]
        for person in PEOPLE:
            campaigns.enrol(store, person)
            for _ in range(18):
                shown = ask(store, person)
                if shown.check:
                    first = known[shown.item, "alpha", 0] == shown.generation_a
                    seen.append((person, numbers.index(shown.check), first))
                assert campaigns.answer(store, person, shown, Answer(Outcome.A))
    return seen


def test_which_check_comes_and_its_sides_cannot_be_computed(tmp_path: Path) -> None:
    """By the numbers of checks and people, which are small and can be guessed."""
    one, other = (checks_shown(tmp_path / name) for name in ("one", "other"))
    assert len(one) == len(other) == 8 * 9
    assert [row[:2] for row in one] != [row[:2] for row in other]
    for seen in (one, other):
        # the right answer is A where the first text is: the old formula knew it for all of them
        right = sum(
            (drawn(number + 1, "check", who) % 2 == 0) == first for who, number, first in seen
        )
        assert 15 < right < 57  # of 72, 5 standard deviations
        order = {who: [number for name, number, _ in seen if name == who] for who in PEOPLE}
        foreseen = {
            who: sorted(range(9), key=lambda n: drawn(n + 1, "turn", judge))
            for judge, who in enumerate(PEOPLE, start=1)
        }
        assert order != foreseen
        assert len({tuple(mine) for mine in order.values()}) > 1


def test_which_pairs_come_again_cannot_be_computed(tmp_path: Path) -> None:
    asked: list[list[tuple[str, str]]] = []
    for name in ("one", "other"):
        with Store(tmp_path / name) as store:
            fill(store, items=12)
            open_default(store, DATASET)
            campaign = store.campaigns.default(DATASET).id
            store.campaigns.edit(campaign, name="x", design={"repeat_share": 0.5}, overlap=1)
            campaigns.enrol(store, "Ada")
            while shown := ask(store, "Ada"):
                assert campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
            asked.append(
                store.connection.rows(
                    """SELECT generation_1, generation_2, after FROM repeats
                    JOIN campaign_pairs q ON q.id = pair ORDER BY 1, 2"""
                )
            )
    assert all(asked)
    assert asked[0] != asked[1]
