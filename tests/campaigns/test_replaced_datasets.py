"""While a data set is replaced under people's screens, no vote is taken for unseen texts."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core import campaigns
from core.campaigns import Presentation, enrol
from core.pairing import open_default
from core.records import Answer, Dataset, Generation, Item, Outcome, TandemError
from core.store import Check, Store, dataset_decisions
from tests.processes import forked
from tests.study import add_texts, ask, wait_for

PEOPLE = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Fay")
SYSTEMS = ("x", "y", "z")
A = Answer(Outcome.A)


def add(store: Store, name: str, words: str) -> None:
    """The same items and systems each time; only the texts are others."""
    texts = [Generation(f"i{i}", s, text=f"{words} {i} {s}") for i in range(5) for s in SYSTEMS]
    add_texts(store, name, texts, items=[Item(f"i{i}", f"context {i}") for i in range(5)])
    open_default(store, name)


def delete(store: Store, name: str) -> None:
    number = store.connection.value("SELECT count(*) FROM audit")
    dataset_decisions.delete(store, "test", name, store.path.with_name(f"before-{number}.sqlite3"))


def swap(store: Store, one: str, other: str) -> None:
    for name, to in ((one, "for a moment"), (other, one), ("for a moment", other)):
        dataset_decisions.rename(store, "test", name, to)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        add(store, "d", "old")
        add(store, "e", "other")
        for person in PEOPLE:
            enrol(store, person)
    return path


def on_screen(store: Store, dataset: str = "d", person: str = "Ada") -> Presentation:
    return ask(store, person, dataset)


def texts(path: Path) -> dict[int, tuple[str, str, str, bool]]:
    """Judgement -> judge and the texts it is about, first A, and whether it is live."""
    with closing(sqlite3.connect(path)) as db:
        return {
            row: (judge, a, b, bool(live))
            for row, judge, a, b, live in db.execute(
                """SELECT j.id, w.name, ga.text, gb.text, j.withdrawn_at IS NULL
                FROM judgements j JOIN judges w ON w.id = j.judge
                JOIN comparisons c ON c.id = j.comparison
                JOIN generations ga ON ga.id = c.generation_a
                JOIN generations gb ON gb.id = c.generation_b"""
            )
        }


def anew(store: Store, name: str) -> None:
    delete(store, name)
    add(store, name, "new")


def test_a_screen_of_a_data_set_that_is_gone_votes_on_nothing(path: Path) -> None:
    """Nor does its undo take back an answer of the next."""
    with Store(path) as store:
        old = campaigns.answer(store, "Ada", on_screen(store, "e"), A)
        shown, campaign = on_screen(store, "e"), store.campaigns.default("e")
        anew(store, "e")
        now = on_screen(store, "e")
        with pytest.raises(TandemError, match="no campaign"):
            campaigns.answer(store, "Ada", shown, A)
        with pytest.raises(TandemError, match="no campaign"):  # it went while it was looked up
            campaigns.present(store, campaign, "Ada")
        assert texts(path) == {}
        assert now.text_a.startswith("new")
        new = campaigns.answer(store, "Ada", now, A)
        assert campaigns.undo(store, "Ada", old) is None
        with pytest.raises(TandemError):
            campaigns.change(store, "Ada", old.row, Answer(Outcome.B))
        assert [row[1:] for row in texts(path).values()] == [(now.text_a, now.text_b, True)]
        assert campaigns.undo(store, "Ada", new)


def test_no_number_is_given_out_twice(path: Path) -> None:
    tables = (
        *("items", "systems", "generations", "attributes", "comparisons", "campaign_attributes"),
        *("campaign_pairs", "judgements", "campaigns", "checks", "judges"),
    )

    def numbers(store: Store) -> dict[str, set[int]]:
        rows = {table: store.connection.rows(f"SELECT id FROM {table}") for table in tables}
        return {table: {row for (row,) in of} for table, of in rows.items()}

    def fill(store: Store, words: str) -> None:
        add(store, "last", words)
        enrol(store, f"Somebody {words}")
        shown = on_screen(store, "last")
        assert campaigns.answer(store, "Ada", shown, A)
        campaign = store.campaigns.default("last").id
        check = Check("gold", shown.attribute_id, shown.generation_a, shown.generation_b, "1")
        store.checks.add(campaign, [check])

    with Store(path) as store:
        rest = numbers(store)
        fill(store, "one")
        before = numbers(store)
        delete(store, "last")
    with Store(path) as store:  # whoever asks
        fill(store, "two")
        after = numbers(store)
    for table, rows in before.items():
        gone, come = rows - rest[table], after[table] - rest[table]
        assert come, table
        assert not (gone & come) - ({*after["judges"]} if table == "judges" else set()), table


def test_names_that_are_swapped_leave_every_screen_its_texts(path: Path) -> None:
    with Store(path) as store:
        identities = {name: store.datasets.identity(name) for name in "de"}
        shown, other = on_screen(store, "d", "Ada"), on_screen(store, "e", "Bo")
        swap(store, "d", "e")
        assert store.datasets.identity("d") == identities["e"]
        assert store.datasets.identity("e") == identities["d"]
        assert campaigns.answer(store, "Ada", shown, A)
        assert campaigns.answer(store, "Bo", other, A)
        assert on_screen(store, "d", "Bo").text_a.startswith("other")
    assert [row[:3] for row in texts(path).values()] == [
        ("Ada", shown.text_a, shown.text_b),
        ("Bo", other.text_a, other.text_b),
    ]


def test_an_identity_is_new_each_time_and_never_changes(path: Path) -> None:
    with Store(path) as store:
        before = store.datasets.identity("d")
        assert len(before) == 32
        with pytest.raises(sqlite3.IntegrityError, match="never changes"):
            store.connection.execute("UPDATE datasets SET uid = 'x' WHERE name = 'd'")
        store.datasets.add(Dataset("d"), {"more.csv": "00"})
        dataset_decisions.rename(store, "test", "d", "f")
        assert store.datasets.identity("f") == before
        assert store.datasets.identity("d") == ""
        add(store, "d", "new")
        assert store.datasets.identity("d") not in ("", before)


class Back(NamedTuple):
    """Screens and answers of a store of which an earlier copy was put in its place since."""

    kept: Presentation  # of before the copy
    lost: Presentation  # of what was imported after it
    given: Any  # an answer to what was imported after it


@pytest.fixture
def back(path: Path) -> Back:
    copy = path.with_name("copy.sqlite3")
    with Store(path) as store:
        kept = on_screen(store)
        store.connection.backup(copy)
        add(store, "f", "after the copy")
        given = campaigns.answer(store, "Ada", on_screen(store, "f"), A)
        lost = on_screen(store, "f")
    for name in ("", "-wal", "-shm"):
        Path(f"{path}{name}").unlink(missing_ok=True)
    copy.rename(path)
    with Store(path) as store:
        add(store, "f", "anew")
    return Back(kept, lost, given)


def test_a_copy_that_came_back_takes_votes_for_what_was_shown_alone(path: Path, back: Back) -> None:
    """It undoes and changes its own answers alone."""
    with Store(path) as store:
        now = on_screen(store, "f")
        for shown in (back.lost, now):  # the numbers were given out once more
            assert store.assignments.attribute_of(shown.campaign_attribute) == now.attribute_id
        assert campaigns.answer(store, "Ada", back.lost, A) is None
        assert texts(path) == {}
        given = campaigns.answer(store, "Ada", now, A)
        assert given.row == back.given.row
        assert campaigns.undo(store, "Ada", back.given) is None
        change, row, at = Answer(Outcome.B), back.given.row, back.given.at
        assert campaigns.change(store, "Ada", row, change, given_at=at) is None
        assert [live for *_, live in texts(path).values()] == [True]
        assert campaigns.undo(store, "Ada", given)
        kept = campaigns.answer(store, "Ada", back.kept, A)
        assert texts(path)[kept.row][1:3] == (back.kept.text_a, back.kept.text_b)


def test_a_check_is_bound_to_its_texts_too(path: Path) -> None:
    with Store(path) as store:
        shown = on_screen(store)
        campaign = store.campaigns.default("d")
        pair = sorted((shown.generation_a, shown.generation_b))
        store.checks.add(campaign.id, [Check("training", shown.attribute_id, *pair, "1")])  # type: ignore[call-arg]
        asked = on_screen(store, person="Bo")
        assert asked.check
        db = store.connection
        db.execute("UPDATE generations SET text = 'others' WHERE id = ?", (pair[0],))
        assert campaigns.answer(store, "Bo", asked, A) is None
        assert campaigns.answer(store, "Bo", on_screen(store, person="Bo"), A)


class Confirmed(NamedTuple):
    row: int
    judge: str
    text_a: str
    text_b: str
    undone: bool


def vote(path: Path, process: int, people: tuple[str, ...], stop: Path) -> list[Confirmed]:
    """Three people, each with a screen that is older than the answer to it, as on pages."""
    rng, done, screens = random.Random(process), list[Confirmed](), dict[str, Presentation]()
    latest: dict[str, Any] = {}
    with Store(path) as store:
        stop.with_name(f"ready {process}").touch()
        while not stop.exists():
            person = rng.choice(people)
            with suppress(TandemError):  # the page says it, and goes on with what there is
                shown = screens.pop(person, None)
                taken = campaigns.answer(store, person, shown, A) if shown else None
                if shown and taken:
                    undone = rng.random() < 0.3 and campaigns.undo(store, person, taken)
                    mine = Confirmed(taken.row, person, shown.text_a, shown.text_b, bool(undone))
                    done.append(mine)
                    if person in latest and rng.random() < 0.3:  # a button of an older screen
                        old = latest[person]
                        if campaigns.undo(store, person, old[0]):
                            done[old[1]] = done[old[1]]._replace(undone=True)
                    if not undone:
                        latest[person] = taken, len(done) - 1
                name = rng.choice(("d", "e"))
                found = store.campaigns.find(name, "all pairs")
                if found:
                    held = campaigns.present(store, found, person)
                    if isinstance(held, Presentation):
                        screens[person] = held
            time.sleep(rng.random() * 0.004)
    return done


def test_of_six_people_in_two_processes_every_vote_is_about_what_they_saw(path: Path) -> None:
    stop = path.with_name("stop")
    ready = [path.with_name(f"ready {number}") for number in range(2)]
    with ProcessPoolExecutor(2, mp_context=forked()) as pool, Store(path) as store:
        voters = [
            pool.submit(vote, path, number, PEOPLE[3 * number : 3 * number + 3], stop)
            for number in range(2)
        ]
        try:
            wait_for(lambda: all(file.exists() for file in ready))
            for number in range(16):
                if number % 2:
                    swap(store, "d", "e")
                else:
                    delete(store, "d")
                    add(store, "d", f"round {number}")
                time.sleep(0.1)
        finally:
            stop.touch()
        confirmed = [each for voter in voters for each in voter.result()]
        gone = sum(
            json.loads(details)["votes"]
            for (details,) in store.connection.rows(
                "SELECT details FROM audit WHERE action = ?", (dataset_decisions.DELETED,)
            )
        )
        assert store.connection.check()["ok"]
    assert len(confirmed) > 20
    said = {each.row: each for each in confirmed}
    assert len(said) == len(confirmed)  # no number was given out twice
    there = texts(path)
    for row, (judge, text_a, text_b, live) in there.items():
        assert said[row] == Confirmed(row, judge, text_a, text_b, not live)
    live = sum(is_live for *_, is_live in there.values())
    # What is neither there nor went with its data set, and is in the log, was lost.
    assert live + gone == sum(not each.undone for each in confirmed)
