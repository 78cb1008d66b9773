"""Headlines name nobody below a stated minimum, and say how many it takes."""

from __future__ import annotations

import math

from scipy.stats import binomtest

from core.findings.judgements import minimum
from tests.golden_text import approve
from tests.sentence_facts import list_figures


def test_too_few_are_counted_with_the_number_needed() -> None:
    count, items, ranking = (
        minimum.count_answers,
        minimum.count_items,
        minimum.count_ranking_answers,
    )
    cases: list[tuple[list[minimum.Count], list[float]]] = [
        ([count(30)], []),
        ([count(2, "human vote")], [2, 30]),
        ([count(29, "vote"), items(10)], [29, 30]),
        ([count(1), items(1)], [1, 1, 30, 10]),
        ([ranking(53, 264)], [264, 265]),  # ten answers each of 53, as an answer is about two
        ([ranking(53, 265)], []),
        ([ranking(2, 29)], [29, 30]),
    ]
    for counts, figures in cases:
        said = minimum.describe_shortfall("a leader is named", *counts)
        assert list_figures(said) == figures
        assert minimum.is_enough(*counts) == (figures == [])


def test_the_sentences() -> None:
    """One and several, of one kind and of two."""
    cases = [
        [minimum.count_answers(2, "human vote")],
        [minimum.count_answers(1), minimum.count_items(1)],
        [minimum.count_answers(29), minimum.count_items(10)],
        [minimum.count_answers(30), minimum.count_items(9)],
    ]
    said = [minimum.describe_shortfall("a leader is named", *counts) for counts in cases]
    approve("shortfall", "\n".join(said))


def test_the_numbers_are_what_the_definitions_say_of_them() -> None:
    """Wilson's interval by scipy; orders of systems counted."""

    def reach(answers: int) -> float:
        ends = binomtest(answers // 2, answers).proportion_ci(method="wilson")
        return float(ends.high - ends.low) / 2

    assert reach(minimum.ANSWERS) < 0.17 < reach(minimum.ANSWERS - 2)
    by_chance = [2 / math.factorial(systems) for systems in (minimum.SYSTEMS - 1, minimum.SYSTEMS)]
    assert by_chance[1] < 0.05 < by_chance[0]
