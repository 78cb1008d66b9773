"""Published sets of comparisons and ratings whose rows are nested, in the layouts of their cards:
openai/webgpt_comparisons, nvidia/HelpSteer3, openai/summarize_from_feedback, openbmb/UltraFeedback.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.published import Study, reasons


def webgpt(first: float, second: float) -> dict[str, Any]:
    return {
        "question": {"full_text": f"Why {first}?"}, "answer_0": "zero", "answer_1": "one",
        "score_0": first, "score_1": second,
    }  # fmt: skip


def test_the_higher_score_wins(published: Study) -> None:
    published.bring("w.jsonl", [webgpt(0.5, -0.5), webgpt(0, 0), webgpt(-1, 1)])
    assert published.votes("system_a", "system_b", "outcome") == [
        ["answer_0", "answer_1", "a"],
        ["answer_0", "answer_1", "tie"],
        ["answer_0", "answer_1", "b"],
    ]


def test_a_preference_has_a_side_and_a_strength(published: Study) -> None:
    rows = [
        {
            "context": [{"role": "user", "content": f"Q{each}"}], "domain": "code",
            "response1": "one", "response2": "two", "overall_preference": each,
            "individual_preference": [],
        }
        for each in (-3, 0, 2, 4)
    ]  # fmt: skip
    report = published.bring("h.jsonl", rows)
    assert [row for row, _ in reasons(report)] == [4]
    frame = published.store.judgement_frames.load_all("d")
    assert frame["outcome"].tolist() == ["a", "tie", "b"]
    strengths = published.store.connection.rows("SELECT strength FROM judgements ORDER BY id")
    assert [each for (each,) in strengths] == pytest.approx([1, None, 2 / 3])
    assert published.store.datasets.items("d")["context"].tolist() == ["Q-3", "Q0", "Q2"]


def test_policies_are_the_systems(published: Study) -> None:
    row = {
        "info": {"id": "t1", "post": None, "article": "An article."}, "worker": "w", "choice": 1,
        "summaries": [{"text": "s", "policy": "ref"}, {"text": "t", "policy": "sup4"}],
    }  # fmt: skip
    report = published.bring("b.json", [row, {**row, "choice": 2}])
    assert [number for number, _ in reasons(report)] == [2]
    assert published.votes() == [["t1", "ref", "sup4", "w", "b"]]
    assert published.store.datasets.items("d")["context"].tolist() == ["An article."]


def test_ratings_are_scores_and_what_is_not_applicable_is_none(published: Study) -> None:
    completion = {
        "model": "m", "response": "text",
        "annotations": {"honesty": {"Rating": "N/A"}, "helpfulness": {"Rating": "4"}},
    }  # fmt: skip
    row = {"instruction": "Do.", "models": ["m"], "completions": [completion]}
    published.bring("u.jsonl", [row])
    assert [row[1:] for row in published.scores()] == [["m", "helpfulness", "gpt-4", 4.0]]
    assert [row[1:] for row in published.texts()] == [["m", "text"]]
