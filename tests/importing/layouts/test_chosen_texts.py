"""Preference data, and data sets whose texts others judged: made-up rows in published layouts.

- huggingface/trl, its page "Dataset formats" (commit 0087e4f5), and columns of data sets on the hub.
- `results`: rewardbench.jsonl, eval-set-scores/ as in allenai/reward-bench, README.md and
  rewardbench/rewardbench.py; feedback.jsonl, preference.jsonl, biggen.json as in
  prometheus-eval/prometheus-eval, README.md and BiGGen-Bench/run_response_eval.py.
"""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

import pytest

from core.importing import Reading
from core.records import Kind, TandemError
from tests.importing.layouts.test_evaluation_results import (
    CAIRO,
    RESULTS,
    VIENNA,
    lines,
    load,
    marks,
    put,
    texts,
)  # fmt: skip
from tests.published import Study, check_skipped, reasons

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
    for row, context, expected in [
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
            assert [text for _, _, text in study.texts()] == expected
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


CRITERION = "Does the answer name the river?"
WITHOUT_NAME = "Does not name it."


def test_pairs_of_rewardbench_are_gold_labels(published: Study) -> None:
    """Subsets share prompts, and may hold two texts of one author."""
    report = load(published, "rewardbench.jsonl")
    assert (set(report.layouts.values()), report.skipped) == ({"rewardbench"}, [])
    expected = [
        "alpacaeval-easy/1 gpt-big alpaca gold gold a 0", "alpacaeval-hard/1 gpt-big alpaca gold gold a 0",
        "hep-python/2 human (chosen) human (rejected) gold gold a 0",
    ]  # fmt: skip
    assert published.facts("item system_a system_b judge kind answer order_known") == expected
    assert set(published.store.datasets.items("d")["subset"]) == {
        "alpacaeval-easy", "alpacaeval-hard", "hep-python"
    }  # fmt: skip


def test_scores_of_a_reward_model_are_votes_and_scores(published: Study) -> None:
    """Scores lie in lists, equal ones are a tie (2.5 > -1.5, .1 < .3, 1 = 1). The pairs near them
    say whose texts they are.
    """
    load(published, "rewardbench.jsonl", "eval-set-scores")
    votes = [row for row in published.votes() if row[3] == "org/reward-one"]
    assert votes == [
        ["alpacaeval-easy/1", "gpt-big", "alpaca", "org/reward-one", "a"],
        ["alpacaeval-hard/1", "gpt-big", "alpaca", "org/reward-one", "b"],
        ["hep-python/2", "human (chosen)", "human (rejected)", "org/reward-one", "tie"],
    ]
    assert [row[1:] for row in published.scores()][:2] == [
        ["gpt-big", "overall", "org/reward-one", 2.5],
        ["alpaca", "overall", "org/reward-one", -1.5],
    ]


def test_scores_without_their_pairs(published: Study) -> None:
    published.folder.mkdir()
    name = "org/reward-one.json"
    (published.folder / "org").mkdir()
    shutil.copy(RESULTS / "eval-set-scores" / name, published.folder / name)
    report = published.load(name)
    assert any(re.search("chosen.*rejected", each) for each in report.warnings)
    assert [row[1:3] for row in published.votes()] == [["chosen", "rejected"]] * 3


def scored(**more: Any) -> dict[str, Any]:
    """A line of rewardbench's own output."""
    return {
        "prompt": "Q", "results": 1, "scores_chosen": 1.0, "scores_rejected": 0.0,
        "text_chosen": "A", "text_rejected": "B", **more,
    }  # fmt: skip


def test_a_score_that_is_missing_is_a_failure_and_no_tie(published: Study) -> None:
    rows = [
        scored(),
        scored(prompt="R", scores_chosen=None, scores_rejected=None),
        scored(prompt="S", scores_chosen=float("nan"), scores_rejected=float("nan")),
        scored(prompt="T", scores_chosen=[], scores_rejected=[0.5]),
    ]
    published.load(lines(published, "org/one_outputs.jsonl", *rows))
    assert [row[3:] for row in published.votes()][:3] == [
        ["org/one", "a"], ["org/one", "no-answer"], ["org/one", "no-answer"]
    ]  # fmt: skip
    assert [row[4] for row in published.scores() if row[0] != "T"] == [1.0, 0.0]
    assert "tie" not in {row[4] for row in published.votes()}


# ---- Prometheus


def test_feedback_of_prometheus(published: Study) -> None:
    """Two responses to an instruction are two samples; a score that is missing is a failure."""
    report = load(published, "feedback.jsonl", reading=Reading(system_name="writer"))
    assert (set(report.layouts.values()), report.skipped) == ({"prometheus"}, [])
    assert texts(published) == {
        (VIENNA, "writer", "The Danube."),
        (VIENNA, "writer", "Some river."),
        (CAIRO, "writer", "The Nile."),
    }
    assert marks(published, "writer", VIENNA) == [
        (CRITERION, "prometheus", 5.0, "Names it."),
        (CRITERION, "prometheus", 2.0, WITHOUT_NAME),
    ]
    assert marks(published, "writer", CAIRO) == [(CRITERION, "prometheus", "no-answer", "")]
    with published.renewed() as study:
        load(study, "feedback.jsonl", reading=Reading(system_name="writer", kind=Kind.HUMAN))
        assert set(study.store.scores.load_all("d")["kind"]) == {"human"}


def test_preferences_of_prometheus(published: Study) -> None:
    report = load(published, "preference.jsonl")
    assert [row for row, _ in reasons(report)] == [3]  # it prefers neither
    assert published.votes("system_a", "system_b", "answer", "order_known") == [
        ["response_A", "response_B", "a", 0],
        ["response_A", "response_B", "b", 0],
    ]
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["raw"].tolist() == ["Because.", "Because."]
    assert set(frame["attribute"]) == {CRITERION}
    assert [row[1:] for row in published.scores()] == [
        ["response_A", CRITERION, "prometheus", 5.0],
        ["response_B", CRITERION, "prometheus", 2.0],
        ["response_A", CRITERION, "prometheus", 1.0],
        ["response_B", CRITERION, "prometheus", 4.0],
    ]
    with published.renewed() as study:
        load(study, "preference.jsonl", reading=Reading(systems=["ours", "theirs"]))
        assert study.store.datasets.systems("d") == ["ours", "theirs"]


def test_evaluations_of_biggen_bench(published: Study) -> None:
    """A score each of five runs; the text says its system."""
    load(published, "biggen.json")
    context = "System: You plan.\n\nUser: Plan {}."
    assert texts(published) == {
        (context.format("p_0"), "org/writer", "Day 1"),
        (context.format("p_1"), "org/writer", "Day 2"),
    }
    frame = published.store.scores.load_all("d")
    assert frame[frame["item"] == "p_0"]["value"].tolist() == [4.0, 5.0, 4.0]
    rest = frame[frame["item"] == "p_1"]
    assert (rest["failure"].tolist(), rest["value"].tolist()[1]) == (["no-answer", ""], 3.0)


# ---- what was there before


def test_why_alpacaevals_judge_decided_is_kept(published: Study) -> None:
    """alpaca_eval issues 300 (null) and 223 (the explanation)."""
    row = {
        "dataset": "vicuna", "instruction": "Q", "output_1": "A", "generator_1": "base",
        "output_2": "B", "generator_2": "new", "annotator": "gpt4_fn", "preference": 2.0,
        "raw_completion": {"concise_explanation": "B is right.", "ordered_models": []},
    }  # fmt: skip
    null = {**row, "instruction": "R", "preference": None, "raw_completion": None}
    text = {**row, "instruction": "S", "preference": 1.0, "raw_completion": "Output (a)"}
    put(published, "annotations.json", json.dumps([row, null, text]))
    published.load("annotations.json")
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["raw"].tolist() == ["B is right.", "", "Output (a)"]
    assert [row[4] for row in published.votes()] == ["b", "unparsed", "a"]


def test_a_game_of_arena_hard_that_was_not_judged_is_a_failure(published: Study) -> None:
    """Version 2 writes null where the judge could not be asked, or stated no verdict."""
    row = {"uid": "u1", "category": "hard_prompt", "judge": "gpt-4.1", "model": "new",
           "baseline": "o3-mini", "games": [None, {"score": None, "judgment": {"answer": "Hm."}}]}  # fmt: skip
    good = {
        **row,
        "uid": "u2",
        "games": [{"score": "A>>B", "judgment": {"answer": "[[A>>B]]"}}] * 2,
    }
    published.load(lines(published, "new.jsonl", row, good))
    assert published.votes("item", "system_a", "answer") == [
        ["u1", "o3-mini", "unparsed"], ["u1", "new", "unparsed"],
        ["u2", "o3-mini", "a"], ["u2", "new", "a"],
    ]  # fmt: skip


def test_other_files_are_read_as_before(published: Study, subtests: pytest.Subtests) -> None:
    """Neighbours of these layouts are none of them."""
    for row in [
        {"prompt": "Q", "chosen": "A", "rejected": "B", "chosen_model": "m", "rejected_model": "n"},
        {"prompt": "Q", "chosen": "A", "rejected": "B", "score_chosen": 1, "score_rejected": 0},
        {"question": "Q", "answer": "A", "model": "m", "contexts": "c", "loss": 1},
        {"item": "i", "context": "Q", "model": "m", "response": "A", "score:x": 1},
        {"id": "i", "input": "Q", "system": "m", "output": "A", "Status": "PASS"},
        {"instance_id": "i", "input": "Q", "model": "m", "output": "A", "stats": "s"},
    ]:  # fmt: skip
        with subtests.test(row=row), published.renewed() as study:
            path = lines(study, "f.jsonl", row)
            [layout] = study.load(path).layouts.values()
            assert layout in ("trl", "generations")
