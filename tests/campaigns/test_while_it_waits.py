"""What somebody else decides between a press and its being written counts: two connections."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core import campaigns
from core.campaigns import NoQuestionReason, Presentation
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
    shown = campaigns.present(store, campaign_of(store), "Ada")
    assert isinstance(shown, Presentation)
    return shown


def when_it_begins_to_write(store: Store, statement: str, *values: object) -> None:
    """Another connection runs a statement just before this one gets its turn."""

    def watch(seen: str) -> None:
        if seen.startswith("BEGIN IMMEDIATE"):
            store.connection._db.set_trace_callback(None)
            with closing(sqlite3.connect(store.path)) as other, other:
                other.execute(statement, values)

    store.connection._db.set_trace_callback(watch)


def live(store: Store) -> list[tuple[object, ...]]:
    return store.connection.rows("SELECT id, outcome, withdrawn_at FROM judgements ORDER BY id")


Act = Callable[[Store, int], object]


@pytest.mark.parametrize(
    ("act", "status"),
    [
        (lambda store, taken: campaigns.undo(store, "Ada", taken), "paused"),
        (lambda store, taken: campaigns.undo(store, "Ada", taken), "closed"),
        (lambda store, taken: campaigns.change(store, "Ada", taken.row, B), "closed"),
    ],
)
def test_a_campaign_that_closes_meanwhile_keeps_its_answers(
    store: Store, act: Act, status: str
) -> None:
    taken = campaigns.answer(store, "Ada", ask(store), A)
    before = live(store)
    when_it_begins_to_write(store, "UPDATE campaigns SET status = ?", status)
    with pytest.raises(TandemError, match=f"is {status}: answers can no longer be"):
        act(store, taken)
    assert live(store) == before
    assert campaign_of(store).status == status


def word(store: Store, text: str) -> None:
    campaign = campaign_of(store)
    store.campaigns.edit(campaign.id, name=campaign.name, design={"consent": text}, overlap=1)


def agreed(store: Store) -> bool:
    return bool(campaigns.consent(store, campaign_of(store), "Ada"))


def test_a_reworded_consent_is_asked_again_and_the_pair_comes_again(store: Store) -> None:
    word(store, TEXT)
    assert agreed(store)
    shown = ask(store)
    word(store, OTHER)
    with pytest.raises(TandemError, match="was reworded: agree"):
        campaigns.answer(store, "Ada", shown, A)
    assert live(store) == []
    assert campaigns.present(store, campaign_of(store), "Ada") is NoQuestionReason.CONSENT
    # which was still on the screen
    assert not campaigns.consent(store, campaign_of(store), "Ada", TEXT)
    assert campaigns.present(store, campaign_of(store), "Ada") is NoQuestionReason.CONSENT
    assert store.connection.rows("SELECT text FROM consents") == [(TEXT,)]
    assert campaigns.agreed_at(store, campaign_of(store), "Ada")
    assert agreed(store)
    assert ask(store) == shown
    taken = campaigns.answer(store, "Ada", shown, A)
    assert taken
    word(store, "A third.")  # it holds for a change, but anybody may take back
    with pytest.raises(TandemError, match="was reworded"):
        campaigns.change(store, "Ada", taken.row, B)
    assert [row[1:] for row in live(store)] == [("a", None)]
    assert campaigns.undo(store, "Ada", taken)


def test_all_that_was_agreed_to_is_kept(store: Store) -> None:
    for text in (TEXT, OTHER, TEXT):
        word(store, text)
        agreed(store)
    kept = store.connection.rows("SELECT text, created_at FROM consents ORDER BY created_at")
    assert [text for text, _ in kept] == [TEXT, OTHER]
    assert all(moment for _, moment in kept)
    for statement in ("UPDATE consents SET text = 'x'", "DELETE FROM consents"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            store.connection.execute(statement)


def test_a_consent_that_is_reworded_just_before_the_answer_is_written(store: Store) -> None:
    word(store, TEXT)
    agreed(store)
    shown = ask(store)
    reword = "UPDATE campaigns SET design = json_set(design, '$.consent', ?)"
    when_it_begins_to_write(store, reword, OTHER)
    with pytest.raises(TandemError, match="was reworded"):
        campaigns.answer(store, "Ada", shown, A)
    assert live(store) == []
