"""What the Bias page says: judges are counted, not what they were asked about, and nothing is more
than always.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.findings.bias import describe_length, describe_position, describe_self_preference
from core.findings.bias.sentences import CHANCE
from core.findings.judgements import Finding, describe_difference, label_rows


def positions(
    *rows: tuple[str, str, float, float, float],
    answers: int = 60,
    items: int = 10,
    confounded: Sequence[str] = (),
    p: float | None = None,
) -> Finding:
    columns = ["judge", "attribute", "p_first", "low", "high"]
    frame = pd.DataFrame(rows, columns=columns).assign(
        decisive=answers, comparisons=answers, items=items,
        pairs_both_orders=answers // 2, consistent_both_orders=answers // 4,
    )  # fmt: skip
    frame["confounded"] = frame["judge"].isin(confounded)
    frame["p"] = np.where(frame["low"] > 0.5, 0.0001, 0.9) if p is None else p
    return Finding(frame, "", answers * len(rows))


NOTHING = float("nan")
FAIR, FIRST = (0.5, 0.4, 0.6), (0.8, 0.7, 0.9)


@pytest.mark.parametrize(
    ("biased", "said"),
    [
        ({}, "There is no evidence of position bias in 3 judges. Farthest from one half: "),
        ({("x", "q")}, "1 of 3 judges shows position bias on some attribute. The strongest: x (q) "),
        ({("x", "q"), ("x", "r")}, "1 of 3 judges shows position bias on some attribute."),
        ({("x", "q"), ("y", "r")}, "2 of 3 judges show position bias on some attribute."),
    ],
)  # fmt: skip
def test_judges_are_counted(biased: set[tuple[str, str]], said: str) -> None:
    """Three judges, each asked about three attributes: never nine of anything."""
    rows = [
        (judge, attribute, *(FIRST if (judge, attribute) in biased else FAIR))
        for judge in "xyz"
        for attribute in "qrs"
    ]
    text = describe_position(positions(*rows))
    assert text.startswith(said)
    assert " decisive answers, " in text
    assert "95% interval" not in text, "the farthest of nine was chosen for being far"
    assert not re.search(r"\b9\b", text)


def test_one_of_ten_judges_is_as_far_from_one_half_by_chance() -> None:
    """A p-value of 0.03 says something of one judge, and nothing of the farthest of ten."""
    rows = [(f"judge{number}", "q", 0.62, 0.51, 0.73) for number in range(10)]
    said = describe_position(positions(*rows, p=0.03))
    assert said.startswith("There is no evidence of position bias in 10 judges.")
    assert said.endswith(CHANCE)
    alone = describe_position(positions(rows[0], p=0.03))
    assert alone.startswith("judge0 chose the first text")
    assert "95% interval 51 to 73" in alone
    assert CHANCE not in alone


def test_nobody_is_biased_who_saw_each_two_systems_in_one_order() -> None:
    """The text shown first is then always the same system's, which may be the better one."""
    rows = [("x", "q", *FIRST), ("y", "q", *FIRST)]
    both = describe_position(positions(*rows, confounded=("x", "y")))
    assert both == (
        "x chose the first text in 48 of 60 decisive answers, 80% (95% interval 70 to 90). Whether "
        "that is position bias is unknown. Each two systems were always shown in the same "
        "order. Ask some pairs in the other order."
    )
    one = describe_position(positions(*rows, ("z", "q", *FAIR), confounded=("x", "y")))
    assert one.startswith("There is no evidence of position bias: z chose")
    assert one.endswith(
        "For 2 more judges, it is unknown. Each two systems were always shown in the same order."
    )


def test_few_answers_name_nobody() -> None:
    few = positions(("x", "q", 1.0, 0.6, 1.0), answers=6, items=3)
    assert describe_position(few) == (
        "x chose the first text in 6 of 6 decisive answers, 100% (95% interval 60 to 100). 6 "
        "answers and 3 items so far; position bias is named from 30 answers and 10 items on."
    )


def lengths(*rows: dict[str, Any]) -> pd.DataFrame:
    plain = {"attribute": "q", "comparisons": 60, "items": 10, "decisive": 60, "always": ""}
    plain |= {"low": float("nan"), "high": float("nan"), "p": float("nan")}
    frame = pd.DataFrame([{**plain, **row} for row in rows])
    clear = (frame["low"] > 1) | (frame["high"] < 1)
    frame["p"] = frame["p"].fillna(pd.Series(np.where(clear, 0.001, 0.5)))
    return label_rows(frame.assign(unbounded=frame.get("unbounded", frame["always"])))


