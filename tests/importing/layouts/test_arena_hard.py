"""Arena-Hard's games, as gen_judgment.py writes them (lmarena/arena-hard-auto): game 1 shows the
baseline as A, game 2 the model.
"""

from __future__ import annotations

from typing import Any

import pytest

from core.records import Kind, TandemError
from tests.published import Study, reasons


def row(*scores: Any, **more: Any) -> dict[str, Any]:
    return {
        "question_id": "q1", "model": "llama", "judge": "gpt-4-1106-preview",
        "games": [{"user_prompt": "u", "judgment": f"[[{score}]]", "score": score}
                  for score in scores], **more,
    }  # fmt: skip


def test_games_against_a_baseline_that_is_named(published: Study) -> None:
    path = published.write(
        "llama.jsonl",
        [
            row("A>>B", "B>A"),
            row("A=B", None, question_id="q2"),
            row("B>>A", "A>B", question_id="q3"),
        ],
    )
    report = published.load(path, systems=["gpt-4-0314"])
    assert report.skipped == []
    assert set(report.layouts.values()) == {"arena-hard"}
    assert published.votes("item", "system_a", "system_b", "answer") == [
        ["q1", "gpt-4-0314", "llama", "a"],
        ["q1", "llama", "gpt-4-0314", "b"],
        ["q2", "gpt-4-0314", "llama", "tie"],
        ["q2", "llama", "gpt-4-0314", "unparsed"],
        ["q3", "gpt-4-0314", "llama", "b"],
        ["q3", "llama", "gpt-4-0314", "a"],
    ]
    strengths = published.store.judgement_frames.load_exported("d")["strength"]
    assert strengths.fillna(0).tolist() == [2, 1, 0, 0, 2, 1]


def test_who_judged_may_be_said_where_a_layout_leaves_it_open(published: Study) -> None:
    path = published.write("llama.jsonl", [row("A>B", "A>B", baseline="o3")])
    published.load(path, kind=Kind.HUMAN)
    assert {vote[0] for vote in published.votes("kind")} == {"human"}


def test_a_kind_that_a_layout_tells_itself_is_refused(published: Study) -> None:
    """FairEval's reviews are by people."""
    path = published.write("review_x_y_human.txt", ["1: CHATGPT"])
    with pytest.raises(TandemError, match=r"kind llm .*review_x_y_human\.txt.*FairEval.*leave it"):
        published.load(path, layout="faireval", kind=Kind.LLM)


def test_without_a_baseline_it_is_asked_for(published: Study) -> None:
    path = published.write("llama.jsonl", [row("A>B", "A>B")])
    for given in ([], ["one", "two"]):
        with pytest.raises(TandemError, match=r"llama\.jsonl.*baseline.* systems, .*gpt-4-0314"):
            published.load(path, systems=given)
    assert published.store.datasets.names() == []


def test_rows_of_version_2_name_it(published: Study) -> None:
    two = row("A>B", "A>B", baseline="o3-mini", uid="u1", category="hard_prompt")
    del two["question_id"]
    verdict = "My final verdict is [[A>B]]"
    two["games"][0]["judgment"] = {"answer": verdict}
    report = published.bring("llama.jsonl", [two, {**two, "model": "o3-mini"}])
    assert reasons(report) == [(2, "compares 'o3-mini' with itself")]
    assert published.votes("item", "subset", "system_a", "answer") == [
        ["u1", "hard_prompt", "o3-mini", "a"],
        ["u1", "hard_prompt", "llama", "a"],
    ]
    raw = published.store.judgement_frames.load_exported("d")["raw"]
    assert raw.tolist() == [verdict, "[[A>B]]"]
