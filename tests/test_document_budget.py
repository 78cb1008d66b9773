"""tests/evidence/budget.md is up to date, and the guide's conclusions follow from it."""

from __future__ import annotations

import pytest

from core.findings.judgements import Finding
from tests import document_budget
from tests.document_budget import PAGE, Study, at, documented

pytestmark = [pytest.mark.slow, pytest.mark.shared]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Study, Finding]]:
    return list(document_budget.figures(tmp_path_factory.mktemp("budget")))


def test_the_page_is_what_the_script_makes(found: list[tuple[Study, Finding]]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = documented(text, [study.table(result) for study, result in found])
    assert made == text, "run `python -m tests.document_budget --write` and look at the difference"


def test_the_threshold_ranks_a_biased_judge_better_at_every_budget_short_of_all(
    found: list[tuple[Study, Finding]],
) -> None:
    """Liusie et al. 2024: whatever the strategy that asks pairs in one order."""
    studies = [(study, result) for study, result in found if "logits" in study.title]
    assert studies
    for study, result in studies:
        for strategy in ("random", "ring"):
            for budget in (8, 12, 26, 56):
                plain, moved = (
                    at(result, strategy, budget, study.figure, debias)
                    for debias in ("none", "threshold")
                )
                assert moved > plain, (study.title, strategy, budget)


def test_symmetric_is_above_random_where_the_bias_is_strong_and_left_in(
    found: list[tuple[Study, Finding]],
) -> None:
    """And below it where it is mild: then more pairs tell more than both orders of few."""
    for study, result in found:
        if "logits" in study.title and study.method == "average-probability":
            symmetric, random = (
                at(result, strategy, 12, study.figure) for strategy in ("symmetric", "random")
            )
            assert (symmetric > random) == ("3 logits" in study.title), study.title


def test_on_real_answers_too_symmetric_is_above_random_where_the_judge_is_inconsistent(
    found: list[tuple[Study, Finding]],
) -> None:
    ahead = {
        study.title.split()[2]: at(result, "symmetric", 6, study.figure)
        - at(result, "random", 6, study.figure)
        for study, result in found
        if "MT-Bench" in study.title
    }
    assert ahead["Qwen2.5-7B-Instruct"] > 0.05
    assert ahead["Gemma-4-12B-it"] < -0.05
