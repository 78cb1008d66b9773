"""Headlines name nobody below a stated minimum, and say how many it takes."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binomtest

from core.findings.judgements import minimum


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([minimum.count_answers(30)], ""),
        (
            [minimum.count_answers(2, "human vote")],
            "2 human votes so far; a leader is named from 30 on.",
        ),
        ([minimum.count_answers(29, "vote"), minimum.count_items(10)],
         "29 votes so far; a leader is named from 30 on."),
        ([minimum.count_answers(1), minimum.count_items(1)],
         "1 answer and 1 item so far; a leader is named from 30 answers and 10 items on."),
        # 53 systems: ten answers each are 265, as an answer is about two
        ([minimum.count_ranking_answers(53, 264)],
         "264 answers so far; a leader is named from 265 on."),
        ([minimum.count_ranking_answers(53, 265)], ""),
        ([minimum.count_ranking_answers(2, 29)], "29 answers so far; a leader is named from 30 on."),
    ],
)  # fmt: skip
def test_too_few_are_counted_with_the_number_needed(
    counts: list[minimum.Count], sentence: str
) -> None:
    assert minimum.describe_shortfall("a leader is named", *counts) == sentence
    assert minimum.is_enough(*counts) == (sentence == "")


def test_the_numbers_are_what_the_definitions_say_of_them() -> None:
    """Wilson's interval by scipy; orders of systems counted."""

    def reach(answers: int) -> float:
        ends = binomtest(answers // 2, answers).proportion_ci(method="wilson")
        return float(ends.high - ends.low) / 2

    assert reach(minimum.ANSWERS) < 0.17 < reach(minimum.ANSWERS - 2)
    by_chance = [2 / math.factorial(systems) for systems in (minimum.SYSTEMS - 1, minimum.SYSTEMS)]
    assert by_chance[1] < 0.05 < by_chance[0]
