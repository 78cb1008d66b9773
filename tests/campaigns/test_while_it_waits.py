"""What somebody else decides between a press and its being written counts: two connections."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.campaigns import (
    NoQuestionReason,
    Presentation,
    agreed_at,
    answer,
    change,
    consent,
    present,
    undo,
)
from core.campaigns import enrol as enrol_person
from core.pairing import open_default
from core.records import Answer, Outcome, TandemError
from core.store import Campaign, Store
from tests.study import DATASET, fill

A, B = Answer(Outcome.A), Answer(Outcome.B)
TEXT, OTHER = "Your answers are published.", "Your answers and your name are published."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite3") as opened:
        fill(opened)
        open_default(opened, DATASET)
        enrol_person(opened, "Ada")
        yield opened


def campaign_of(store: Store) -> Campaign:
    return store.campaigns.default(DATASET)


def ask(store: Store) -> Presentation:
    shown = present(store, campaign_of(store), "Ada")
    assert isinstance(shown, Presentation)
    return shown


def when_it_begins_to_write(store: Store, status: str) -> None:
    """Another connection sets the campaign's status just before this one gets its turn."""

    def watch(statement: str) -> None:
        if statement.startswith("BEGIN IMMEDIATE"):
            store.connection._db.set_trace_callback(None)
            with closing(sqlite3.connect(store.path)) as other, other:
                other.execute("UPDATE campaigns SET status = ?", (status,))

    store.connection._db.set_trace_callback(watch)


def live(store: Store) -> list[tuple[object, ...]]:
    return store.connection.rows("SELECT id, outcome, withdrawn_at FROM judgements ORDER BY id")


Act = Callable[[Store, int], object]


@pytest.mark.parametrize(
    ("act", "status"),
    [
        (lambda store, taken: undo(store, "Ada", taken), "paused"),
        (lambda store, taken: undo(store, "Ada", taken), "closed"),
        (lambda store, taken: change(store, "Ada", taken.row, B), "closed"),
    ],
)
def test_a_campaign_that_closes_meanwhile_keeps_its_answers(
    store: Store, act: Act, status: str
) -> None:
    taken = answer(store, "Ada", ask(store), A)
    before = live(store)
    when_it_begins_to_write(store, status)
    with pytest.raises(TandemError, match=f"is {status}: answers can no longer be"):
        act(store, taken)
    assert live(store) == before
    assert campaign_of(store).status == status


def test_what_closes_afterwards_changes_nothing(store: Store) -> None:
    taken = answer(store, "Ada", ask(store), A)
    assert taken
    assert change(store, "Ada", taken.row, B)
    store.campaigns.set_status(campaign_of(store).id, "closed")
    assert [row[1] for row in live(store)] == ["a", "b"]


def word(store: Store, text: str) -> None:
    campaign = campaign_of(store)
    store.campaigns.edit(campaign.id, name=campaign.name, design={"consent": text}, overlap=1)


class TestConsent:
    def test_a_reworded_one_is_asked_again_and_the_pair_comes_again(self, store: Store) -> None:
        word(store, TEXT)
        assert consent(store, campaign_of(store), "Ada")
        shown = ask(store)
        word(store, OTHER)
        with pytest.raises(TandemError, match="was reworded: agree to it first"):
            answer(store, "Ada", shown, A)
        assert live(store) == []
        assert present(store, campaign_of(store), "Ada") is NoQuestionReason.CONSENT
        assert consent(store, campaign_of(store), "Ada")
        assert ask(store) == shown
        assert answer(store, "Ada", shown, A)

    def test_it_holds_for_a_change_but_anybody_may_take_back(self, store: Store) -> None:
        word(store, TEXT)
        consent(store, campaign_of(store), "Ada")
        taken = answer(store, "Ada", ask(store), A)
        assert taken
        word(store, OTHER)
        with pytest.raises(TandemError, match="was reworded"):
            change(store, "Ada", taken.row, B)
        assert [row[1:] for row in live(store)] == [("a", None)]
        assert undo(store, "Ada", taken)

    def test_one_agrees_to_what_one_has_read(self, store: Store) -> None:
        word(store, TEXT)
        word(store, OTHER)  # while TEXT is on the screen
        assert not consent(store, campaign_of(store), "Ada", TEXT)
        assert present(store, campaign_of(store), "Ada") is NoQuestionReason.CONSENT
        assert store.connection.rows("SELECT text FROM consents") == [(TEXT,)]
        assert agreed_at(store, campaign_of(store), "Ada")

    def test_all_that_was_agreed_to_is_kept(self, store: Store) -> None:
        for text in (TEXT, OTHER, TEXT):
            word(store, text)
            consent(store, campaign_of(store), "Ada")
        kept = store.connection.rows("SELECT text, created_at FROM consents ORDER BY created_at")
        assert [text for text, _ in kept] == [TEXT, OTHER]
        assert all(moment for _, moment in kept)
        for statement in ("UPDATE consents SET text = 'x'", "DELETE FROM consents"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                store.connection.execute(statement)

    def test_reworded_just_before_the_answer_is_written(self, store: Store) -> None:
        word(store, TEXT)
        consent(store, campaign_of(store), "Ada")
        shown = ask(store)

        def watch(statement: str) -> None:
            if statement.startswith("BEGIN IMMEDIATE"):
                store.connection._db.set_trace_callback(None)
                with closing(sqlite3.connect(store.path)) as other, other:
                    other.execute(
                        "UPDATE campaigns SET design = json_set(design, '$.consent', ?)", (OTHER,)
                    )

        store.connection._db.set_trace_callback(watch)
        with pytest.raises(TandemError, match="was reworded"):
            answer(store, "Ada", shown, A)
        assert live(store) == []
