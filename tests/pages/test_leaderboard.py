"""The leaderboard offers what its judgements allow, and says who is tied with whom."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_by_attribute
from core.findings.leaderboard.rating_input import NEEDS
from core.importing import importer
from core.judging.registry import make
from core.labels import DEBIASING
from core.pairing import STRATEGIES, planning
from core.pairing.planning import Request
from core.records import Answer, Dataset, Outcome
from core.runs import execution
from core.settings import list_settings
from core.similarity import METRICS, make_metric
from core.statistics import RATINGS
from core.store import ChosenGenerations, Store
from pages.components.leaderboard import closer
from pages.components.leaderboard.choices import POSITION
from tests.pages.beginning import said
from tests.pages.drawn import choose, draw, find, labels, run, write
from tests.pages.labels import RATING_METHOD
from tests.pages.sentences import find_sentence, read_figures
from tests.pages.shown_tables import table
from tests.study import DATASET, campaign_asking, compare, fill, judge, measure


@pytest.fixture
def texts(store: Store) -> Store:
    fill(store, items=10, samples=2)
    return store


def ask(store: Store, spec: str = "baseline:longer", strategy: str = "full", **more: Any) -> None:
    judge = make(spec)
    request = planning.check_request(store, Request(DATASET, strategy, **more))
    execution.execute(store, planning.enqueue(store, judge.spec, request), by=judge)


@pytest.fixture
def judged(texts: Store) -> Store:
    """`longer` has compared each pair in both orders."""
    ask(texts)
    return texts


def load(store: Store, lines: list[str]) -> None:
    file = store.path.with_name("votes.csv")
    file.write_text("\n".join(lines))
    importer.load(store, [file], Dataset("d"))


def options(app: AppTest, label: str) -> list[str]:
    return list(find(app.selectbox, label).options)


def allowed(*traits: str) -> set[str]:
    """What decisions with these traits can be rated by."""
    return {"chosen by the data"} | {
        how.label
        for how in RATINGS.values()
        if how.outcome != "probabilities"
        if {NEEDS[name].requires for name in how.needs} <= {*traits, None}
    }


def choices(app: AppTest) -> list[str]:
    """Those of the method that is chosen."""
    others = {
        "Data set",
        "Judges",
        "Attribute",
        RATING_METHOD,
        "Read the comparisons of",
        "Outcome",
    }
    return [label for label in labels(app.selectbox) if label not in others]


def test_what_makes_no_sense_is_not_offered(texts: Store) -> None:
    """`longer` decides without probabilities, in one order; nothing is sorted, nothing measured."""
    ask(texts, strategy="ring")
    app = draw("leaderboard")
    assert set(options(app, RATING_METHOD)) == allowed("texts")
    assert "sep-Elo" not in options(app, RATING_METHOD)
    assert "Position bias" not in choices(app)
    assert "win-ratio|" in app.code[-1].value, "every system met the others equally often"
    choose(app, RATING_METHOD, "bradley-terry")
    ties = list_settings(RankSettings)["ties"].choices
    assert options(app, "Ties") == [ties[name] for name in ("half", "drop", "model")]
    corrections = [POSITION[label] for label in options(app, "Position bias")]
    assert corrections == [{}, {"position_term": True}]


def test_what_runs_and_measurements_make_possible(judged: Store) -> None:
    ask(judged, strategy="pairs-greedy")
    measure(judged, ChosenGenerations(DATASET), make_metric("rouge1"))
    app = draw("leaderboard")
    assert set(options(app, RATING_METHOD)) == allowed("texts", "sorts", "metrics")
    assert {"sep-Elo", "PairS rankings"} <= set(options(app, RATING_METHOD))
    assert options(app, "Position bias") == [DEBIASING["none"], DEBIASING["swap"]]
    for method, offered in {
        "pairs": ["Ranks hold"],
        "sep-elo": ["Similarity metric", "Ties", "Position bias", "Ranks hold"],
    }.items():
        choose(app, RATING_METHOD, method)
        assert choices(app) == offered
    assert options(app, "Similarity metric") == [METRICS["rouge1"].label]
    assert "gamma leads" in said(app)
    views = find(app.button_group, "View").options
    assert [title.split()[0] for title in views] == ["Changes", "Wins", "Head", "Elo"]


def test_re_weighting_is_offered_where_some_were_likelier_to_be_asked(texts: Store) -> None:
    ask(texts, "baseline:random", drawn=(("i0", 0.5), ("i2", 0.5)))
    assert not draw("leaderboard").toggle, "as likely as each other"
    ask(texts, drawn=(("i0", 0.25), ("i2", 1.0)))
    app = draw("leaderboard")
    choose(app, "Judges", "baseline:random")
    assert not app.toggle, "not for another judge"
    choose(app, "Judges", "baseline:longer")
    [switch] = app.toggle
    assert switch.label == list_settings(RankSettings)["reweight"].label
    assert "reweight:" not in app.code[-1].value
    switch.set_value(True)
    run(app)
    assert "|reweight:1/inclusion|" in app.code[-1].value
    # (6 * 4 + 6)^2 / (6 * 16 + 6) = 8.8
    assert read_figures(said(app), "effective", "size") == ["9", "12"]
    choose(app, RATING_METHOD, "elo")
    assert not app.toggle


def test_answers_of_one_run_are_chosen_under_more(texts: Store) -> None:
    ask(texts, strategy="symmetric", budget=2)
    assert not draw("leaderboard").multiselect, "one run leaves nothing to choose"
    ask(texts, seed=1)
    app = draw("leaderboard")
    names = {choice.label: list(choice.options) for choice in app.multiselect}
    assert names == {
        "Runs": ["2 · baseline:longer", "1 · baseline:longer"],
        "Pairs": [STRATEGIES["full"].label, STRATEGIES["symmetric"].label],
    }
    assert "are pooled: 1, 2." in said(app)
    app.multiselect[0].select("1 · baseline:longer")
    run(app)
    assert "pooled" not in said(app)
    assert "|runs:1|" in said(app)


def test_people_and_judges_stand_side_by_side_while_votes_are_few(judged: Store) -> None:
    """A leader from two votes was "magpie leads with 100%"."""
    who, campaign = judge(judged), campaign_asking(judged)
    for item, outcome in (("i0", Outcome.A), ("i1", Outcome.B)):
        comparison = compare(judged, item, "alpha", "beta")
        judged.judgements.add_vote(campaign, comparison, who, Answer(outcome))
    app = draw("leaderboard")
    few = read_figures(said(app), "People: ", "votes", "items", "leader")
    assert few == ["2", "2", "30", "10"]
    share, *_ = read_figures(said(app), "Judges: gamma leads")
    assert share == "100%", "the longest text, always"
    assert find(app.button_group, "Whose answers").value == "Both"
    write(app, "button_group", "Whose answers", "People")
    assert "leads" not in said(app)
    write(app, "button_group", "Whose answers", "Judges")
    share, *_ = read_figures(said(app), "gamma leads")
    assert share == "100%"
    assert "human vote" not in find_sentence(said(app), "gamma leads")


def test_a_record_opens_to_the_texts_and_to_who_answered(judged: Store) -> None:
    app = draw("leaderboard")
    choose(app, "Read the comparisons of", "alpha")
    choose(app, "Against", "gamma")
    assert read_figures(said(app), "pairs", "judged") == ["10"]
    *_, pairs, answers = [frame.value for frame in app.dataframe]
    assert pairs[["item", "alpha", "answers", "by"]].iloc[0].tolist() == [
        "i0", "losses: 2", 2, "baseline:longer",
    ]  # fmt: skip
    assert "alpha-0-0" in said(app)
    assert "gamma-0-0 gamma-0-0 gamma-0-0" in said(app)
    assert answers["prefers"].tolist() == ["gamma", "gamma"]
    assert sorted(answers["shown first"]) == ["alpha", "gamma"]


def test_the_votes_that_decide_are_read_with_their_texts(store: Store) -> None:
    """x beats y on 21 of 40 items, so that y leads without three of these votes."""
    head = "item,context,system_a,system_b,text_a,text_b,winner,judge"
    votes = [f"i{i},Ask {i},x,y,of x {i},of y {i},{'ab'[i >= 21]},Ada" for i in range(40)]
    load(store, [head, *votes])
    app = draw("leaderboard")
    assert read_figures(said(app), "Without", ", y ", "lead") == ["3", "40"]
    write(app, "button_group", "View", "Votes that decide")
    listed, answers = [frame.value for frame in app.dataframe]
    assert listed["chosen"].tolist() == ["x"] * 3
    assert listed["judge"].tolist() == ["Ada"] * 3
    number = int(listed["item"].iloc[0].removeprefix("i"))
    assert number < 21
    assert f"of x {number}" in said(app)
    assert answers["prefers"].tolist() == ["x"]


def test_strengths_without_a_bound_are_told_otherwise_on_request(judged: Store) -> None:
    """The longest text wins always, the shortest never."""
    app = draw("leaderboard")
    assert not app.toggle, "a share has its bounds"
    assert "everything" not in said(app)
    choose(app, RATING_METHOD, "bradley-terry")
    assert find_sentence(said(app), "systems", "won", "lost everything")
    [beside] = app.toggle
    assert "regularised" in beside.label
    assert "regularised" not in table(app, "Ratings")
    beside.set_value(True)
    run(app)
    ratings = table(app, "Ratings").set_index("system")
    rating, regularised = (
        ratings[name].str.replace(",", "").astype(float) for name in ("rating", "regularised")
    )
    assert regularised["gamma"] < rating["gamma"]
    assert regularised["alpha"] > rating["alpha"]
    assert "|regularise:half|" in app.code[-1].value


def test_a_clicked_bar_opens_its_texts(judged: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clicks: dict[str, dict[str, str]] = {}
    monkeypatch.setattr(closer, "show_picture", lambda name, *_, **__: clicks.get(name, {}))
    app = draw("leaderboard")
    clicks["records"] = {"system": "alpha", "kind": "losses"}
    run(app)
    assert find(app.selectbox, "Read the comparisons of").value == "alpha"
    assert find(app.selectbox, "Outcome").value == "losses"
    assert read_figures(said(app), "pairs", " judged.") == ["20"]
    clicks["record"] = {"opponent": "gamma", "kind": "wins"}
    run(app)
    assert find(app.selectbox, "Against").value == "gamma"
    assert find_sentence(said(app), "None", "outcome “wins”")
    assert " judged." not in said(app)
    reloaded = draw("leaderboard", **app.query_params)
    assert find(reloaded.selectbox, "Against").value == "gamma"
    choose(app, "Outcome", "")
    assert find(app.selectbox, "Against").value == "gamma", "the same click chooses once"
    assert "gamma-0-0 gamma-0-0 gamma-0-0" in said(app)
    choose(app, "Read the comparisons of", "")
    assert re.search(r"</b><br>60 judgements\. .*95%", said(app))


def test_ranks_that_hold_on_all_attributes_at_once(store: Store) -> None:
    """As `rank --by attribute` has them: all together, and on each."""
    fill(store, items=10, attributes=("coherence", "fluency"))
    ask(store, strategy=Request(DATASET).strategy)
    mine = Selection(DATASET, judges=("baseline:longer",))
    rows = rank_by_attribute(store, mine, RankSettings("win-ratio")).rows
    app = draw("leaderboard")
    write(app, "button_group", "View", "Attributes")
    ranks = table(app, "Ranks by attribute").set_index("system")
    assert list(ranks) == ["all together", "coherence", "fluency"]
    of_gamma = rows[rows["system"] == "gamma"].iloc[0]
    ends = dict.fromkeys([str(of_gamma["rank_low"]), str(of_gamma["rank_high"])])
    assert ranks.loc["gamma", "all together"] == " to ".join(ends)
    assert read_figures(said(app), "at once", "every attribute") == ["95%"]
    assert ", by attribute</b>" in said(app)


def test_where_nobody_met_everybody_the_baseline_is_to_be_chosen(store: Store) -> None:
    """More votes or another judge would not help; the lengths come from the file."""
    rows = ["item,left,right,winner,judge,length_a,length_b"]
    rows += [f"i{i},{a},{b},{'ab'[i % 3 == 0]},Ada,{100 + i},{200 - i}"
             for i in range(20) for a, b in ("xy", "yz", "xz")]  # fmt: skip
    load(store, rows)
    app = draw("leaderboard")
    choose(app, RATING_METHOD, "length-controlled")
    assert find_sentence(said(app), "baseline above")
    assert not app.main.get("page_link")
    choose(app, "Baseline", "y")
    assert "baseline above" not in said(app)
    assert set(table(app, "Ratings")["system"]) == {"x", "y", "z"}
