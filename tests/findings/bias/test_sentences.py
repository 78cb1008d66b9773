"""What the Bias page says: judges are counted, and nothing is more than always."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.findings.bias import describe_length, describe_position, describe_self_preference
from core.findings.bias.sentences import CHANCE
from core.findings.judgements import Finding, describe_difference, label_rows
from tests.golden_text import approve
from tests.sentence_facts import list_figures


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


def test_judges_are_counted() -> None:
    """Three judges, each asked about three attributes: never nine of anything."""
    for biased, said in (
        (set(), r"[^.]*\bno evidence\b[^.]*\b3 judges\."),
        ({("x", "q")}, r"1 of 3 judges\b[^.]*\. [^.]*: x \(q\) "),
        ({("x", "q"), ("x", "r")}, r"1 of 3 judges\b"),
        ({("x", "q"), ("y", "r")}, r"2 of 3 judges\b"),
    ):
        names = [(judge, attribute) for judge in "xyz" for attribute in "qrs"]
        text = describe_position(
            positions(*((*name, *(FIRST if name in biased else FAIR)) for name in names))
        )
        assert re.match(said, text)
        assert " decisive answers, " in text
        assert "95% interval" not in text, "the farthest of nine was chosen for being far"
        assert not re.search(r"\b9\b", text)


def test_one_of_ten_judges_is_as_far_from_one_half_by_chance() -> None:
    """A p-value of 0.03 says something of one judge, and nothing of the farthest of ten."""
    rows = [(f"judge{number}", "q", 0.62, 0.51, 0.73) for number in range(10)]
    said = describe_position(positions(*rows, p=0.03))
    assert re.match(r"[^.]*\bno evidence\b[^.]*\b10 judges\.", said)
    assert said.endswith(CHANCE)
    alone = describe_position(positions(rows[0], p=0.03))
    assert alone.startswith("judge0 ")
    assert "95% interval 51 to 73" in alone
    assert CHANCE not in alone


def test_nobody_is_biased_who_saw_each_two_systems_in_one_order() -> None:
    """The text shown first is then always the same system's, which may be the better one."""
    rows = [("x", "q", *FIRST), ("y", "q", *FIRST)]
    both = describe_position(positions(*rows, confounded=("x", "y")))
    assert both.startswith("x ")
    assert list_figures(both) == [48, 60, 80, 95, 70, 90]
    assert "unknown" in both
    assert "other order" in both
    one = describe_position(positions(*rows, ("z", "q", *FAIR), confounded=("x", "y")))
    assert re.match(r"[^.]*\bno evidence\b[^.]*: z ", one)
    assert re.search(r"\b2 more judges\b[^.]*\bunknown\b", one)


def test_few_answers_name_nobody() -> None:
    few = describe_position(positions(("x", "q", 1.0, 0.6, 1.0), answers=6, items=3))
    assert few.startswith("x ")
    assert list_figures(few) == [6, 6, 100, 95, 60, 100, 6, 3, 30, 10]


def test_the_sentences_about_position() -> None:
    rows = [("x", "q", *FIRST), ("y", "q", *FIRST)]
    one, fair = [("x", "q", *FIRST)], [("z", "q", *FAIR)]
    cases = {
        "one judge": positions(*one),
        "one of two judges": positions(*one, *fair),
        "both judges": positions(*rows),
        "one judge without evidence": positions(*fair),
        "two judges without evidence": positions(*fair, ("y", "q", *FAIR)),
        "one order of all": positions(*rows, confounded=("x", "y")),
        "one order of some": positions(*rows, *fair, confounded=("x", "y")),
        "few answers": positions(("x", "q", 1.0, 0.6, 1.0), answers=6, items=3),
    }
    said = [f"{case}: {describe_position(found)}" for case, found in cases.items()]
    approve("position_bias", "\n".join(said))


def lengths(*rows: dict[str, Any]) -> pd.DataFrame:
    plain = {"attribute": "q", "comparisons": 60, "items": 10, "decisive": 60, "always": ""}
    plain |= {"low": float("nan"), "high": float("nan"), "p": float("nan")}
    frame = pd.DataFrame([{**plain, **row} for row in rows])
    clear = (frame["low"] > 1) | (frame["high"] < 1)
    frame["p"] = frame["p"].fillna(pd.Series(np.where(clear, 0.001, 0.5)))
    return label_rows(frame.assign(unbounded=frame.get("unbounded", frame["always"])))


SWAYED = {"judge": "x", "odds": 11.94, "low": 1.2, "high": 98.0}
LONGEST = {"judge": "longest", "odds": NOTHING, "always": "longer"}
STEEP = {
    "judge": "steep", "odds": NOTHING, "always": "", "unbounded": "shorter", "decisive": 595,
    "longer": 24 / 595, "longer_low": 0.02504, "longer_high": 0.06436,
}  # fmt: skip
UNCLEAR = {**SWAYED, "always": "", "unbounded": "", "low": 0.5}


