"""People and judges combined, on a small study counted by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from core import campaigns
from core.campaigns import Design, enrol, open_campaign
from core.findings import chart as together_chart
from core.findings.combine import CombineSettings, combine
from core.findings.combine.answers import load_answered
from core.findings.judgements import COLLECTING, Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.pairing import Choice, open_default, planning
from core.records import Answer, JudgeSpec, Kind, Score, TandemError
from core.statistics import prediction_powered
from core.store import Store
from tests.findings.combine.studies import (
    ITEMS,
    SYSTEMS,
    add,
    begin,
    points,
    said,
    vote,
    vote_all,
    voted,
    worth,
)
from tests.sentence_facts import find_sentences, list_figures
from tests.study import DATASET, ask, fill, ids
from tests.votes import Vote

ALL = Selection(DATASET)
PLAIN = CombineSettings()


@pytest.fixture
def together(store: Store) -> Store:
    return begin(store)


def test_counts_and_what_a_page_reads(together: Store) -> None:
    result = combine(together, ALL, PLAIN)
    rows = result.rows.set_index("system")
    for column, selection, method in (
        ("human", ALL, "win-ratio"),
        ("judge_only", Selection(DATASET, judges=("llm",)), "average-probability"),
    ):
        board = leaderboard(together, selection, RankSettings(method, bootstrap=0)).rows
        expected = board.set_index("system")["rating"].to_dict()
        assert rows[column].to_dict() == pytest.approx(expected)
    facts = result.facts
    counted = [facts[name] for name in ("pairs", "voted", "items", "voted_items", "votes")]
    assert counted == [3 * ITEMS, 45, ITEMS, 15, 45]
    assert facts["n_effective"] == pytest.approx(45 + facts["extra_n"])
    assert facts["extra_n"] > 5
    narrower = result.rows["combined_high"] - result.rows["combined_low"]
    assert (narrower < result.rows["human_high"] - result.rows["human_low"]).all()
    assert result.judgements == 45 + 2 * 3 * ITEMS
    assert result.rows["votes"].tolist() == [30, 30, 30]
    (judge,) = result.document()["judges"]
    assert (judge["judge"], judge["pairs"], judge["unanswered"]) == ("model", 120, 0)
    first, second, verdict, worthy = facts["sentences"][:4]
    assert re.match(r"With 45 human votes and 1 judge, gamma leads\b", first)
    assert second.startswith("It is ")
    assert verdict == facts["verdict"]
    assert list_figures(worthy) == [round(facts[name]) for name in ("extra_n", "n_effective")]
    others = [sentence for sentence in facts["sentences"] if sentence != verdict]
    assert max(len(sentence.split()) for sentence in others) <= 20
    assert find_sentences(result.notes, r"\bstore does not\b.*\bchosen\b")


def test_both_orders_of_a_judge_and_all_votes_on_a_pair_are_averaged(together: Store) -> None:
    """The judge likes what is first: the mean over orders does not."""
    voted(together, "Ben", items=1)
    add(together, [vote(0, "alpha", "beta", "Cy", points(0.5))])
    pairs = load_answered(together, ALL, PLAIN).pairs
    row = pairs[(pairs["item"] == "i0") & (pairs["system_2"] == "beta")].iloc[0]
    alike = float(worth()[0, 0] > worth()[0, 1])
    assert (row["votes"], row["voted"]) == (3, pytest.approx((2 * alike + 0.5) / 3))
    gap = worth()[0, 0] - worth()[0, 1] + np.random.default_rng(5).normal() * 0.7
    expected = (expit(2 * gap + 0.5) + 1 - expit(-2 * gap + 0.5)) / 2
    assert row[0] == pytest.approx(expected)
    names = [frozenset(pair) for pair in combinations(SYSTEMS, 2)]
    assert set(map(frozenset, pairs[["system_1", "system_2"]].to_numpy())) == set(names)


def test_no_answer_is_missing_and_said(together: Store) -> None:
    answers = [Answer(failure="unparsed")] * 5 + [points(1.0)] * (ITEMS - 5)
    moody = [vote(i, "alpha", "beta", "moody", of, Kind.LLM) for i, of in enumerate(answers)]
    add(together, moody)
    found = load_answered(together, ALL, PLAIN)
    assert len(found.pairs) == ITEMS - 5
    assert found.unanswered == {"unparsed": 5}
    assert (found.pairs[1] == 1.0).all()
    assert find_sentences(found.notes, r"\b5 times\b.*\bnever a tie\b")
    assert find_sentences(found.notes, r"\bmoody\b.*\bfewest, 35\.")
    assert find_sentences(found.notes, r"\bcombined\b.* leaves out 35 votes\b")


def test_votes_of_who_is_excluded_do_not_count(together: Store) -> None:
    voted(together, "Eve", items=ITEMS)
    assert combine(together, ALL, PLAIN).facts["voted"] == 3 * ITEMS
    together.exclusions.add(DATASET, "Eve", reason="a bot", by="test")
    result = combine(together, ALL, PLAIN)
    assert result.facts["voted"] == 45
    assert find_sentences(result.notes, r"\b120 votes\b.*\bEve\b")
    with pytest.raises(TandemError, match=r"attribute 'clarity'.*\bcoherence\b"):
        combine(together, Selection(DATASET, attribute="clarity"), PLAIN)
    together.exclusions.add(DATASET, "Ada", reason="a bot", by="test")
    with pytest.raises(TandemError, match=r"\bAda\b.*\bleft out\b"):
        combine(together, ALL, PLAIN)


def test_pairs_that_were_drawn_count_by_their_chance(store: Store) -> None:
    """The judge was asked about the first half of the items with 1/4, about the others surely."""
    fill(store, items=ITEMS, systems=SYSTEMS[:2])
    drawn = tuple((f"i{item}", 0.25 if item < ITEMS / 2 else 1.0) for item in range(ITEMS))
    spec = JudgeSpec("model", Kind.LLM)
    request = planning.check_request(store, planning.Request(DATASET, drawn=drawn))
    run, answers = planning.enqueue(store, spec, request), []
    for question in store.runs.list_pending(run, 999):
        system, item, _ = str(question.text_a).split()[0].split("-")
        alike = (int(item) < ITEMS / 2) == (system == "alpha")
        answers.append((question.comparison, Answer.from_probability(0.8 if alike else 0.2)))
    store.judgements.add_answers(run, store.judges.id_of("model"), 0, answers)
    voted(store, items=0)
    vote_all(store, "Ada", range(10, 25), [SYSTEMS[:2]], 1.0)
    rows = combine(store, ALL, PLAIN).rows.set_index("system")
    assert rows.loc["alpha", "judge_only"] == pytest.approx((4 * 0.8 + 0.2) / 5)


def test_votes_count_by_the_chance_of_being_asked(store: Store) -> None:
    """A campaign drew the first twelve items, six of them with 1/4; Hajek's estimator by hand."""
    fill(store, items=20, systems=SYSTEMS[:2])
    open_default(store, DATASET)
    texts, far = ids(store), 2**40
    chance = {item: 0.25 if item < 6 else 0.75 for item in range(20)}
    pairs = {}
    for item in range(20):
        pair = sorted(texts[f"i{item}", system, 0] for system in SYSTEMS[:2])
        pairs[tuple(pair)] = (item if item < 12 else far + item, chance[item])
    store.campaigns.reorder(store.campaigns.default(DATASET).id, "proportional|rouge1", pairs)
    enrol(store, "Ada")
    won = []
    for _ in range(12):
        shown = ask(store, "Ada")
        item = int(shown.text_a.split()[0].split("-")[1])
        alpha = item < 4
        won.append((alpha, 1 / chance[item]))
        first = shown.text_a.startswith("alpha") == alpha
        campaigns.answer(store, "Ada", shown, points(float(first)))
    vote_all(store, "model", range(20), [SYSTEMS[:2]], 1.0, Kind.LLM)
    result = combine(store, ALL, PLAIN)
    expected = sum(wins * weight for wins, weight in won) / sum(weight for _, weight in won)
    assert result.rows.set_index("system").loc["alpha", "human"] == pytest.approx(expected)
    assert expected == pytest.approx(16 / 32)
    assert find_sentences(result.notes, "1 / the probability")


