"""The Together page: who is better by votes and judges, how far judges can be trusted, whom to ask."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.plan import PlanSettings, plan
from core.findings.plan.columns import WAYS
from core.store import Store
from tests.findings.combine.studies import (
    ITEMS,
    SYSTEMS,
    add,
    begin,
    points,
    said,
    vote,
    voted,
)
from tests.pages.sentences import find_sentence, read_figures
from tests.pages.shown_links import list_destinations
from tests.pages.shown_tables import table
from tests.paths import ROOT
from tests.study import DATASET, fill

Visit = Callable[[], AppTest]
TITLE = "Systems by votes, by judges, and by both"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
    return Store(tmp_path / "store.sqlite3")


def visit() -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app = app.switch_page("pages/together.py").run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html"))


def test_it_says_what_the_command_says(store: Store) -> None:
    begin(store)
    result = combine(store, Selection(DATASET), CombineSettings())
    app = visit()
    for sentence in result.facts["sentences"]:
        assert sentence in words(app)
    shown = table(app, TITLE)
    assert shown["system"].tolist() == result.rows["system"].tolist()
    assert shown["voted pairs"].tolist() == [f"{votes:,}" for votes in result.rows["votes"]]
    assert result.signature in [code.value for code in app.code]


def test_without_votes_judges_speak_and_the_page_says_how_many_it_takes(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    app = visit()
    assert re.search(r"judges alone.*\bgamma leads\b", words(app))
    assert "95% intervals: Wilson" in words(app)  # those of a win ratio
    assert "on 10 items" in words(app)
    assert list_destinations(app)[:2] == ["annotate", "campaigns"]


def test_without_judges_votes_speak(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    voted(store)
    app = visit()
    assert re.search(r"votes alone.*\bgamma leads\b", words(app))
    assert "No judge" in words(app)
    assert list_destinations(app)[0] == "judge"


def test_without_either_it_says_what_to_do(store: Store) -> None:
    fill(store, items=2)
    app = visit()
    assert "No judgements" in words(app)
    assert list_destinations(app) == ["judge", "annotate"]


def test_a_judge_is_left_out_on_request(store: Store) -> None:
    begin(store)
    said(store, "another", noise=3)
    app = visit()
    assert re.search(r"\b45 human votes\b.*\b2 judges\b", words(app))
    [judges] = app.multiselect
    judges.set_value(["model"]).run()
    assert not app.exception
    assert re.search(r"\b45 human votes\b.*\b1 judge,", words(app))


def test_too_few_votes_are_counted(store: Store) -> None:
    begin(store, items=4)
    app = visit()
    assert "takes 10" in words(app)


def test_judges_are_held_against_votes_and_against_themselves(store: Store) -> None:
    begin(store)
    said(store, "another", noise=3)
    app = visit()
    shown = table(app, "How far each judge can be trusted").set_index("judge")
    assert set(shown.index) == {"model", "another"}
    assert shown["right (95%)"].str.match(r"\d+% \(\d+ to \d+\)").all()
    assert (shown["an annotator's place"] == "cannot tell").all()
    [view] = [one for one in app.segmented_control if one.label == "Look closer"]
    view.set_value("An annotator's place").run()
    assert not app.exception
    assert "3 annotators with 30 items" in words(app)
    view.set_value("Calibration").run()
    assert not app.exception
    for judge in shown.index:
        _points, _by_chance, items = read_figures(words(app), f"{judge}: ", "off", "people")
        assert int(items) <= ITEMS
    view.set_value("Jury").run()
    assert not app.exception
    assert read_figures(words(app), "jury", "is right")
    assert any("jury|judges:llm+human|" in code.value for code in app.code)


def test_without_votes_no_judge_is_called_right(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    app = visit()
    assert find_sentence(words(app), "human votes", "nobody can")
    shown = table(app, "How far each judge can be trusted")
    assert not [name for name in shown if name.startswith("right")]
    assert "an annotator's place" not in shown


def test_votes_that_are_all_ties_are_not_called_none(store: Store) -> None:
    begin(store, items=0)
    add(store, [vote(item, *SYSTEMS[:2], "Ada", points(0.5)) for item in range(12)])
    shown = words(visit())
    assert find_sentence(shown, "No vote", "winner")
    assert "nobody can" not in shown


def test_a_plan_says_how_many_votes_and_leads_to_a_campaign(store: Store) -> None:
    begin(store)
    app = visit()
    chosen = Selection(DATASET, judges=("llm",))
    result = plan(store, chosen, PlanSettings())
    assert result.facts["sentences"][0] in words(app)
    shown = table(app, "What tells the ranks apart")
    collected = shown["what is collected"].tolist()
    assert collected == [WAYS[way] for way in result.tables["needed"]["way"]]
    [button] = [button for button in app.button if button.key == "ask next"]
    button.click().run()
    assert not app.exception
    [pairs] = [box for box in app.selectbox if box.label == "Pairs"]
    assert pairs.value == "informative"


def test_without_votes_no_plan_is_made_up(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    assert "Once 10 items" in words(visit())


def test_copies_have_a_discrimination_without_an_interval(store: Store) -> None:
    begin(store)
    said(store, "other")  # the answers of `model`, whose name is as long
    shown = table(visit(), "How far each judge can be trusted")
    assert "1.00" in shown.to_numpy().ravel().tolist()