def test_always_comes_before_any_number() -> None:
    """A judge that always takes the longer has odds without bound: no finite ones are the most."""
    said = describe_length(lengths(SWAYED, LONGEST, {**SWAYED, "judge": "y", "odds": 2.0}))
    assert said[0].startswith("longest always ")
    assert re.search(r"\bsways x\b", said[1])
    assert [list_figures(one) for one in said] == [[60, 60], [11.9, 95, 1.2, 98, 60]]
    [said_once] = describe_length(lengths(*({**LONGEST, "attribute": name} for name in "qr")))
    assert re.match(r"longest always .*\b120 of 120\b.* q, r\.$", said_once)


def test_an_effect_of_length_counts_how_many_judges_were_looked_at() -> None:
    many = [{**SWAYED, "judge": f"judge{number}", "p": 0.03} for number in range(10)]
    [said] = describe_length(lengths(*many))
    assert re.search(r"\bno evidence\b.*\b10 judges\b", said)
    assert describe_length(lengths(many[0]))[0].startswith("Length sways judge0")


def test_few_answers_tell_nothing_of_length() -> None:
    assert describe_length(lengths({**LONGEST, "decisive": 9})) == []
    [said] = describe_length(lengths({**SWAYED, "decisive": 9, "items": 9}))
    assert list_figures(said) == [9, 9, 30, 10]
    assert "sways" not in said


def test_odds_without_a_bound_are_named_and_are_not_no_evidence() -> None:
    """As `baseline:longer` had it on TopicalChat, turned round: nearly always, yet not always."""
    steep, other = describe_length(lengths(STEEP, UNCLEAR))
    assert re.match(r"steep .*\bshorter\b", steep)
    assert list_figures(steep) == [571, 595, 96, 95, 94, 97]
    assert "no bound" in steep
    assert re.search(r"\bno evidence\b.*\b1 other judge\b", other)


def test_the_sentences_about_length() -> None:
    cases = {
        "one judge": [SWAYED],
        "one always": [SWAYED, LONGEST, {**SWAYED, "judge": "y", "odds": 2.0}],
        "always on two attributes": [{**LONGEST, "attribute": name} for name in "qr"],
        "ten judges without evidence": [{**SWAYED, "judge": f"judge{n}", "p": 0.03} for n in range(10)],
        "no bound": [STEEP, UNCLEAR],
        "few answers": [{**SWAYED, "decisive": 9, "items": 9}],
        "length goes with position": [{"judge": "x", "odds": NOTHING}],
    }  # fmt: skip
    said = [f"{case}: {' '.join(describe_length(lengths(*rows)))}" for case, rows in cases.items()]
    approve("length_bias", "\n".join(said))


def test_self_preference_is_named_from_a_stated_minimum_on() -> None:
    row = {"judge": "gpt", "system": "GPT", "own": 0.7, "own_low": 0.6, "own_high": 0.8}
    for pairs, low, p, said in (
        (0, NOTHING, NOTHING, r"Nobody else\b"),
        (29, 0.05, 0.01, r"29 pairs\b.*\bfrom 30 on\.$"),
        (30, 0.05, 0.01, r"\+5 to \+25\)\. It prefers\b"),
        (30, -0.25, 0.9, r"-25 to \+25\)\. .*\bno evidence\b"),
    ):
        more = {
            "pairs": pairs,
            "others": 0.55,
            "low": low,
            "high": 0.25,
            "p": p,
            "difference": 0.15,
        }
        [sentence] = describe_self_preference(pd.DataFrame([row | more]))
        assert re.match(r"gpt .*\(GPT\) 70% \(95% interval 60 to 80\)", sentence)
        assert re.search(said, sentence)


def test_self_preference_of_several_is_tested_together() -> None:
    """Holm (1979) by hand: .01 * 3 is below .05, and .03 * 2 is not."""
    shares = {"own": 0.7, "own_low": 0.6, "own_high": 0.8, "others": 0.55, "difference": 0.15}
    rows = pd.DataFrame(
        {"judge": list("abc"), "system": list("abc"), "pairs": 99, **shares, "low": 0.05,
         "high": 0.25, "p": [0.03, 0.01, 0.04]}
    )  # fmt: skip
    named = ["It prefers" in said for said in describe_self_preference(rows)]
    assert named == [False, True, False]


def test_a_difference_that_is_nearly_nothing_has_no_minus() -> None:
    """Of judges that copy each other there is no interval."""
    row = {"judge_1": "m", "judge_2": "n", "items": 60, "difference": 0.05}
    said = describe_difference(pd.Series({**row, "low": -0.0002, "high": 0.1}), "is right")
    assert said.endswith("(difference 5 points, 95% interval 0 to 10).")
    nothing = {"difference": 0.0, "low": NOTHING, "high": NOTHING}
    said = describe_difference(pd.Series({**row, **nothing}), "is right")
    assert re.search(r"\b60 items\b.*\bm and n\b.*\bnot differ\b", said)
    assert list_figures(said) == [60]


def test_where_nobody_answered_the_failures_are_counted_by_reason() -> None:
    """7 asked, none answered; with one answer that was a tie it is another sentence."""
    failed = {"unparsed": 5, "refused": 2}
    said = describe_position(Finding(positions().rows, "", 0, failed))
    assert list_figures(said) == [7, 5, 2]
    assert "unparsed" in said
    assert "unparsed" not in describe_position(Finding(positions().rows, "", 1, failed))
