"""Bias, and judgements without it: a small study counted by hand, from the file to the figures."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_1samp

from core.__main__ import main
from core.findings import correlation
from core.findings.bias import bias
from core.findings.correlation import Reference
from core.findings.judgements import (
    Finding,
    Selection,
    debiasing,
    note_equal_texts,
    select_answered,
    select_judgements,
)
from core.findings.judgements.debiasing import find_unusable_judges, warn_of_unusable
from core.findings.judgements.judges import compare_to_best
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.separability import Settings, separability
from core.judging.judge import Judge, Question
from core.pairing.planning import Request, enqueue
from core.records import Answer, Generation, JudgeSpec, Kind, Outcome, Prompt, System, TandemError
from core.runs import describe_identical_samples
from core.runs.execution import execute
from core.similarity import make_metric
from core.statistics import bradley_terry, intervals, product_of_experts
from core.store import ChosenGenerations, Store
from tests.findings.tables import load
from tests.sentence_facts import find_sentences
from tests.study import DATASET, fill, measure

VOTES = """item,left,right,winner,prob_a,judge,kind,order_known,failure
q1,x,y,a,0.9,gpt,llm,1,
q1,y,x,a,0.6,gpt,llm,1,
q1,x,z,b,0.3,gpt,llm,1,
q1,z,x,a,0.8,gpt,llm,1,
q2,x,y,a,0.7,gpt,llm,1,
q2,y,x,,,gpt,llm,1,refusal
q2,y,z,,,gpt,llm,1,refusal
q2,z,y,,,gpt,llm,1,refusal
q2,x,z,a,0.9,gpt,llm,0,
q1,x,y,a,,Ada,human,1,
q1,y,z,tie,,Ada,human,1,
q2,x,y,b,,Ada,human,1,
"""
GPT = {"judges": ("gpt",)}


@pytest.fixture(scope="module")
def judged() -> Store:
    return load(Store(":memory:"), VOTES)


def biased(store: Store, **chosen: Any) -> dict[str, dict[str, Any]]:
    result = bias(store, Selection("d", **chosen))
    return {row["judge"]: row for row in result.document()["rows"]}


def rank(store: Store, method: str, **settings: Any) -> Finding:
    return leaderboard(store, Selection("d", **GPT), RankSettings(method, bootstrap=0, **settings))


def ranked(store: Store, method: str, **settings: Any) -> dict[str, float]:
    return rank(store, method, **settings).rows.set_index("system")["rating"].to_dict()


def test_bias_by_hand(judged: Store) -> None:
    row = biased(judged)["gpt"]
    assert row["p_first"] == row["first_share"] == 4 / 5
    # Two items, 3 of 4 and 1 of 1, are as good as 25 / 17. Without either the share is 1 or 3/4: a
    # variance of (0.2^2 + 0.05^2) / 2 = 0.02125, and 0.8 * 0.2 / 0.02125 answers.
    effective = 0.16 / 0.02125 * (1.959964 / t.ppf(0.975, 25 / 17 - 1)) ** 2
    expected = intervals.wilson(np.array(0.8), np.array(effective))
    assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-5)
    assert row["mean_prob_first"] == pytest.approx(3.3 / 5)
    counts = ("comparisons", "pairs_both_orders", "consistent_both_orders", "both_unanswered")
    assert [row[name] for name in counts] == [5, 2, 1, 1]
    assert (row["threshold"], row["threshold_weight"]) == pytest.approx((0.7, 3 / 7))
    assert row["prompt"] is None
    ada = biased(judged)["Ada"]
    assert [ada[name] for name in counts] == [3, 0, 0, 0]
    assert (ada["p_first"], ada["first_share"]) == (1 / 2, 1 / 3)
    nothing = ("mean_prob_first", "threshold", "threshold_weight")
    assert [ada[name] for name in nothing] == [None] * 3
    assert set(biased(judged, judges=("human",))) == {"Ada"}
    result = bias(judged, Selection("d"))
    assert (result.judgements, dict(result.unanswered)) == (8, {"refusal": 3})
    assert re.match(r"Left out: 1 judgement\b.*\bknown order\b", result.notes[0])
    assert re.search(r"\bsame order to Ada\b", result.notes[1])
    assert result.signature.startswith("bias|judges:all|attribute:all|v:")


def test_a_threshold_and_a_prompt_are_of_each_judge_alone(store: Store) -> None:
    rows = "q1,x,y,b,0.1,other,llm,1,\nq1,y,x,b,0.2,other,llm,1,\n"
    load(store, VOTES + rows)
    prompt = store.judges.add_prompt(Prompt("better", 2, "{context}"))
    store.connection.execute("UPDATE judges SET prompt = ? WHERE name = 'gpt'", (prompt,))
    found = biased(store)
    assert (found["gpt"]["threshold"], found["other"]["threshold"]) == pytest.approx((0.7, 0.15))
    assert (found["gpt"]["prompt"], found["other"]["prompt"]) == ("better@2", None)
    frame, _ = select_answered(store, Selection("d", judges=("llm",)))
    moved = debiasing.debias(frame, "threshold").frame
    assert moved.loc[moved["judge"] == "other", "points"].tolist() == [0, 1]


def test_swapped_ranks_by_hand(judged: Store) -> None:
    """x against y: (0.9 + 0.4) / 2; x against z: (0.3 + 0.2) / 2; nothing else has both orders."""
    average = ranked(judged, "average-probability", debias="swap")
    assert average == pytest.approx({"x": 0.45, "y": 0.35, "z": 0.75})
    assert ranked(judged, "win-ratio", debias="swap") == {"x": 0.5, "y": 0.0, "z": 1.0}
    result = rank(judged, "win-ratio", debias="swap")
    assert result.judgements == 4
    assert find_sentences(result.notes, r"^Left out: 2 judgements\b.*\bboth \(known\) orders\b")
    assert "|debias:swap|" in result.signature


def test_swapped_decisions_that_differ_are_ties(store: Store) -> None:
    load(store, re.sub(r"0\.\d", "", VOTES))
    assert ranked(store, "win-ratio", debias="swap") == {"x": 0.25, "y": 0.5, "z": 1.0}


def test_ranks_beyond_the_threshold_by_hand(judged: Store) -> None:
    """Of the first, against 0.7: won, lost (so x), lost (z), won (z), tied; the sixth has no known
    order.
    """
    by_wins = ranked(judged, "win-ratio", debias="threshold")
    assert by_wins == pytest.approx({"x": 2.5 / 5, "y": 0.5 / 3, "z": 1.0})
    result = rank(judged, "win-ratio", debias="threshold")
    assert result.judgements == 5
    assert find_sentences(result.notes, r"^Left out: 1 judgement\b.*\bprobability\b")
    # p' at tau 0.7 is 3p / (3p + 7(1 - p)).
    after = {p: 3 * p / (3 * p + 7 * (1 - p)) for p in (0.9, 0.6, 0.3, 0.8)}
    y = (1 - after[0.9] + after[0.6] + 0.5) / 3
    assert ranked(judged, "average-probability", debias="threshold")["y"] == pytest.approx(y)


COLUMNS = {  # what of gpt is left once the order has to be known: x 0, y 1, z 2
    "first": np.array([0, 1, 0, 2, 0]), "second": np.array([1, 0, 2, 0, 1]), "outcome": np.array([0.9, 0.6, 0.3, 0.8, 0.7]),
}  # fmt: skip


def test_a_position_term_needs_the_order(judged: Store) -> None:
    for method, module, fit in (
        ("bradley-terry-soft", bradley_terry, bradley_terry.bradley_terry),
        ("product-of-experts", product_of_experts, product_of_experts.product_of_experts),
    ):
        result = rank(judged, method, position_term=True)
        ratings = result.rows.set_index("system")["rating"][["x", "y", "z"]].tolist()
        assert ratings == pytest.approx(fit(**COLUMNS, n=3, position=True))
        effect = module.position_effect(**COLUMNS, n=3)
        assert result.facts["position_effect"] == pytest.approx(effect)
        assert result.judgements == 5
        assert find_sentences(result.notes, "^1 judgement with no")
        assert "|position:term|" in result.signature
        assert rank(judged, method).facts["position_effect"] is None


def test_likelihood_takes_probabilities_where_all_have_one(judged: Store, store: Store) -> None:
    # ln 9 - ln 1.5 + ln 7/3 + (0.9 of unknown order, taken as given): x above y; -ln 7/3 - ln 4 +
    # ln 9: z above x.
    assert ranked(judged, "likelihood") == {"z": 1.0, "x": 0.5, "y": 0.0}
    load(store, VOTES.replace("0.7", ""))
    # In this order the first was better 3 times and said to be each time, and worse 3 times and
    # said to be better twice.
    assert ranked(store, "likelihood") == {"z": 1.0, "x": 0.5, "y": 0.0}


def test_experts_of_probabilities(judged: Store) -> None:
    experts = "logit", "probability"
    one, other = (ranked(judged, "product-of-experts", experts=name) for name in experts)
    assert one != other
    assert list(one) == list(other) == ["z", "x", "y"]


def test_without_any_known_order_there_is_nothing_to_take_out(store: Store) -> None:
    load(store, VOTES.replace(",1,", ",0,"))
    for settings in ({"debias": "threshold"}, {"debias": "swap"}, {"position_term": True}):
        with pytest.raises(TandemError):
            ranked(store, "bradley-terry", **settings)
    assert biased(store) == {}


def test_correlations_of_debiased_ratings(store: Store) -> None:
    """Scores z > x > y on q1: as gpt has it in both orders, but not by its decisions alone, where y
    ties with x.
    """
    load(store, VOTES)
    load(store, "item,system,text,score:overall\nq1,x,a,2\nq1,y,b,1\nq1,z,c,3\n")
    chosen, reference = Selection("d", **GPT), Reference("human", "item")

    for debias, spearman in (("none", 0.5), ("swap", 1.0)):
        settings = RankSettings("win-ratio", debias=debias)
        result = correlation.correlate(store, chosen, reference, settings=settings)
        assert result.facts["spearman"] == pytest.approx(spearman)
    assert "|of:win-ratio|debias:swap|" in result.signature


def test_unknown_ways_are_said_and_points_are_those_of_outcomes() -> None:
    with pytest.raises(TandemError, match=r"debias 'half'.*\bnone\b.*\bswap\b.*\bthreshold\b"):
        RankSettings(debias="half")
    points = [outcome.points for outcome in (Outcome.A, Outcome.TIE, Outcome.B)]
    assert debiasing.decide_points(np.array([0.7, 0.5, 0.2])).tolist() == points


# ---- Judges whose verdicts follow the order of the texts


PAIRS = 40


def ask(
    first: float, *, kind: str = "llm", orders: str = "both", share: float = 1.0, pairs: int = PAIRS
) -> pd.DataFrame:
    """Answers about pairs of the systems x and y: the `first` of the points go to the first text in
    a `share` of the pairs, and x is better in the others. Orders are both, mixed, or "one": x first.
    """
    rows = []
    for pair in range(pairs):
        for turn in {"both": (0, 1), "mixed": (pair % 2,), "one": (0,)}[orders]:
            sides, texts = ("x", "y")[:: 1 - 2 * turn], (2 * pair + turn, 2 * pair + 1 - turn)
            points = first if pair < share * pairs else float(turn == 0)
            rows.append(("q", f"i{pair}", kind, *sides, *texts, points))
    names = ["attribute", "item", "kind", "system_a", "system_b", "generation_a", "generation_b"]
    frame = pd.DataFrame(rows, columns=[*names, "points"])
    return frame.assign(judge="J", order_known=1, family=frame["item"])


def test_judges_that_follow_the_order_are_found() -> None:
    """Where x is first, and better, in every answer the judge is named, and nothing is taken from
    it: whether the texts or their order decide is not known.
    """
    mixed = {"orders": "mixed"}
    for frame, of, share, n in (
        (ask(1.0), "both orders", 1.0, PAIRS),  # always the first, asked in both orders
        (ask(0.0), "both orders", 1.0, PAIRS),
        (ask(1.0, share=0.75), "both orders", 0.75, PAIRS),
        (ask(1.0, share=0.5), "", 0, 0),  # as often as a coin that is tossed for each order
        (ask(1.0, pairs=9), "", 0, 0),
        (ask(1.0, kind="human"), "", 0, 0),  # people are the page People's
        (ask(1.0, **mixed), "first", 1.0, PAIRS),
        (ask(0.0, **mixed), "second", 1.0, PAIRS),
        (ask(0.5, **mixed), "", 0, 0),  # always a tie is a verdict
        (ask(1.0, **mixed, share=0.4), "", 0, 0),
        (ask(1.0, **mixed).assign(order_known=0), "", 0, 0),
    ):
        found, warning = find_unusable_judges(frame), warn_of_unusable(frame, "nothing follows")
        assert [(j.of, j.share, j.n) for j in found] == [(of, share, n)] * bool(of)
        assert (warning.unusable, len(warning.cautions)) == (["J"] * bool(of), bool(of))
    frame = ask(1.0, orders="one")
    warning = warn_of_unusable(frame, "nothing follows")
    assert (warning.unusable, len(warning.cautions)) == ([], 1)
    assert [judge.confounded for judge in find_unusable_judges(frame)] == [True]


def test_a_better_text_that_is_mostly_first_is_no_bias() -> None:
    """x is always better, and first in 3 of 4 answers: so is the first text."""
    second = ask(1.0, share=0, pairs=100).query("system_a == 'y'")
    item, texts = "t" + second["item"], ["generation_a", "generation_b"]
    second = second.assign(item=item, family=item, **(second[texts] + 10_000))
    frame = pd.concat([ask(1.0, orders="one", share=0, pairs=300), second])
    assert np.mean(frame["points"]) == 0.75
    assert find_unusable_judges(frame) == []


# ---- Judges whose sampled votes always agree, and systems whose texts are all the same


SELECTION = Selection(DATASET, judges=("five",))
SAID = r"^five: .*\bsampled votes agree\b.*\bwithout probabilities\b"


class Five(Judge):
    """The shares it is given, in turn."""

    spec = JudgeSpec("five", Kind.LLM, "five:test", mode="sample", votes=5, temperature=1.0)

    def __init__(self, shares: Sequence[float]) -> None:
        self.shares, self.asked = shares, 0

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        first, self.asked = self.asked, self.asked + len(questions)
        shares = (self.shares[i % len(self.shares)] for i in range(first, self.asked))
        return [Answer.from_probability(share) for share in shares]


class Classifier(Five):
    spec = JudgeSpec("five", Kind.LLM, "five:test", mode="classifier")


def sampled(store: Store, *shares: float, items: int = 4, by: type[Five] = Five) -> int:
    fill(store, items=items)
    run = enqueue(store, by.spec, Request(DATASET))
    assert execute(store, run, by=by(shares)).failed == 0
    return run


def test_votes_that_never_differ_are_no_certainty(store: Store) -> None:
    run = sampled(store, 1.0, 0.0, 1.0)
    frame, _ = select_judgements(store, SELECTION)
    assert len(frame) == 24
    assert frame["prob_a"].isna().all()
    assert frame["points"].isin([0.0, 1.0]).all()  # the decisions count
    assert find_sentences(leaderboard(store, SELECTION, RankSettings("win-ratio")).notes, SAID)
    found = bias(store, SELECTION)
    assert find_sentences(found.notes, SAID)
    assert np.isnan(found.rows["mean_prob_first"]).all()
    with pytest.raises(TandemError, match=r"\bsampled votes agree\b.*\bwin-ratio\b"):
        leaderboard(store, SELECTION, RankSettings("average-probability"))
    assert "every" in describe_identical_samples(store, run)


@pytest.mark.parametrize(("shares", "items"), [([*[1.0, 0.0] * 11, 0.8, 0.0], 4), ([1.0], 3)])
def test_one_vote_that_differs_is_enough(store: Store, shares: list[float], items: int) -> None:
    """And few questions, 18 comparisons, tell nothing."""
    run = sampled(store, *shares, items=items)
    assert select_judgements(store, SELECTION)[0]["prob_a"].notna().all()
    assert leaderboard(store, SELECTION, RankSettings("average-probability")).judgements
    assert not find_sentences(leaderboard(store, SELECTION, RankSettings("win-ratio")).notes, SAID)
    assert describe_identical_samples(store, run) == ""


def test_a_classifier_may_be_as_sure_as_it_likes(store: Store) -> None:
    sampled(store, 1.0, 0.0, by=Classifier)
    assert select_judgements(store, SELECTION)[0]["prob_a"].notna().all()


def test_texts_that_are_the_same_within_every_item_are_said(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(store, items=20, samples=2)
    store.datasets.add_systems(DATASET, [System("greedy")])
    texts = [Generation(f"i{i}", "greedy", k, f"text {i}") for i in range(20) for k in range(2)]
    store.datasets.add_generations(DATASET, texts)
    assert note_equal_texts(store, DATASET, ["alpha"]) == []
    measure(store, ChosenGenerations(DATASET, samples=2), make_metric("rouge1"))
    said = r"^greedy: .*\b20 items\b.*\bnot sampled\b"
    for other, is_said in (("greedy", True), ("beta", False)):
        asked = Selection(DATASET, systems=("alpha", other))
        notes = separability(store, asked, Settings("rouge1")).notes
        assert bool(find_sentences(notes, said)) is is_said
    path = str(store.path)
    assert main(["--store", path, "separability", "--metric", "rouge1", "--json"]) == 0
    assert find_sentences(json.loads(capsys.readouterr().out)["notes"], said)


# ---- How far the best of several judges is ahead, held against scipy


def test_intervals_are_paired_t_tests_for_all_pairs_of_judges() -> None:
    """Bonferroni: 95% of two judges, and 1 - 5% / 6 each of four."""
    for judges in (2, 4):
        check_intervals(judges)


def check_intervals(judges: int) -> None:
    points = np.random.default_rng(3).integers(0, 2, (judges, 30)).astype(float)
    judge, item = np.indices(points.shape).reshape(2, -1)
    about = {"attribute": "", "item": item, "family": item, "candidate_1": 0, "candidate_2": 1}
    frame = pd.DataFrame({"judge": judge, "right": points.ravel(), **about})
    rows = compare_to_best(frame, "right")
    best = int(points.mean(axis=1).argmax())
    level = 1 - 0.05 / (judges * (judges - 1) / 2)
    assert len(rows) == judges - 1
    for row in rows.to_dict("records"):
        assert int(row["judge_1"]) == best
        apart = points[best] - points[int(row["judge_2"])]
        theirs = ttest_1samp(apart, 0).confidence_interval(level)
        assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high))
