"""FairEval: verdicts line by line, and the texts they are about."""

from __future__ import annotations

import pytest

from core.importing.cells import UnrecognisedError
from core.records import TandemError
from tests.published import Study, check_skipped

REVIEW = "review_gpt35_vicuna-13b_human.txt"


def answer(model: str, text: str) -> dict[str, object]:
    return {"answer_id": "x", "model_id": model, "question_id": 1, "text": text}


def test_a_folder_of_questions_answers_and_verdicts(published: Study) -> None:
    published.write("question.jsonl", [{"question_id": 1, "text": "How?", "category": "generic"}])
    published.write("answer_gpt35.jsonl", [answer("gpt-3.5-turbo:1", "So.")])
    published.write("answer_vicuna-13b.jsonl", [answer("vicuna-13b:2", "Thus.")])
    published.write(REVIEW, ["CHATGPT", "TIE", "VICUNA13B"])
    published.write("notes.txt", ["something else"])
    report = published.load()
    assert set(report.layouts.values()) == {"faireval"}
    assert [one["file"] for one in report.left_out] == ["notes.txt"]
    assert published.texts()[:2] == [["1", "gpt35", "So."], ["1", "vicuna-13b", "Thus."]]
    assert published.votes(
        "item", "system_a", "system_b", "judge", "kind", "answer", "order_known"
    ) == [
        ["1", "gpt35", "vicuna-13b", "human", "human", "a", 0],
        ["2", "gpt35", "vicuna-13b", "human", "human", "tie", 0],
        ["3", "gpt35", "vicuna-13b", "human", "human", "b", 0],
    ]
    assert published.store.datasets.items("d").drop(columns="family").to_numpy().tolist()[0] == [
        "1",
        "How?",
        "[]",
        "generic",
    ]


def test_a_line_that_is_no_verdict(published: Study) -> None:
    report = published.bring(REVIEW, ["CHATGPT", "", "GPT", "TIE"])
    check_skipped(report, {3: "'GPT'.*CHATGPT, VICUNA13B, TIE"})
    assert [item for item, *_ in published.votes()] == ["1", "4"]


def test_plain_text_under_another_name_is_in_no_layout(published: Study) -> None:
    with pytest.raises(UnrecognisedError, match=r"verdicts\.txt .*plain.*\.jsonl"):
        published.bring("verdicts.txt", ["CHATGPT"])
    with pytest.raises(TandemError, match=r"review_human\.txt .* review_FIRST_SECOND_JUDGE\.txt"):
        published.bring("review_human.txt", ["CHATGPT"])
