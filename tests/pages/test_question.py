"""What counts as a press, told with a clock that the test turns; and how long a thing takes, in words."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from core.pairing import open_default
from core.records import TextFormat
from core.store import Store, dataset_decisions
from pages.components.annotate.question import round_seconds_left
from tests import study
from tests.pages.annotating import stored
from tests.pages.clock import Clock
from tests.pages.clock import clock as clock  # a fixture
from tests.pages.drawn import draw, labels, press, words

REASON = "A names the bridge"
ANSWERED = "A is better"
SIDES = 'class="tandem-sides"'
RICH = 'class="tandem-text tandem-rich"'


@pytest.fixture
def app(store: Store, clock: Clock) -> AppTest:
    study.fill(store, attributes=("coherence", "fluency"))
    open_default(store, study.DATASET)
    study.together(store)
    return draw("annotate", annotator="Ada")


def look(app: AppTest, clock: Clock, answer: str, seconds: float = 3) -> AppTest:
    clock.now += seconds
    return press(app, answer)


def said(app: AppTest) -> str:
    return " ".join(one.proto.body for one in app.get("html") if 'role="status"' in one.proto.body)


def answers(store: Store) -> list[str]:
    return [vote.answer for vote in stored(store.path, "Ada") if not vote.withdrawn]


def body(app: AppTest, part: str) -> str:
    return next(one.proto.body for one in app.get("html") if part in one.proto.body)


def test_six_presses_in_a_second_are_one_vote(app: AppTest, clock: Clock, store: Store) -> None:
    """After the first the question changes, which is shown."""
    assert "tandem-changed" not in said(app)
    assert "tandem-changed" in said(look(app, clock, ANSWERED))
    for _ in range(5):
        look(app, clock, ANSWERED, 0.15)
    assert answers(store) == ["a"]
    assert "not counted" in said(app)
    look(app, clock, "B is better", 1)
    assert answers(store) == ["a", "b"]
    assert "B · saved" in said(app)


def test_undo_takes_the_confirmation_back_and_gives_back_what_was_said(
    app: AppTest, clock: Clock, store: Store
) -> None:
    app.get("button_group")[0].set_value("clearly").run()
    app.text_input[0].set_value(REASON).run()
    look(app, clock, "B is better")
    assert app.text_input[0].value == ""
    press(app, "Undo")
    assert "Undone" in said(app)
    assert "“B is better”" in said(app)
    assert app.text_input[0].value == REASON
    assert app.get("button_group")[0].value == "clearly"
    app.text_input[0].set_value("a comment").run()
    assert "· saved" not in said(app)
    assert answers(store) == []
    look(app, clock, "Both bad")
    assert answers(store) == ["both_bad"]


def test_confidence_comment_and_time_are_kept(app: AppTest, clock: Clock, store: Store) -> None:
    for sure in ("a little", "clearly"):
        app.get("button_group")[0].set_value(sure).run()
        app.text_input[0].set_value("  because  ").run()
        look(app, clock, ANSWERED, 12.5)
    kept = store.connection.rows("SELECT confidence, comment, seconds FROM judgements ORDER BY id")
    assert kept == [(0.5, "because", 12.5), (1.0, "because", 12.5)]


def test_pairs_are_asked_for_each_attribute_until_all_is_answered_and_it_says_thank_you(
    app: AppTest, clock: Clock, store: Store
) -> None:
    """With the same sides; the last answer can be taken back."""
    for _ in range(18):
        look(app, clock, "Tie")
    assert app.title[0].value == "All done. Thank you!"
    votes = stored(store.path, "Ada")
    assert [vote.attribute for vote in votes] == ["coherence", "fluency"] * 9
    sides = [(one.text_a, one.text_b) for one in votes]
    assert sides[::2] == sides[1::2]
    assert len(answers(store)) == 18
    press(app, "Undo the last answer")
    assert len(answers(store)) == 17
    assert "18 of 18" in body(app, "tandem-heading")


def test_a_data_set_that_is_deleted_meanwhile_is_said_once(
    app: AppTest, clock: Clock, store: Store
) -> None:
    study.fill(store, dataset="another")
    dataset_decisions.delete(store, "Grace", study.DATASET)
    look(app, clock, ANSWERED)
    assert f"data set {study.DATASET} here" in words(app)
    assert "Not saved: " in words(app)
    assert "press again" not in words(app)
    assert ANSWERED not in labels(app.button)


def test_a_conversation_is_open_at_its_end(app: AppTest, store: Store) -> None:
    """Differences are marked until they are pressed again."""
    before = body(app, SIDES)
    marked = body(press(app, "Differences"), SIDES)
    assert "<mark>" in marked
    assert re.sub("</?mark>", "", marked) == before
    assert body(press(app, "Differences"), SIDES) == before
    opened = 'data-open="end"'  # of a dialogue what was said last is answered
    assert opened not in body(app, 'class="tandem-context"')
    dataset_decisions.reword(store, "Grace", study.DATASET, {"context_noun": "Dialogue"})
    assert opened in body(app.run(), 'class="tandem-context"')


def test_a_vote_records_how_its_texts_were_shown(app: AppTest, clock: Clock, store: Store) -> None:
    """Plain texts have no other way; the way that was chosen stays for the next questions."""
    assert "As written" not in labels(app.button)
    look(app, clock, "Tie")
    dataset_decisions.set_text_format(store, "Eve", study.DATASET, TextFormat.MARKDOWN)
    app.run()
    assert RICH in words(app)
    look(app, clock, "Tie")
    for _ in range(2):
        look(press(app, "As written"), clock, "Tie")
    shown = "SELECT text_format FROM judgements WHERE campaign IS NOT NULL ORDER BY id"
    ways = [way for (way,) in store.connection.rows(shown)]
    assert ways == ["plain", "markdown", "plain", "markdown"]
    press(app, "As written")
    assert RICH not in words(app)


STEPS = {20: 60, 500: 480, 1_400: 1_500, 5_000: 5_400, 78_840: 79_200}


def test_steps_suit_the_size_and_what_was_told_stays_until_it_is_a_step_off() -> None:
    assert {seconds: round_seconds_left(seconds, None) for seconds in STEPS} == STEPS
    told, shown = None, []
    for seconds in (1_400, 1_600, 1_300, 1_650, 1_250, 1_190, 1_000):
        told = round_seconds_left(seconds, told)
        shown.append(told)
    assert shown == [1_500, 1_500, 1_500, 1_500, 1_500, 1_200, 1_200]
