"""The leaderboard offers what its judgements allow, and says who is tied with whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_by_attribute
from core.findings.leaderboard.needs import NEEDS
from core.importing import importer
from core.judging.registry import make
from core.labels import DEBIASING
from core.pairing import STRATEGIES, planning
from core.pairing.planning import Request
from core.records import Answer, Dataset, Outcome
from core.runs import execution
from core.settings import list_settings
from core.similarity.metrics import METRICS, make_metric
from core.statistics import EACH_JUDGE, RATINGS
from core.store import ChosenGenerations, Store
from pages.components.leaderboard import records
from pages.components.leaderboard.choices import POSITION
from tests.pages.labels import RATING_METHOD
from tests.pages.sentences import find_sentence, read_figures
from tests.pages.shown_tables import table
from tests.paths import ROOT
from tests.study import DATASET, campaign_asking, compare, fill, judge, measure

Visit = Callable[[], AppTest]


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visit:
    def visit() -> AppTest:
        monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        return app.switch_page("pages/leaderboard.py").run()

    return visit


def judged(path: Path, spec: str, strategy: str, **more: Any) -> None:
    with Store(path / "store.sqlite3") as store:
        fill(store, items=10, samples=2)
        judge = make(spec)
        request = planning.check_request(store, Request(DATASET, strategy, **more))
        execution.execute(store, planning.enqueue(store, judge.spec, request), by=judge)


def box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def options(app: AppTest, label: str) -> list[str]:
    return list(box(app, label).options)


def allowed(*traits: str) -> set[str]:
    """What decisions with these traits can be rated by."""
    return {"chosen by the data"} | {
        how.label
        for how in RATINGS.values()
        if how.outcome not in ("probabilities", EACH_JUDGE)
        if {NEEDS[name].requires for name in how.needs} <= {*traits, None}
    }


def labels(app: AppTest) -> list[str]:
    """The choices of the method that is chosen."""
    others = (
        "Data set",
        "Judges",
        "Attribute",
        RATING_METHOD,
        "Read the comparisons of",
        "Outcome",
    )
    return [one.label for one in app.selectbox if one.label not in others]


def views(app: AppTest) -> list[str]:
    """What lies behind the board."""
    [choice] = [one for one in app.button_group if one.label == "View"]
    return list(choice.options)


def said(app: AppTest) -> str:
    return " ".join(
        [*(html.proto.body for html in app.get("html")), *(code.value for code in app.code)]
    )


def test_what_makes_no_sense_is_not_offered(tmp_path: Path, visit: Visit) -> None:
    """`longer` decides without probabilities, in one order; nothing is sorted, nothing measured."""
    judged(tmp_path, "baseline:longer", "ring")
    app = visit()
    assert not app.exception
    assert set(options(app, RATING_METHOD)) == allowed("texts")
    assert "sep-Elo" not in options(app, RATING_METHOD)
    assert "Position bias" not in labels(app)
    assert "win-ratio|" in app.code[-1].value, "every system met the others equally often"
    box(app, RATING_METHOD).set_value("bradley-terry").run()
    ties = list_settings(RankSettings)["ties"].choices
    assert options(app, "Ties") == [ties[name] for name in ("half", "drop", "model")]
    corrections = [POSITION[label] for label in options(app, "Position bias")]
    assert corrections == [{}, {"position_term": True}]


def test_what_runs_and_measurements_make_possible(tmp_path: Path, visit: Visit) -> None:
    judged(tmp_path, "baseline:longer", "full")
    judged(tmp_path, "baseline:longer", "pairs-greedy")
    with Store(tmp_path / "store.sqlite3") as store:
        measure(store, ChosenGenerations(DATASET), make_metric("rouge1"))
    app = visit()
    assert set(options(app, RATING_METHOD)) == allowed("texts", "sorts", "metrics")
    assert {"sep-Elo", "PairS rankings"} <= set(options(app, RATING_METHOD))
    assert options(app, "Position bias") == [DEBIASING["none"], DEBIASING["swap"]]
    for method, choices in {
        "pairs": ["Ranks hold"],
        "sep-elo": ["Similarity metric", "Ties", "Position bias", "Ranks hold"],
    }.items():
        box(app, RATING_METHOD).set_value(method).run()
        assert not app.exception
        assert labels(app) == choices
    assert options(app, "Similarity metric") == [METRICS["rouge1"].label]
    assert "gamma leads" in said(app)
    assert [title.split()[0] for title in views(app)] == ["Changes", "Wins", "Head", "Elo"]


def test_re_weighting_is_offered_where_some_were_likelier_to_be_asked(
    tmp_path: Path, visit: Visit
) -> None:
    judged(tmp_path, "baseline:random", "full", drawn=(("i0", 0.5), ("i2", 0.5)))
    assert not visit().toggle, "as likely as each other"
    judged(tmp_path, "baseline:longer", "full", drawn=(("i0", 0.25), ("i2", 1.0)))
    app = visit()
    box(app, "Judges").set_value("baseline:random").run()
    assert not app.toggle, "not for another judge"
    box(app, "Judges").set_value("baseline:longer").run()
    [switch] = app.toggle
    assert switch.label == list_settings(RankSettings)["reweight"].label
    assert "reweight:" not in app.code[-1].value
    switch.set_value(True).run()
    assert not app.exception
    assert "|reweight:1/inclusion|" in app.code[-1].value
    # (6 * 4 + 6)^2 / (6 * 16 + 6) = 8.8
    assert read_figures(said(app), "effective", "size") == ["9", "12"]
    box(app, RATING_METHOD).set_value("elo").run()
    assert not app.exception
    assert not app.toggle


def test_answers_of_one_run_are_chosen_under_more(tmp_path: Path, visit: Visit) -> None:
    judged(tmp_path, "baseline:longer", "symmetric", budget=2)
    assert not visit().multiselect, "one run leaves nothing to choose"
    judged(tmp_path, "baseline:longer", "full", seed=1)
    app = visit()
    names = {choice.label: list(choice.options) for choice in app.multiselect}
    assert names == {
        "Runs": ["2 · baseline:longer", "1 · baseline:longer"],
        "Pairs": [STRATEGIES["full"].label, STRATEGIES["symmetric"].label],
    }
    assert "are pooled: 1, 2." in said(app)
    app.multiselect[0].select("1 · baseline:longer").run()
    assert not app.exception
    assert "pooled" not in said(app)
    assert "|runs:1|" in said(app)


def voted(path: Path, votes: Sequence[Outcome]) -> None:
    """What Ada says of alpha and beta, of an item each."""
    with Store(path / "store.sqlite3") as store:
        who, campaign = judge(store), campaign_asking(store)
        for i, outcome in enumerate(votes):
            comparison = compare(store, f"i{i}", "alpha", "beta")
            store.judgements.add_vote(campaign, comparison, who, Answer(outcome))


def test_people_and_judges_stand_side_by_side_while_votes_are_few(
    tmp_path: Path, visit: Visit
) -> None:
    """A leader from two votes was "magpie leads with 100%"."""
    judged(tmp_path, "baseline:longer", "full")
    voted(tmp_path, (Outcome.A, Outcome.B))
    app = visit()
    assert not app.exception
    few = read_figures(said(app), "People: ", "votes", "items", "leader")
    assert few == ["2", "2", "30", "10"]
    share, *_ = read_figures(said(app), "Judges: gamma leads")
    assert share == "100%", "the longest text, always"
    [whose] = [one for one in app.button_group if one.label == "Whose answers"]
    assert whose.value == "Both"
    whose.set_value("People").run()
    assert not app.exception
    assert "leads" not in said(app)
    [whose] = [one for one in app.button_group if one.label == "Whose answers"]
    whose.set_value("Judges").run()
    share, *_ = read_figures(said(app), "gamma leads")
    assert share == "100%"
    assert "human vote" not in find_sentence(said(app), "gamma leads")


def test_a_record_opens_to_the_texts_and_to_who_answered(tmp_path: Path, visit: Visit) -> None:
    judged(tmp_path, "baseline:longer", "full")
    app = visit()
    box(app, "Read the comparisons of").set_value("alpha").run()
    box(app, "Against").set_value("gamma").run()
    assert not app.exception
    assert read_figures(said(app), "pairs", "judged") == ["10"]
    *_, pairs, answers = [frame.value for frame in app.dataframe]
    assert pairs[["item", "alpha", "answers", "by"]].iloc[0].tolist() == [
        "i0", "losses: 2", 2, "baseline:longer",
    ]  # fmt: skip
    assert "alpha-0-0" in said(app)
    assert "gamma-0-0 gamma-0-0 gamma-0-0" in said(app)
    assert answers["prefers"].tolist() == ["gamma", "gamma"]
    assert sorted(answers["shown first"]) == ["alpha", "gamma"]


def test_the_votes_that_decide_are_read_with_their_texts(tmp_path: Path, visit: Visit) -> None:
    """x beats y on 21 of 40 items, so that y leads without three of these votes."""
    lines = ["item,context,system_a,system_b,text_a,text_b,winner,judge"]
    for i in range(40):
        winner = "a" if i < 21 else "b"
        lines.append(f"i{i},Ask {i},x,y,of x {i},of y {i},{winner},Ada")
    (tmp_path / "votes.csv").write_text("\n".join(lines))
    with Store(tmp_path / "store.sqlite3") as store:
        importer.load(store, [tmp_path / "votes.csv"], Dataset("d"))
    app = visit()
    assert read_figures(said(app), "Without", ", y ", "lead") == ["3", "40"]
    [view] = [one for one in app.button_group if one.label == "View"]
    view.set_value("Votes that decide").run()
    assert not app.exception
    listed, answers = [frame.value for frame in app.dataframe]
    assert listed["chosen"].tolist() == ["x"] * 3
    assert listed["judge"].tolist() == ["Ada"] * 3
    number = int(listed["item"].iloc[0].removeprefix("i"))
    assert number < 21
    assert f"of x {number}" in said(app)
    assert answers["prefers"].tolist() == ["x"]


def test_strengths_without_a_bound_are_told_otherwise_on_request(
    tmp_path: Path, visit: Visit
) -> None:
    """The longest text wins always, the shortest never."""
    judged(tmp_path, "baseline:longer", "full")
    app = visit()
    assert not app.toggle, "a share has its bounds"
    assert "everything" not in said(app)
    box(app, RATING_METHOD).set_value("bradley-terry").run()
    assert find_sentence(said(app), "systems", "won", "lost everything")
    [beside] = app.toggle
    assert "regularised" in beside.label
    assert "regularised" not in table(app, "Ratings")
    beside.set_value(True).run()
    assert not app.exception
    ratings = table(app, "Ratings").set_index("system")
    rating, regularised = (
        ratings[name].str.replace(",", "").astype(float) for name in ("rating", "regularised")
    )
    assert regularised["gamma"] < rating["gamma"]
    assert regularised["alpha"] > rating["alpha"]
    assert "|regularise:half|" in app.code[-1].value


def test_a_bar_that_is_clicked_opens_its_texts(
    tmp_path: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(tmp_path, "baseline:longer", "full")
    clicks: dict[str, dict[str, str]] = {}
    monkeypatch.setattr(records, "show_picture", lambda name, *_, **__: clicks.get(name, {}))
    app = visit()
    clicks["records"] = {"system": "alpha", "kind": "losses"}
    app.run()
    assert app.selectbox(key=records.SYSTEM).value == "alpha"
    assert box(app, "Outcome").value == "losses"
    assert read_figures(said(app), "pairs", " judged.") == ["20"]
    clicks["record"] = {"opponent": "gamma", "kind": "wins"}
    app.run()
    assert box(app, "Against").value == "gamma"
    assert find_sentence(said(app), "None", "outcome “wins”")
    assert " judged." not in said(app)
    box(app, "Outcome").set_value("any outcome").run()
    assert not app.exception
    assert box(app, "Against").value == "gamma", "the same click chooses once"
    assert "gamma-0-0 gamma-0-0 gamma-0-0" in said(app)
    box(app, "Read the comparisons of").set_value("choose a system").run()
    assert not app.exception
    assert re.search(r"</b><br>60 judgements\. 95%", said(app))


def test_ranks_that_hold_on_all_attributes_at_once(tmp_path: Path, visit: Visit) -> None:
    """As `rank --by attribute` has them: all together, and on each."""
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=10, attributes=("coherence", "fluency"))
        spec = make("baseline:longer")
        execution.execute(store, planning.enqueue(store, spec.spec, Request(DATASET)), by=spec)
        mine = Selection(DATASET, judges=("baseline:longer",))
        rows = rank_by_attribute(store, mine, RankSettings("win-ratio")).rows
    app = visit()
    [view] = [one for one in app.button_group if one.label == "View"]
    view.set_value("Attributes").run()
    assert not app.exception
    ranks = table(app, "Ranks by attribute").set_index("system")
    assert list(ranks) == ["all together", "coherence", "fluency"]
    of_gamma = rows[rows["system"] == "gamma"].iloc[0]
    low, high = of_gamma["rank_low"], of_gamma["rank_high"]
    assert ranks.loc["gamma", "all together"] == (str(low) if low == high else f"{low} to {high}")
    assert read_figures(said(app), "at once", "every attribute") == ["95%"]
    assert ", by attribute</b>" in said(app)


def test_where_nobody_met_everybody_the_baseline_is_to_be_chosen(
    tmp_path: Path, visit: Visit
) -> None:
    """More votes or another judge would not help; the lengths come from the file."""
    rows = ["item,left,right,winner,judge,length_a,length_b"]
    rows += [f"i{i},{a},{b},{'ab'[i % 3 == 0]},Ada,{100 + i},{200 - i}"
             for i in range(20) for a, b in ("xy", "yz", "xz")]  # fmt: skip
    (tmp_path / "votes.csv").write_text("\n".join(rows))
    with Store(tmp_path / "store.sqlite3") as store:
        importer.load(store, [tmp_path / "votes.csv"], Dataset("d"))
    app = visit()
    box(app, RATING_METHOD).set_value("length-controlled").run()
    assert not app.exception
    assert find_sentence(said(app), "baseline above")
    assert not app.main.get("page_link")
    box(app, "Baseline").set_value("y").run()
    assert not app.exception
    assert "baseline above" not in said(app)
    assert set(table(app, "Ratings")["system"]) == {"x", "y", "z"}
