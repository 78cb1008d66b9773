"""Accuracy: a study small enough to count by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from core.findings import accuracy
from core.findings.accuracy import AccuracySettings
from core.findings.accuracy import accuracy as compute_accuracy
from core.findings.judgements import Selection
from core.records import TandemError
from core.statistics import FIRST, NEITHER, SECOND, ReplacementTerms
from core.store import Store
from tests.findings.tables import load
from tests.statistics.test_reliability import by_the_book

VOTES = """item,left,right,winner,prob_a,judge,kind,failure
q1,x,y,a,,gold,gold,
q2,x,y,b,,gold,gold,
q3,x,y,a,,gold,gold,
q4,x,y,tie,,gold,gold,
q1,x,y,a,0.9,gpt,llm,
q1,y,x,b,0.4,gpt,llm,
q2,x,y,a,0.8,gpt,llm,
q2,y,x,a,0.6,gpt,llm,
q3,x,y,tie,0.5,gpt,llm,
q3,y,x,,,gpt,llm,refusal
q4,x,y,a,0.7,gpt,llm,
q5,x,y,a,0.7,gpt,llm,
q1,x,y,a,,Ada,human,
q1,y,x,b,,Ben,human,
q2,x,y,a,,Ada,human,
q2,x,y,b,,Ben,human,
"""
SCORES = """item,system,text,score:overall
q1,x,a,3
q1,y,b,1
q2,x,a,2
q2,y,b,2
q3,x,a,1
q3,y,b,2
"""


@pytest.fixture(scope="module")
def study() -> Store:
    return load(load(Store(":memory:"), VOTES), SCORES)


def accuracies(
    store: Store, against: str, debias: str = "none", **chosen: Any
) -> dict[str, dict[str, Any]]:
    result = accuracy.accuracy(store, Selection("d", **chosen), AccuracySettings(against, debias))
    return {row["judge"]: row for row in result.document()["rows"]}


def test_against_gold_by_hand(study: Store) -> None:
    """gpt: q1 right twice, q2 wrong then right, q3 a tie; gold is undecided on q4 and silent on q5."""
    row = accuracies(study, "gold")["gpt"]
    assert (row["comparisons"], row["right"], row["tied"], row["accuracy"]) == (5, 3, 1, 3.5 / 5)
    names = ("right_forward", "forward", "right_reverse", "reverse")
    assert [row[name] for name in names] == [1, 3, 2, 2]
    assert (row["pairs_both_orders"], row["accuracy_both_orders"]) == (2, 1 / 2)
    assert row["low"] < 0.7 < row["high"]
    assert accuracies(study, "gold")["Ada"]["accuracy"] == 1 / 2
    assert set(accuracies(study, "gold")) == {"gpt", "Ada", "Ben"}
    # Asked for by name, gold is held against itself left out: nobody else is gold, so nothing is
    # right or wrong.
    assert set(accuracies(study, "gold", judges=("Ada", "gold"))) == {"Ada"}
    result = accuracy.accuracy(study, Selection("d"), AccuracySettings("gold"))
    assert (result.judgements, dict(result.unanswered)) == (9, {"refusal": 1})
    [note] = result.notes
    assert re.search(r"^2 judgements .*left out", note)
    assert result.signature.startswith("accuracy|against:gold|judges:all|attribute:all|v:")


def test_against_people_leaves_oneself_out(study: Store) -> None:
    """People on q1: x twice, on q2 they are split. gpt is right on q1 both ways; Ada against Ben:
    q1 yes, q2 no.
    """
    found = accuracies(study, "human")
    assert (found["gpt"]["comparisons"], found["gpt"]["accuracy"]) == (2, 1.0)
    wilson = binomtest(1, 1).proportion_ci(method="wilson")
    assert found["gpt"]["low"] == pytest.approx(wilson.low), "one item"
    for who in ("Ada", "Ben"):
        assert (found[who]["comparisons"], found[who]["accuracy"]) == (2, 1 / 2)
    assert (found["gold"]["comparisons"], found["gold"]["accuracy"]) == (1, 1.0)


def test_against_scores_that_differ(study: Store) -> None:
    """x 3 to 1 on q1 (right twice), 2 to 2 on q2 (left out), 1 to 2 on q3 (tied)."""
    row = accuracies(study, "scores")["gpt"]
    assert (row["comparisons"], row["accuracy"]) == (3, 2.5 / 3)
    # gpt gives x 1, 1, 1, 0 and 1/2 on the three items with scores; the scores 1, 1, 1/2, 1/2 and
    # 0.
    result = accuracy.accuracy(study, Selection("d", judges=("gpt",)), AccuracySettings("scores"))
    (row,) = result.tables["systems"].to_dict("records")
    names = ("system_1", "comparisons", "points", "truth", "same")
    assert [row[name] for name in names] == ["x", 5, 0.7, 0.6, True]


def test_after_debiasing(study: Store) -> None:
    """Swapped: q1 (0.9 + 0.6) / 2, q2 (0.8 + 0.4) / 2 for x: one right of two. Beyond the median
    0.7 of nine, right means q1 0.9 yes, 0.4 yes; q2 0.8 no, 0.6 no longer; q3 0.5 no.
    """
    assert accuracies(study, "gold", "swap", judges=("gpt",))["gpt"]["accuracy"] == 1 / 2
    assert accuracies(study, "gold", "threshold", judges=("gpt",))["gpt"]["right"] == 2


def test_without_a_truth(store: Store) -> None:
    load(store, "item,left,right,winner,judge,kind\nq1,x,y,a,gpt,llm\n")
    for against, said in (
        ("gold", "no gold label"),
        ("human", "no one else has judged"),
        ("scores", "no scores by 'human'"),
    ):
        with pytest.raises(TandemError, match=said):
            accuracies(store, against)
    ways = r"against 'votes'.*\bgold\b.*\bhuman\b.*\bsimulated\b.*\bscores\b"
    with pytest.raises(TandemError, match=ways):
        AccuracySettings("votes")


# ---- How often a judge does as well as an annotator, against the test written down once more


HEAD = "item,left,right,text_a,text_b,winner,judge,kind"
PAIRS = (("x", "y"), ("y", "z"))  # of each item
CODE = {"a": FIRST, "tie": NEITHER, "b": SECOND}
TURNED = {"a": "b", "b": "a", "tie": "tie"}


def votes(items: int, people: int, *, seed: int = 0) -> dict[str, dict[tuple[int, int], str]]:
    """Who says what of each pair: people are right in 7 of 10, `gpt` in 9, `coin` never knows."""
    rng = np.random.default_rng(seed)
    units = [(item, pair) for item in range(items) for pair in range(len(PAIRS))]
    truth = {unit: str(rng.choice(["a", "b"])) for unit in units}

    def noisy(right: float) -> dict[tuple[int, int], str]:
        other = ["a", "b", "tie"]
        return {
            unit: truth[unit] if rng.random() < right else str(rng.choice(other)) for unit in units
        }

    return {f"p{n}": noisy(0.7) for n in range(people)} | {"gpt": noisy(0.9), "coin": noisy(0.0)}


def load_said(store: Store, said: dict[str, dict[tuple[int, int], str]]) -> Store:
    """People see each pair once; models both orders, and say the same in both."""
    lines = [HEAD]
    for who, of in said.items():
        kind = "human" if who.startswith("p") else "llm"
        for (item, pair), won in of.items():
            a, b = PAIRS[pair]
            lines.append(f"q{item},{a},{b},{a} {item},{b} {item},{won},{who},{kind}")
            if kind == "llm":
                lines.append(f"q{item},{b},{a},{b} {item},{a} {item},{TURNED[won]},{who},{kind}")
    return load(store, lines)


def test_advantages_are_those_of_the_book(store: Store) -> None:
    said = votes(40, 4)
    load_said(store, said)
    result = compute_accuracy(store, Selection("d"), AccuracySettings("human", epsilon=0.15))
    rows = result.rows.set_index("judge")
    people = {
        name: {2 * item + pair: CODE[won] for (item, pair), won in of.items()}
        for name, of in said.items() if name.startswith("p")
    }  # fmt: skip
    item = [unit // 2 for unit in range(80)]
    for judge in ("gpt", "coin"):
        says = {2 * i + pair: CODE[won] for (i, pair), won in said[judge].items()}
        _, rate, probability = by_the_book(people, says, item, ReplacementTerms(0.15))
        row = rows.loc[judge]
        assert [row["winning_rate"], row["advantage"]] == pytest.approx([rate, probability])
        assert row["advantage_low"] < row["advantage"] < row["advantage_high"]
    assert rows.loc["gpt", "winning_rate"] == 1
    assert rows.loc["p0", ["winning_rate", "advantage"]].isna().all(), "an annotator is no judge"


def test_two_annotators_or_few_items_say_nothing() -> None:
    for items, people in ((29, 4), (30, 2)):
        with Store(":memory:") as store:
            load_said(store, votes(items, people))
            found = compute_accuracy(store, Selection("d"), AccuracySettings("human"))
        assert "winning_rate" not in found.rows
    with pytest.raises(TandemError, match=r"1\.5"):
        AccuracySettings("human", epsilon=1.5)