SWAYED = {"judge": "x", "odds": 11.94, "low": 1.2, "high": 98.0}


def test_always_comes_before_any_number() -> None:
    """A judge that always takes the longer has odds without bound: no finite ones are the most."""
    always = {"judge": "longest", "odds": float("nan"), "always": "longer"}
    said = describe_length(lengths(SWAYED, always, {**SWAYED, "judge": "y", "odds": 2.0}))
    assert said == [
        "longest always chose the longer text: in 60 of 60 answers.",
        "Among the other judges, length sways x the most: a text twice as long has 11.9 times the "
        "odds of winning (95% interval 1.2 to 98, 60 answers).",
    ]


def test_always_on_several_attributes_is_said_once() -> None:
    always = {"judge": "longest", "odds": float("nan"), "always": "longer"}
    said = describe_length(lengths(*({**always, "attribute": name} for name in "qr")))
    assert said == ["longest always chose the longer text: in 120 of 120 answers on q, r."]


def test_an_effect_of_length_counts_how_many_judges_were_looked_at() -> None:
    many = [{**SWAYED, "judge": f"judge{number}", "p": 0.03} for number in range(10)]
    assert describe_length(lengths(*many)) == [
        "There is no evidence that length affects the answers of 10 judges."
    ]
    assert describe_length(lengths(many[0]))[0].startswith("Length sways judge0: a text twice")


def test_nine_answers_are_not_always() -> None:
    always = {"judge": "longest", "odds": float("nan"), "always": "longer", "decisive": 9}
    assert describe_length(lengths(always)) == []


def test_few_answers_tell_nothing_of_length() -> None:
    said = describe_length(lengths({**SWAYED, "decisive": 9, "items": 9}))
    assert said == [
        "9 answers and 9 items so far; an effect of length is named from 30 answers and 10 items "
        "on."
    ]


STEEP = {
    "judge": "steep", "odds": float("nan"), "always": "", "unbounded": "shorter", "decisive": 595,
    "longer": 24 / 595, "longer_low": 0.02504, "longer_high": 0.06436,
}  # fmt: skip


def test_odds_without_a_bound_are_named_and_are_not_no_evidence() -> None:
    """As `baseline:longer` had it on TopicalChat, turned round: nearly always, yet not always."""
    said = describe_length(lengths(STEEP, {**SWAYED, "always": "", "unbounded": "", "low": 0.5}))
    assert said == [
        "steep took the shorter text in 571 of 595 answers, 96% (95% interval 94 to 97). Its odds "
        "have no bound: length and position explain nearly every answer.",
        "There is no evidence that length affects the answers of 1 other judge.",
    ]


def test_length_and_position_that_go_together_are_not_told_apart() -> None:
    nothing = {"judge": "x", "odds": float("nan")}
    assert describe_length(lengths(nothing)) == [
        "For 1 judge, the effect of length cannot be separated from that of position."
    ]


@pytest.mark.parametrize(
    ("pairs", "low", "said"),
    [
        (0, NOTHING, "Nobody else has judged these pairs."),
        (29, 0.05, "29 pairs so far; self-preference is named from 30 on."),
        (30, 0.05, "(95% interval of the difference +5 to +25). It prefers its own texts."),
        (30, -0.25, "to +25). There is no evidence that it prefers its own."),
    ],
)
def test_self_preference_is_named_from_a_stated_minimum_on(
    pairs: int, low: float, said: str
) -> None:
    row = {"judge": "gpt", "system": "GPT", "pairs": pairs, "own": 0.7, "own_low": 0.6}
    row |= {"own_high": 0.8, "others": 0.55, "low": low, "high": 0.25}
    [sentence] = describe_self_preference(pd.DataFrame([row]))
    start = "gpt gives its own texts (GPT) 70% (95% interval 60 to 80) of the points."
    assert sentence.startswith(start)
    assert sentence.endswith(said)


def test_a_difference_that_is_nearly_nothing_has_no_minus() -> None:
    row = {"judge_1": "m", "judge_2": "n", "items": 60, "difference": 0.05}
    said = describe_difference(pd.Series({**row, "low": -0.0002, "high": 0.1}), "is right")
    assert said.endswith("(difference 5 points, 95% interval 0 to 10).")


def test_judges_that_copy_each_other_do_not_differ() -> None:
    row = {"judge_1": "m", "judge_2": "n", "items": 60, "difference": 0.0}
    nothing = {"low": float("nan"), "high": float("nan")}
    said = describe_difference(pd.Series({**row, **nothing}), "is right")
    assert said == "On the same 60 items, m and n do not differ at all."
