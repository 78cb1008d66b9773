"""The Together page: who is better by votes and judges, whom to ask; and how far judges are trusted."""

from __future__ import annotations

import re

import pytest

from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.plan import WAYS, PlanSettings, plan
from core.store import Store
from tests.findings.combine.studies import ITEMS, SYSTEMS, begin, said, voted
from tests.pages.drawn import draw, find, run, words
from tests.pages.shown_links import list_destinations
from tests.pages.shown_tables import table
from tests.study import DATASET, fill

TITLE = "Systems by votes, by judges, and by both"


@pytest.fixture
def empty(store: Store) -> Store:
    """Texts alone."""
    fill(store, items=ITEMS, systems=SYSTEMS)
    return store


@pytest.fixture
def begun(store: Store) -> Store:
    begin(store)
    return store


def test_it_says_what_the_command_says(begun: Store) -> None:
    result = combine(begun, Selection(DATASET), CombineSettings())
    app = draw("together")
    for sentence in result.facts["sentences"]:
        assert sentence in words(app)
    shown = table(app, TITLE)
    assert shown["system"].tolist() == result.rows["system"].tolist()
    assert shown["voted pairs"].tolist() == [f"{votes:,}" for votes in result.rows["votes"]]
    assert result.signature in [code.value for code in app.code]


def test_without_votes_judges_speak_and_nothing_is_called_right_or_planned(empty: Store) -> None:
    said(empty)
    app = draw("together")
    assert re.search(r"\bgamma leads\b(.|\n)*judges alone", words(app))
    assert "95% intervals: Wilson" in words(app)  # those of a win ratio
    assert "on 10 items" in words(app)
    assert list_destinations(app)[:2] == ["annotate", "campaigns"]
    assert "Once 10 items" in words(draw("plan"))
    assert not draw("accuracy").get("arrow_data_frame")


def test_without_judges_votes_speak_and_without_either_it_says_what_to_do(empty: Store) -> None:
    app = draw("together")
    assert "No judgements" in words(app)
    assert list_destinations(app) == ["judge", "annotate"]
    voted(empty)
    app = draw("together")
    assert re.search(r"\bgamma leads\b(.|\n)*votes alone", words(app))
    assert "No judge" in words(app)
    assert list_destinations(app)[0] == "judge"


def test_too_few_votes_are_counted(store: Store) -> None:
    begin(store, items=4)
    assert "takes 10" in words(draw("together"))


def test_judges_are_held_against_votes_and_against_themselves(begun: Store) -> None:
    """One is left out on request."""
    said(begun, "another", noise=3)
    app = draw("together")
    assert re.search(r"\b45 human votes\b.*\b2 judges\b", words(app))
    [judges] = app.multiselect
    judges.set_value(["model"])
    assert re.search(r"\b45 human votes\b.*\b1 judge,", words(run(app)))


def test_a_plan_says_how_many_votes_and_leads_to_a_campaign(begun: Store) -> None:
    app = draw("plan")
    result = plan(begun, Selection(DATASET, judges=("llm",)), PlanSettings())
    assert result.facts["sentences"][0] in words(app)
    collected = table(app, "What tells the ranks apart")["what is collected"].tolist()
    assert collected == [WAYS[way] for way in result.tables["needed"]["way"]]
    next(button for button in app.button if button.key == "ask next").click()
    assert find(run(app).selectbox, "Pairs").value == "informative"