def test_scores_count_as_votes_where_nobody_voted(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    store.judges.add([JudgeSpec("expert", Kind.HUMAN)])
    marks = [
        Score(f"i{item}", system, "coherence", "expert", float(worth()[item, place]))
        for item in range(15)
        for place, system in enumerate(SYSTEMS)
    ]
    store.scores.add(DATASET, marks)
    result = combine(store, ALL, PLAIN)
    assert result.facts["people"] == ["expert"]
    assert result.facts["voted"] == 45
    assert result.facts["sentences"][0].startswith("With 45 derived comparisons and 1 judge, ")
    assert find_sentences(result.notes, r"\bscores of expert\b.*\bhigher\b")
    named = combine(store, ALL, CombineSettings(("expert",)))
    assert named.rows.equals(result.rows)


def test_what_cannot_be_combined_is_said_with_the_way_out(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    voted(store, items=9)

    def refused(sentence: str, selection: Selection = ALL, people: str = "human") -> None:
        with pytest.raises(TandemError, match=re.escape(sentence)):
            combine(store, selection, CombineSettings((people,)))

    refused("no model has judged here: run one first")
    said(store)
    refused("all judges answered 9 items with votes; an estimate takes 10")
    refused("no judgements by 'nobody'", Selection(DATASET, judges=("nobody",)))
    both = Selection(DATASET, judges=("Ada",))
    refused("'Ada' cannot be both a judge and one of the people", both)
    refused("no human votes here yet", people="gold")
    with pytest.raises(TandemError, match=r"method 'elo'.*\bwin-ratio\b"):
        CombineSettings(method="elo")
    add(store, [vote(39, "alpha", "beta", "other", points(1.0), Kind.LLM)])
    other = Selection(DATASET, judges=("other",))
    refused("Ada voted on 27 pairs, and the judges answered none of them", other)


def test_systems_that_votes_do_not_link_have_no_common_strength(store: Store) -> None:
    fill(store, items=ITEMS, systems=("a", "b", "c", "d"))
    pairs = combinations("abcd", 2)
    vote_all(store, "model", range(ITEMS), pairs, lambda item: item % 2, Kind.LLM)
    vote_all(store, "Ada", range(12), ("ab", "cd"), lambda item: item % 3 > 0)
    with pytest.raises(TandemError, match=r"\b2 sets\b.*\bmethod win-ratio\b"):
        combine(store, ALL, CombineSettings(method="bradley-terry"))
    assert combine(store, ALL, CombineSettings(method="win-ratio")).rows["combined"].notna().all()


def test_votes_on_unusual_pairs_are_noticed(store: Store) -> None:
    """People voted where the judge prefers gamma, which elsewhere it does not."""
    fill(store, items=ITEMS, systems=SYSTEMS[:2])
    pair = [SYSTEMS[:2]]
    vote_all(store, "model", range(ITEMS), pair, lambda item: item >= 15 or item == 3, Kind.LLM)
    vote_all(store, "Ada", range(15), pair, lambda item: item % 2)
    result = combine(store, ALL, PLAIN)
    assert result.facts["shift_p"] < 0.001
    assert find_sentences(result.notes, r"\bperhaps\b.*\brandom sample\b")


def answer(store: Store, number: int, campaign: str) -> None:
    """Ada prefers the first of that many pairs."""
    enrol(store, "Ada")
    for _ in range(number):
        shown = campaigns.present(store, store.campaigns.find(DATASET, campaign), "Ada")
        campaigns.answer(store, "Ada", shown, points(1.0))


@pytest.mark.parametrize(
    ("choice", "where"),
    [
        ({"way": "uncertain", "judge": "model", "gap": 0.3}, "a model"),
        ({"way": "active"}, "the ranking"),
        ({"systems": SYSTEMS[:2]}, "some systems"),
        ({}, ""),
    ],
)
def test_pairs_that_were_not_chosen_at_random_are_warned_of(
    store: Store, choice: dict[str, Any], where: str
) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    open_campaign(store, "hard", Choice(dataset=DATASET, **choice), Design())
    answer(store, 20, "hard")
    result = combine(store, ALL, PLAIN)
    assert bool(find_sentences(result.notes, r"\bas likely\b")) == (not where)
    assert result.facts["unsampled"] == (20 if where else 0)
    if not where:
        return
    assert find_sentences(result.notes, rf"\bCampaign 'hard'.*\b{where}\b.*\bnot known\b.*\b20\b")
    assert find_sentences(result.facts["sentences"], r"\b20 votes were not\b")
    voted(store, "Ben", items=3)
    assert find_sentences(combine(store, ALL, PLAIN).notes, r"\bnot stored\b.*\b9 of 29\b")


def test_while_votes_come_in_intervals_hold_at_every_look(store: Store) -> None:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    open_campaign(store, "any", Choice(dataset=DATASET), Design())
    answer(store, 60, "any")
    always, once = (combine(store, ALL, CombineSettings(resolve=one)) for one in ("", "together"))
    assert [found.facts["resolve"] for found in (always, once)] == ["always", "together"]
    for name in ("combined", "human", "judge_only"):
        wide, narrow = (of.rows[f"{name}_high"] - of.rows[f"{name}_low"] for of in (always, once))
        assert (wide > narrow).all()
    assert (always.rows["rank_low"] <= once.rows["rank_low"]).all()
    assert (COLLECTING in once.notes, COLLECTING in always.notes) == (True, False)
    assert ["whenever" in str(found.interval) for found in (always, once)] == [True, False]
    assert always.signature != once.signature
    store.campaigns.set_status(store.campaigns.find(DATASET, "any").id, "closed")
    closed = combine(store, ALL, PLAIN)
    assert closed.facts["resolve"] == "together"
    assert closed.rows["combined_low"].tolist() == once.rows["combined_low"].tolist()


def test_a_lead_whenever_you_look_is_that_of_the_ranks(store: Store) -> None:
    """Where it is told, its lower end is above 0, and the second is not tied with the first."""
    begin(store, items=ITEMS)
    result = combine(store, ALL, CombineSettings(resolve="always"))
    first = result.rows.iloc[0]
    leads = result.facts["leads"]
    assert (leads["low"] > 0) == (leads["over"] not in first["tied_with"])
    once = combine(store, ALL, PLAIN).facts["leads"]
    assert leads["low"] < once["low"]
    assert find_sentences(result.facts["sentences"], r"\bwhenever\b")


def vote_alike(store: Store, value: float) -> None:
    """The same answer by Ada and a model to every pair, hers on 15 items."""
    fill(store, items=ITEMS, systems=SYSTEMS)
    for who, kind, items in (("Ada", Kind.HUMAN, 15), ("model", Kind.LLM, ITEMS)):
        vote_all(store, who, range(items), combinations(SYSTEMS, 2), value, kind)


def test_systems_with_the_same_rating_are_level(store: Store) -> None:
    vote_alike(store, 0.5)
    result = combine(store, ALL, PLAIN)
    assert result.facts["leads"] is None
    first, second = result.facts["sentences"][:2]
    assert list_figures(first) == [45, 1, 50]
    assert f"{SYSTEMS[0]}, {SYSTEMS[1]} and {SYSTEMS[2]} are level" in first
    assert "more votes" in second.lower()


def test_strengths_that_only_a_prior_holds_have_no_distance(store: Store) -> None:
    """alpha wins every vote, and the judge is always right."""
    vote_alike(store, 1.0)
    result = combine(store, ALL, CombineSettings(method="bradley-terry"))
    assert result.facts["unbounded"] == "both"
    told = result.facts["sentences"]
    assert re.search(r"\balpha leads\b.*\bBradley-Terry\b", told[0])
    assert list_figures(told[0]) == [45, 1], "no distance"
    cautions = result.facts["cautions"]  # that the judge was asked in one order
    assert not any("95%" in sentence for sentence in told if sentence not in cautions)
    assert find_sentences(told, r"\bweak prior\b")
    assert combine(store, ALL, CombineSettings(method="win-ratio")).facts["unbounded"] == ""


def test_judges_that_are_not_of_one_mind_bound_strengths(store: Store) -> None:
    """alpha wins every vote; the judge says as people do, and that alpha loses some other pairs."""
    fill(store, items=ITEMS, systems=SYSTEMS)
    for who, kind, items in (("Ada", Kind.HUMAN, 15), ("model", Kind.LLM, ITEMS)):
        of_alpha = [("alpha", other) for other in SYSTEMS[1:]]
        vote_all(store, who, range(items), of_alpha, lambda item: item < 30, kind)
        vote_all(store, who, range(items), [SYSTEMS[1:]], lambda item: item % 3 > 0, kind)
    result = combine(store, ALL, CombineSettings(method="bradley-terry"))
    assert result.facts["unbounded"] == "votes"
    told = result.facts["sentences"]
    assert find_sentences(told, r"\bvotes alone\b.*\beverything\b")
    assert find_sentences(told, r"\balpha leads with\b")


def test_attributes_that_are_pooled_are_named(together: Store) -> None:
    every = [
        Vote(f"i{item}", *SYSTEMS[:2], who, points(float(item % 2)), kind, attribute="fluency")
        for who, kind, items in (("Ada", Kind.HUMAN, 12), ("model", Kind.LLM, ITEMS))
        for item in range(items)
    ]
    fill(together, items=ITEMS, systems=SYSTEMS, attributes=("fluency",))
    add(together, every)
    told = combine(together, ALL, PLAIN).notes
    assert find_sentences(told, r"\b2 attributes\b.*\bpooled\b.*\bcoherence, fluency\b")
    one = combine(together, Selection(DATASET, attribute="coherence"), PLAIN)
    assert "pooled" not in " ".join(one.notes)


def test_three_estimates_of_each_system_best_first() -> None:
    """A system without an estimate is left out; screen readers are told who is first."""
    rows = pd.DataFrame({"system": ["b", "a", "c"], "combined": [0.6, 0.4, None]})
    for name in ("combined", "human", "judge_only"):
        value = rows["combined"].astype(float)
        rows = rows.assign(**{name: value, f"{name}_low": value - 0.1, f"{name}_high": value + 0.1})
    shown = rows.assign(votes=10, n_effective=12.5)
    chart = together_chart.draw_combined(shown, "win-ratio").to_dict()
    (data,) = chart["datasets"].values()
    expected = [(system, one) for one in together_chart.ESTIMATES.values() for system in "ba"]
    assert [(row["system"], row["estimate"]) for row in data] == expected
    assert chart["layer"][0]["encoding"]["y"]["sort"] == ["b", "a"]
    assert re.search(r"\b2 systems\b.*\bb first\b", chart["description"])


def test_a_jury_counts_judges_as_far_as_they_agree_with_each_other(store: Store) -> None:
    """The estimate is that of one judge whose answers are the weighted means."""
    begin(store)
    for name, noise in (("second judge", 0.7), ("noisy", 4.0)):
        said(store, name, noise=noise)
    result = combine(store, ALL, CombineSettings(weigh_judges="jury"))
    judges = result.tables["judges"].set_index("judge")
    d = judges["discrimination"]
    assert d.mean() == pytest.approx(1), "every judge answered every pair"
    assert d.idxmin() == "noisy"
    counts = judges["lambda"] / judges["lambda"].sum()
    assert counts.to_dict() == pytest.approx((d / d.sum()).to_dict())
    assert judges["lambda"].sum() <= 1
    every = load_answered(store, ALL, PLAIN).columns()
    pooled = replace(every, judged=(every.judged @ (d / d.sum()).to_numpy())[:, None])
    one = prediction_powered.combine(pooled, "win-ratio").combined.rating
    combined = result.rows.set_index("system")["combined"]
    assert combined[list(SYSTEMS)].to_numpy() == pytest.approx(one)
    assert "weigh:jury" in result.signature
    assert "weigh" not in combine(store, ALL, PLAIN).signature


def test_a_contrary_judge_is_not_counted_and_one_judge_is_no_jury(store: Store) -> None:
    begin(store)
    with pytest.raises(TandemError, match=r"weigh.judges votes"):
        combine(store, ALL, CombineSettings(weigh_judges="jury"))
    said(store, "second judge")
    contrary = []
    for item in range(ITEMS):
        for a, b in combinations(range(3), 2):
            answer = Answer.from_probability(float(expit(worth()[item, b] - worth()[item, a])))
            contrary.append(vote(item, SYSTEMS[a], SYSTEMS[b], "contrary", answer, Kind.LLM))
    add(store, contrary)
    judges = combine(store, ALL, CombineSettings(weigh_judges="jury")).tables["judges"]
    told = judges.set_index("judge").loc["contrary"]
    assert told["discrimination"] < 0
    assert told["lambda"] == 0
