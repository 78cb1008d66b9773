"""What counts as a press: told with a clock that the test turns."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.pairing import open_default
from core.records import TextFormat
from core.store import Store, dataset_decisions
from tests import study
from tests.pages.annotating import stored
from tests.pages.clock import Clock
from tests.pages.clock import clock as clock  # a fixture
from tests.paths import ROOT

REASON = "A names the bridge"


@pytest.fixture
def app(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> AppTest:
    study.fill(store, attributes=("coherence", "fluency"))
    open_default(store, study.DATASET)
    study.together(store)
    monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app.query_params["annotator"] = "Ada"
    return app.switch_page("pages/annotate.py").run()


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def said(app: AppTest) -> str:
    return " ".join(one.proto.body for one in app.get("html") if 'role="status"' in one.proto.body)


def answers(tmp_path: Path) -> list[str]:
    return [vote.answer for vote in stored(tmp_path / "store.sqlite3", "Ada") if not vote.withdrawn]


def test_six_presses_in_a_second_are_one_vote(app: AppTest, clock: Clock, tmp_path: Path) -> None:
    clock.now += 3
    for _ in range(6):
        press(app, "A is better")
        clock.now += 0.15
    assert answers(tmp_path) == ["a"]
    assert "not counted" in said(app)
    clock.now += 1
    press(app, "B is better")
    assert answers(tmp_path) == ["a", "b"]
    assert "B · saved" in said(app)


def test_undo_takes_the_confirmation_back_too(app: AppTest, clock: Clock, tmp_path: Path) -> None:
    clock.now += 3
    press(app, "Tie")
    press(app, "Undo")
    assert "Undone" in said(app)
    app.text_input[0].set_value("a comment").run()
    assert "· saved" not in said(app)
    assert answers(tmp_path) == []
    clock.now += 3
    press(app, "Both bad")
    assert answers(tmp_path) == ["both_bad"]


def test_undo_gives_back_what_was_said_and_how_sure(app: AppTest, clock: Clock) -> None:
    app.get("button_group")[0].set_value("clearly").run()
    app.text_input[0].set_value(REASON).run()
    clock.now += 3
    press(app, "B is better")
    assert app.text_input[0].value == ""
    press(app, "Undo")
    assert "“B is better”" in said(app)
    assert app.text_input[0].value == REASON
    assert app.get("button_group")[0].value == "clearly"


def test_a_change_of_question_is_shown(app: AppTest, clock: Clock) -> None:
    assert "tandem-changed" not in said(app)
    clock.now += 3
    press(app, "Tie")
    assert "tandem-changed" in said(app)


def test_differences_are_marked_until_pressed_again(app: AppTest) -> None:
    def texts() -> str:
        return next(
            one.proto.body for one in app.get("html") if 'class="tandem-sides"' in one.proto.body
        )

    before = texts()
    press(app, "Differences")
    assert "<mark>" in texts()
    assert re.sub("</?mark>", "", texts()) == before
    press(app, "Differences")
    assert texts() == before


@pytest.mark.parametrize(("sure", "stored_as"), [("a little", 0.5), ("clearly", 1.0)])
def test_confidence_comment_and_time_are_kept(
    app: AppTest, clock: Clock, store: Store, sure: str, stored_as: float
) -> None:
    app.get("button_group")[0].set_value(sure).run()
    app.text_input[0].set_value("  because  ").run()
    clock.now += 12.5
    press(app, "A is better")
    kept = store.connection.rows("SELECT confidence, comment, seconds FROM judgements")
    assert kept == [(stored_as, "because", 12.5)]


def test_one_pair_is_asked_for_each_attribute_with_the_same_sides(
    app: AppTest, clock: Clock, tmp_path: Path
) -> None:
    for _ in range(6):
        clock.now += 3
        press(app, "Skip")
    votes = stored(tmp_path / "store.sqlite3", "Ada")
    assert [vote.attribute for vote in votes] == ["coherence", "fluency"] * 3
    assert [(one.text_a, one.text_b) for one in votes[::2]] == [
        (one.text_a, one.text_b) for one in votes[1::2]
    ]


def test_when_all_is_answered_it_says_thank_you_and_takes_back(
    app: AppTest, clock: Clock, tmp_path: Path
) -> None:
    for _ in range(18):
        clock.now += 3
        press(app, "Tie")
    assert app.title[0].value == "All done. Thank you!"
    assert len(answers(tmp_path)) == 18
    press(app, "Undo the last answer")
    assert len(answers(tmp_path)) == 17
    assert "18 of 18" in next(
        one.proto.body for one in app.get("html") if "tandem-heading" in one.proto.body
    )


def test_a_data_set_that_is_deleted_meanwhile_is_said_once(
    app: AppTest, clock: Clock, store: Store
) -> None:
    study.fill(store, dataset="another")
    dataset_decisions.delete(store, "Grace", study.DATASET)
    clock.now += 3
    press(app, "A is better")
    shown = " ".join(one.proto.body for one in app.get("html"))
    assert f"data set {study.DATASET} here" in shown
    assert "Not saved: " in shown
    assert "press again" not in shown
    assert not [button for button in app.button if button.label == "A is better"]


@pytest.fixture
def formatted(app: AppTest, tmp_path: Path) -> AppTest:
    """The same app, whose texts are Markdown."""
    with Store(tmp_path / "store.sqlite3") as store:
        dataset_decisions.set_text_format(store, "Eve", study.DATASET, TextFormat.MARKDOWN)
    return app.run()


def formats(tmp_path: Path) -> list[str]:
    """How the texts of each answer were shown."""
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as db:
        return [
            text_format
            for (text_format,) in db.execute(
                "SELECT text_format FROM judgements WHERE campaign IS NOT NULL ORDER BY id"
            )
        ]


def test_a_vote_records_how_its_texts_were_shown(
    formatted: AppTest, clock: Clock, tmp_path: Path
) -> None:
    def is_rich() -> bool:
        return any(
            'class="tandem-text tandem-rich"' in one.proto.body for one in formatted.get("html")
        )

    assert is_rich()
    for label in ("", "As written", "As written"):
        if label:
            press(formatted, label)
        clock.now += 3
        press(formatted, "Tie")
    assert formats(tmp_path) == ["markdown", "plain", "markdown"]
    press(formatted, "As written")
    assert not is_rich()  # it stays so for the next questions


def test_plain_texts_have_no_other_way(app: AppTest, clock: Clock, tmp_path: Path) -> None:
    assert "As written" not in [button.label for button in app.button]
    clock.now += 3
    press(app, "Tie")
    assert formats(tmp_path) == ["plain"]
