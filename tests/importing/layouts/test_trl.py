"""Preference data in the forms of huggingface/trl's its page "Dataset formats" (commit 0087e4f5,
Apache-2.0), and with the columns of data sets on the hub.
"""

from __future__ import annotations

import re

import pytest

from core.records import TandemError
from tests.published import Study, check_skipped

STANDARD = {"prompt": "The sky is", "chosen": " blue.", "rejected": " green."}
IMPLICIT = {"chosen": "The sky is blue.", "rejected": "The sky is green."}
ASKED = {"role": "user", "content": "What color is the sky?"}
BLUE, GREEN = ({"role": "assistant", "content": f"It is {color}."} for color in ("blue", "green"))
CHAT = {"prompt": [ASKED], "chosen": [BLUE], "rejected": [GREEN]}
IMPLICIT_CHAT = {"chosen": [ASKED, BLUE], "rejected": [ASKED, GREEN]}
# As HuggingFaceH4/ultrafeedback_binarized: the prompt stands by itself and in both conversations.
REPEATED = {
    "prompt": ASKED["content"], "prompt_id": "f0", "chosen": [ASKED, BLUE],
    "rejected": [ASKED, GREEN], "messages": [ASKED, BLUE], "score_chosen": 8.5, "score_rejected": 6,
}  # fmt: skip


def test_each_form_gives_the_prompt_and_both_texts(
    published: Study, subtests: pytest.Subtests
) -> None:
    for row, context, texts in [
        (STANDARD, "The sky is", [" blue.", " green."]),
        (IMPLICIT, "The sky is", [" blue.", " green."]),
        (CHAT, "What color is the sky?", ["It is blue.", "It is green."]),
        (IMPLICIT_CHAT, "What color is the sky?", ["It is blue.", "It is green."]),
        (REPEATED, "What color is the sky?", ["It is blue.", "It is green."]),
    ]:
        with subtests.test(row=row), published.renewed() as study:
            report = study.bring("train.jsonl", [row])
            assert set(report.layouts.values()) == {"trl"}
            assert study.store.datasets.items("d")["context"].tolist() == [context]
            assert [text for _, _, text in study.texts()] == texts
            assert study.votes("system_a", "system_b", "judge", "answer", "order_known") == [
                ["chosen", "rejected", "voters", "a", 0]
            ]
            assert re.search("chosen.*rejected", report.warnings[0])


def test_the_prompt_is_made_of_all_its_columns(published: Study, subtests: pytest.Subtests) -> None:
    """As in a table. A data set that knows the items by one of them alone is asked about."""
    for shared, own, context in [
        ({"instruction": "Name it."}, "input", "Name it.\n\n{}"),
        ({"question": "Color?"}, "context", "{}\n\nColor?"),
        ({"prompt": "Color?", "question": "Color"}, "passage", "{}\n\nColor?"),
    ]:
        rows = [{**shared, own: text, "chosen": text, "rejected": "-"} for text in ("sky", "sea")]
        older = next(iter(shared))
        with subtests.test(own=own), published.renewed() as study:
            study.bring("train.jsonl", rows)
            found = study.store.datasets.items("d")["context"].tolist()
            assert found == [context.format(text) for text in ("sky", "sea")]
        with subtests.test(older=older), published.renewed() as study:
            path = study.write("train.jsonl", rows)
            study.load(path, mapping={"context": older})
            assert study.store.datasets.items("d")["context"].tolist() == [shared[older]]
            with pytest.raises(TandemError, match=f"context={older}"):
                study.load(path)


def test_two_columns_that_may_each_be_the_prompt_are_asked_about(published: Study) -> None:
    with pytest.raises(TandemError, match="context=question"):
        published.bring("train.jsonl", [{"question": "a", "query": "b", **IMPLICIT}])


def test_conversations_written_as_one_text_part_at_the_last_speaker(published: Study) -> None:
    """As Anthropic's hh-rlhf; both answers begin with the same words."""
    start = "\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: Colors?\n\nAssistant:"
    row = {"chosen": f"{start} I like blue.", "rejected": f"{start} I like green."}
    published.bring("train.jsonl", [row])
    assert [text for _, _, text in published.texts()] == [" I like blue.", " I like green."]


def test_models_and_scores_are_taken_in(published: Study) -> None:
    """Columns as in argilla/ultrafeedback-binarized-preferences-cleaned; two prompts, one asked
    twice.
    """
    models = [("alpaca", "vicuna"), ("vicuna", "alpaca"), ("vicuna", "bard")]
    rows = [
        {
            "source": "evol", "prompt": f"P{n // 2}", "chosen": [BLUE], "chosen-model": better,
            "chosen-rating": 5.0, "rejected": [GREEN], "rejected-model": worse,
            "rejected-rating": None,
        }
        for n, (better, worse) in enumerate(models)
    ]  # fmt: skip
    report = published.bring("train.jsonl", rows)
    assert (report.skipped, report.warnings) == ([], [])
    votes = published.votes("item", "system_a", "system_b", "answer", "order_known")
    assert [vote[1:] for vote in votes] == [[*pair, "a", 0] for pair in models]
    assert votes[0][0] == votes[1][0] != votes[2][0]
    assert [one[1:] for one in published.scores()] == [
        ["alpaca", "overall", "score", 5.0],
        ["vicuna", "overall", "score", 5.0],
        ["vicuna", "overall", "score", 5.0],
    ]


def test_a_system_prompt_goes_with_the_prompt(published: Study) -> None:
    """As Intel/orca_dpo_pairs: system, question, chosen, rejected."""
    system, question = "Be kind.", "Who?"
    row = {"system": system, "question": question, "chosen": "You.", "rejected": "Me."}
    published.bring("train.jsonl", [row])
    context = published.store.datasets.items("d")["context"].tolist()
    assert context == [f"System: {system}\n\nUser: {question}"]


def test_what_cannot_be_used_is_said(published: Study) -> None:
    rows = [CHAT, CHAT, CHAT, {**CHAT, "rejected": None}, {**CHAT, "chosen": [ASKED]}]
    report = published.bring("train.jsonl", rows)
    check_skipped(report, {4: "lacks.*chosen.*rejected", 5: "chosen.*rejected.*answer"})
    assert len(published.votes()) == 3


def test_labels_of_a_data_set_can_be_gold(published: Study) -> None:
    from core.records import Kind

    published.load(published.write("train.jsonl", [STANDARD]), kind=Kind.GOLD)
    assert published.votes("judge", "kind") == [["gold", "gold"]]
