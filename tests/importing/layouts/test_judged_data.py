"""Data sets whose texts others judged, in `tests/importing/results`: made-up rows in the layouts
of the published files.

- rewardbench.jsonl, eval-set-scores/: allenai/reward-bench, README.md and rewardbench/rewardbench.py
  (a column a key in its results on the hub).
- feedback.jsonl, preference.jsonl, biggen.json: prometheus-eval/prometheus-eval, README.md and
  BiGGen-Bench/run_response_eval.py.
"""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

import pytest

from core.importing import Reading
from core.records import Kind
from tests.importing.layouts.test_evaluation_results import (
    CAIRO,
    RESULTS,
    VIENNA,
    lines,
    load,
    marks,
    put,
    texts,
)
from tests.published import Study, reasons

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
