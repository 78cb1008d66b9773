"""FastChat's judgements, as fastchat/llm_judge/common.py writes them (lm-sys/FastChat)."""

from __future__ import annotations

from typing import Any

from tests.published import Study, check_skipped


def pair(g1: str, g2: str, **more: Any) -> dict[str, Any]:
    return {
        "question_id": 81, "model_1": "llama", "model_2": "vicuna", "g1_winner": g1, "g2_winner": g2,
        "judge": ["gpt-4", "pair-v2"], "g1_user_prompt": "p1", "g1_judgment": "[[A]]",
        "g2_user_prompt": "p2", "g2_judgment": "[[B]]", "turn": 1, "tstamp": 1687211111.5, **more,
    }  # fmt: skip


def test_pairs_in_both_orders(published: Study) -> None:
    """The winner of either game is told by its name; game 2 shows model_2 first."""
    report = published.bring(
        "gpt-4_pair.jsonl",
        [
            pair("model_1", "model_1"),
            pair("model_2", "tie", question_id=82),
            pair("error", "model_2", question_id=83),
            pair("model_1", "model_2", turn=2, judge=["gpt-4", "pair-v2-multi-turn"]),
        ],
    )
    assert report.skipped == []
    assert set(report.layouts.values()) == {"fastchat"}
    one, two = "gpt-4/pair-v2", "gpt-4/pair-v2-multi-turn/turn-2"
    assert published.votes() == [
        ["81", "llama", "vicuna", one, "a"],
        ["81", "vicuna", "llama", one, "b"],
        ["82", "llama", "vicuna", one, "b"],
        ["82", "vicuna", "llama", one, "tie"],
        ["83", "llama", "vicuna", one, "unparsed"],
        ["83", "vicuna", "llama", one, "a"],
        ["81", "llama", "vicuna", two, "a"],
        ["81", "vicuna", "llama", two, "a"],
    ]
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["raw"].tolist()[:2] == ["[[A]]", "[[B]]"]
    assert frame["created_at"].str.startswith("2023-06-19").all()
    assert set(frame["judge_kind"]) == {"llm"}


def test_a_winner_by_two_marks_has_no_order(published: Study) -> None:
    published.bring("gpt-4_pair.jsonl", [pair("model_2", "model_2", m1_score=4, m2_score=7)])
    assert published.votes("system_a", "answer", "order_known") == [["llama", "b", 0]]


def test_single_answers(published: Study) -> None:
    single = {"question_id": 81, "model": "llama", "judge": ["gpt-4", "single-v1"], "score": 8.5,
              "user_prompt": "p", "judgment": "Rating: [[8.5]]", "turn": 1, "tstamp": 1.0}  # fmt: skip
    report = published.bring(
        "gpt-4_single.jsonl",
        [
            single,
            {**single, "score": -1, "judgment": "I cannot.", "question_id": 82},
            {**single, "score": 3, "turn": 2, "judge": ["gpt-4", "single-v1-multi-turn"]},
            {**single, "judge": "gpt-4"},
        ],
    )
    check_skipped(report, {4: "'judge'.*'gpt-4'.*list"})
    assert published.scores() == [
        ["81", "llama", "overall", "gpt-4/single-v1", 8.5],
        ["82", "llama", "overall", "gpt-4/single-v1", "unparsed"],
        ["81", "llama", "overall", "gpt-4/single-v1-multi-turn/turn-2", 3],
    ]
