"""Files of other annotation tools, in their layouts."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from core.records import TandemError
from tests.published import Study, check_skipped

# ---- Label Studio: its page "Label Studio Task Format", and the template pairwise-classification
# (config.xml, commit 5daa24b4) of HumanSignal/label-studio (Apache-2.0).


def annotation(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": 1001, "result": list(results), "was_cancelled": False, "ground_truth": False,
        "created_at": "2021-03-09T22:16:08.728353Z", "updated_at": "2021-03-09T22:16:09.728378Z",
        "lead_time": 4.288, "task": 1, "completed_by": 10, **more,
    }  # fmt: skip


def pairwise(side: str, name: str = "pw") -> dict[str, Any]:
    return {
        "value": {"selected": side}, "id": "Prs1iTKZzp", "from_name": name, "to_name": "text1,text2",
        "type": "pairwise", "origin": "manual",
    }  # fmt: skip


def choice(word: str) -> dict[str, Any]:
    return {"value": {"choices": [word]}, "from_name": "tie", "to_name": "text1", "type": "choices"}


SIDES = "system_a system_b judge answer"


def task(n: int, *annotations: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {
        "id": n, "data": {"text1": f"One {n}", "text2": f"Two {n}", "prompt": f"P{n}", **data},
        "annotations": list(annotations), "predictions": [], "project": 83,
    }  # fmt: skip


def test_label_studio_tasks(published: Study) -> None:
    why = {
        "value": {"text": ["Shorter."]}, "from_name": "why", "to_name": "text1", "type": "textarea",
    }  # fmt: skip
    by = {"id": 3, "email": "ann@example.org", "first_name": "", "last_name": ""}
    rows = [
        task(1, annotation(pairwise("left"), why), annotation(pairwise("right"), completed_by=by)),
        task(2, annotation(choice("Tie")), annotation(), annotation(was_cancelled=True)),
        task(3),
        task(4, annotation(choice("B is much better"))),
    ]
    report = published.bring("project-83.json", rows)
    assert (report.skipped, set(report.layouts.values())) == ([], {"label-studio"})
    said = ["10 a", "ann@example.org b", "10 tie", "10 no-answer", "10 skipped", "10 b"]
    assert [row.replace("annotator-", "") for row in published.facts(SIDES)] == [
        f"text1 text2 {each}" for each in said
    ]
    frame = published.store.judgement_frames.load_exported("d")
    first = frame.iloc[0]
    assert (first["comment"], first["seconds"], first["order_known"]) == ("Shorter.", 4.288, 1)
    assert first["created_at"] == "2021-03-09T22:16:08.728353+00:00"
    assert frame["strength"].tolist()[-1] == 1.0
    # A task that nobody has annotated keeps its texts.
    assert {"One 3", "Two 3"} <= {text for _, _, text in published.texts()}
    assert "text1 and text2" in report.warnings[0]


def test_label_studio_predictions_are_votes_of_a_model(published: Study) -> None:
    row = task(1, annotation(pairwise("left", "fluency")), model_a="x", model_b="y")
    row["predictions"] = [{"model_version": "gpt-4", "score": 0.9, "result": [pairwise("right")]}]
    published.bring("tasks.json", [row])
    expected = ["x y annotator-10 a human fluency", "x y gpt-4 b llm overall"]
    assert published.facts(f"{SIDES} kind attribute") == expected


def test_label_studio_texts_of_other_names_are_asked_for(published: Study) -> None:
    data = {"ours": "One", "theirs": "Two"}
    path = published.write("tasks.json", [{"id": 1, "data": data, "annotations": [annotation(pairwise("left"))]}])  # fmt: skip
    with pytest.raises(TandemError, match=r"ours, theirs .*map text_a=FIELD.+map text_b=FIELD"):
        published.load(path)
    mapping = {"text_a": "ours", "text_b": "theirs"}
    report = published.load(path, mapping=mapping, systems=("x", "y"))
    assert (report.skipped, report.warnings) == ([], [])
    assert published.facts(f"item {SIDES}") == ["task-1 x y annotator-10 a"]


# ---- Argilla: argilla/src/argilla/records/_resource.py, `Record.to_dict` (commit 0991739b), and
# _io/_generic.py for the flattened form (commit 02e0d37e) of argilla-io/argilla (Apache-2.0).

ANN, BOB = "11111111-0000-0000-0000-000000000001", "22222222-0000-0000-0000-000000000002"


def record(responses: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "r1", "fields": {"prompt": "P", "reply-1": "One.", "reply-2": "Two."}, "metadata": {},
        "suggestions": {}, "responses": responses, "vectors": {}, "_server_id": "5a", **more,
    }  # fmt: skip


def test_argilla_rankings_are_votes_by_user(published: Study) -> None:
    equal = [{"value": "reply-1", "rank": 1}, {"value": "reply-2", "rank": 1}]
    ranking = [{"value": ["reply-2", "reply-1"], "user_id": ANN}, {"value": equal, "user_id": BOB}]
    responses = {"ranking": ranking, "why": [{"value": "Better.", "user_id": ANN}]}
    suggested = {"ranking": {"value": ["reply-1", "reply-2"], "score": None, "agent": "gpt-4"}}
    report = published.bring("records.json", [record(responses, suggestions=suggested)])
    assert (report.skipped, set(report.layouts.values())) == ([], {"argilla"})
    said = [f"{ANN} b", f"{BOB} tie", "gpt-4 a"]
    assert published.facts(SIDES) == [f"reply-1 reply-2 {each}" for each in said]
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["comment"].tolist() == ["Better.", "", ""]
    assert frame["order_known"].tolist() == [0, 0, 0]
    assert published.store.datasets.items("d")["context"].tolist() == ["P"]  # the other field


def test_argilla_ranks_labels_and_records_without_an_answer(published: Study) -> None:
    fields = {"prompt": "P", "reply-1": "One.", "reply-2": "Two.", "reply-3": "Three."}
    names = {f"reply-{n}_model": name for n, name in enumerate("xyz", start=1)}
    value = [{"value": ["reply-3", "reply-1", "reply-2"], "user_id": ANN}]
    published.bring("records.json", [record({"ranking": value}, fields=fields, metadata=names)])
    assert published.facts("system_a system_b answer") == ["x y a", "x z b", "y z b"]
    fields = {"response_a": "One.", "response_b": "Two."}
    answers: dict[str, Any] = {
        "P": {"preference": [{"value": "response_b", "user_id": ANN}]},
        "Q": {"preference": [{"value": "tie", "user_id": ANN}]},
        "R": {},
    }
    with published.renewed() as study:
        rows = [record(each, fields={**fields, "prompt": name}) for name, each in answers.items()]
        assert study.bring("records.json", rows).skipped == []
        assert (study.facts("answer"), len(study.texts())) == (["b", "tie"], 6)


def test_argilla_on_the_hub(published: Study) -> None:
    """Flattened, and as version 1 writes it: src/argilla/client/feedback/integrations/huggingface/
    dataset.py (commit 098c0d53).
    """
    told = {"prompt": "P", "reply-1": "One.", "reply-2": "Two."}
    flattened = {
        "id": "r1", "_server_id": "5a", **told,
        "ranking.responses": [["reply-2", "reply-1"], ["reply-1", "reply-2"]],
        "ranking.responses.users": [ANN, BOB], "ranking.responses.status": ["submitted", "discarded"],
    }  # fmt: skip
    ranks = {"rank": [2, 1], "value": ["reply-1", "reply-2"]}  # as `datasets` loads objects
    older = {
        **told, "preference": [{"user_id": ANN, "value": ranks, "status": "submitted"}],
        "preference-suggestion": None,
        "preference-suggestion-metadata": {"type": None, "score": None, "agent": None},
        "external_id": "e1", "metadata": '{"reply-1_model": "x", "reply-2_model": "y"}',
    }  # fmt: skip
    published.bring("train.jsonl", [flattened])
    assert published.facts("judge answer") == [f"{ANN} b", f"{BOB} discarded"]
    with published.renewed() as study:
        assert set(study.bring("train.jsonl", [older]).layouts.values()) == {"argilla"}
        assert study.facts(SIDES) == [f"x y {ANN} b"]


# ---- Potato: its page "Pairwise Comparison Annotation" (commit 480a4824), potato/server_utils/schemas/pairwise.py
# and example-projects/dialogue_analysis/annotation_output (commit ea6a6f9a) of davidjurgens/potato.


def instance(n: int, labels: dict[str, Any], **behaviour: Any) -> dict[str, Any]:
    return {
        "id": str(n), "displayed_text": "<b>A.</b> One<br><b>B.</b> Two", "label_annotations": labels,
        "span_annotations": {}, "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 4s ", **behaviour},
    }  # fmt: skip


def test_potato_instances_by_annotator_with_the_data_beside(published: Study) -> None:
    data = [
        {"id": str(n), "text": [f"One {n}", f"Two {n}"], "systems": ["x", "y"]} for n in range(4)
    ]
    published.write("data/pairs.jsonl", data)
    rationale = "It is short."
    why = json.dumps({"reasons": ["Clear"], "rationale": rationale})
    ann = [
        instance(0, {"preference": {"selection": "A", "justification": why}}),
        instance(1, {"preference": {"selection": "tie"}}),
        instance(2, {"preference": {"selection": "A"}}, presentation_order={"preference": [1, 0]}),
    ]
    bob = [
        instance(3, {"fluency": {"scale_value": "2"}}),
        instance(0, {"helpful": {"safety": "B"}}),
    ]
    published.write("annotation_output/ann/annotated_instances.jsonl", ann)
    published.write("annotation_output/bob/annotated_instances.jsonl", bob)
    report = published.load("annotation_output")
    assert (report.skipped, set(report.layouts.values())) == ([], {"potato"})
    expected = [
        "0 x y ann a overall", "1 x y ann tie overall", "2 y x ann a overall",  # swapped on the screen
        "3 x y bob b fluency", "0 x y bob b safety",
    ]  # fmt: skip
    assert published.facts(f"item {SIDES} attribute") == expected
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["comment"].tolist()[0] == f"Clear: {rationale}"
    assert frame["strength"].tolist()[3] == 2
    assert published.texts()[0] == ["0", "x", "One 0"]


def test_potato_without_its_data_is_still_read(published: Study) -> None:
    rows = [instance(0, {"preference": {"selection": "B"}}), instance(1, {"emotion": {"joy": "true"}}),
            instance(2, {"preference": {"selection": ""}})]  # fmt: skip
    report = published.bring("ann/annotated_instances.jsonl", rows)
    check_skipped(report, {2: "instance '1'.*pairwise"})
    assert published.votes() == [["0", "A", "B", "ann", "b"], ["2", "A", "B", "ann", "no-answer"]]
    assert re.search("data file.* A and B$", report.warnings[0])
    published.write("data.jsonl", [{"id": str(n), "text": [f"a{n}", f"b{n}"]} for n in range(3)])
    published.load("ann/annotated_instances.jsonl")
    assert {"a0", "b0", "a2", "b2"} <= {text for *_, text in published.texts()}


def state(user: str, answers: dict[str, tuple[str, str, str]], **behaviour: Any) -> dict[str, Any]:
    """What Potato 2 keeps of an annotator: potato/user_state_management.py, `to_json` (commit
    03a76ccc), with potato/interaction_tracking.py, `BehavioralData.to_dict` (commit 050a8189).
    """
    return {
        "user_id": user, "instance_id_ordering": list(answers), "current_instance_index": 1,
        "current_phase_and_page": ["annotation", "annotation"], "completed_phase_and_pages": [],
        "max_assignments": -1,
        "instance_id_to_behavioral_data": {
            instance: {
                "instance_id": instance, "session_start": 1738700000.0, "session_end": 1738700015.5,
                "total_time_ms": 15500, "interactions": [{"event_type": "click", "target": "x"}],
                "ai_usage": [], "annotation_changes": [], "navigation_history": [],
                "focus_time_by_element": {}, "scroll_depth_max": 95.0,
                "keyword_highlights_shown": [], **behaviour,
            }
            for instance in answers
        },
        "instance_id_to_label_to_value": {
            instance: [[{"schema": schema, "name": name}, value]]
            for instance, (schema, name, value) in answers.items()
        },
        "instance_id_to_span_to_value": {}, "phase_to_page_to_label_to_value": {},
        "phase_to_page_to_span_to_value": {},
        "training_state": {"completed_questions": {}, "passed": False, "training_instances": []},
        "instance_id_to_keyword_highlight_state": {},
    }  # fmt: skip


def test_potato_2_keeps_the_state_of_each_annotator(published: Study) -> None:
    published.write("data/pairs.jsonl", [
        {"id": f"p{n}", "text": [f"One {n}", f"Two {n}"], "systems": ["x", "y"]} for n in range(2)
    ])  # fmt: skip
    ann = {"p0": ("preference", "selection", "A"), "p1": ("fluency", "scale_value", "2")}
    swapped = {"presentation_order": {"preference": [1, 0]}}
    for user, own in (
        ("ann", state("ann", ann)),
        ("bob", state("bob", {"p0": ("preference", "selection", "tie")}, **swapped)),
    ):
        path = published.write(f"annotation_output/{user}/user_state.json", [])
        path.write_text(json.dumps(own, indent=2))
    report = published.load("annotation_output")
    assert (report.skipped, set(report.layouts.values())) == ([], {"potato"})
    expected = ["p0 x y ann a overall", "p1 x y ann b fluency", "p0 y x bob tie overall"]
    assert published.facts(f"item {SIDES} attribute") == expected
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["seconds"].tolist() == [15.5] * 3
    # date -u -d @1738700015 says Tue Feb  4 20:13:35 UTC 2025
    assert set(frame["created_at"]) == {"2025-02-04T20:13:35.500000+00:00"}


# ---- LangSmith: python/langsmith/schemas.py, Run and Feedback (commit 017fb358), and
# evaluation/_runner.py of langchain-ai/langsmith-sdk (MIT).


def run(n: str, session: str, example: str, text: str) -> dict[str, Any]:
    return {
        "id": n, "name": "target", "run_type": "chain", "session_id": session, "parent_run_id": None,
        "reference_example_id": example, "inputs": {"question": f"Q of {example}"},
        "outputs": {"output": text},
    }  # fmt: skip


def feedback(group: str, run_id: str, score: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": f"f-{group}-{run_id}", "key": "ranked_preference", "run_id": run_id, "score": score,
        "value": None, "comment": None, "session_id": "s1", "feedback_group_id": group,
        "comparative_experiment_id": "c1", "created_at": "2024-05-07T21:30:00.000000+00:00",
        "feedback_source": {"type": "api", "metadata": {}}, **more,
    }  # fmt: skip


def test_langsmith_groups_of_feedback_are_votes(published: Study) -> None:
    published.write(
        "runs.jsonl",
        [run(f"r{e}{s}", s, f"e{e}", f"Text {e}{s}") for e in (1, 2, 3) for s in ("s1", "s2")],
    )
    person = {"feedback_source": {"type": "app", "user_name": "ann", "metadata": {}}}
    model = {"feedback_source": {"type": "model", "metadata": {"model": "gpt-4"}}}
    rows = [
        feedback("g1", "r1s1", 1, **model, comment="Clear."), feedback("g1", "r1s2", 0, **model),
        feedback("g2", "r2s2", 0.5), feedback("g2", "r2s1", 0.5),
        feedback("g3", "r3s1", None, **person), feedback("g3", "r3s2", None, **person),
        feedback("g4", "r3s1", 1), feedback("", "r1s1", 1, key="correctness"),
    ]  # fmt: skip
    published.write("feedback.jsonl", rows)
    report = published.load()
    assert set(report.layouts.values()) == {"langsmith"}
    check_skipped(report, {7: r"group.*\b1 runs\b.*two", 8: "no feedback_group_id"})
    expected = ["gpt-4 a llm", "voters tie human", "ann no-answer human"]
    assert published.facts("judge answer kind") == expected
    assert published.facts("item system_a system_b") == ["e1 s1 s2", "e2 s2 s1", "e3 s1 s2"]
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["comment"].tolist() == ["Clear.", "", ""]
    assert frame["order_known"].tolist() == [0, 0, 0]
    assert published.texts()[0] == ["e1", "s1", "Text 1s1"]


# ---- Pairs that nobody has compared yet, as `shared/cases/pairs-to-annotate` has them.

LS_TASKS = [
    {"id": n, "data": {"prompt": f"Q{n}", "text1": f"a{n}", "text2": f"b{n}"}} for n in range(3)
]
FIELDS = {"prompt": "P", "response_a": "One.", "response_b": "Two."}
POTATO_PAIRS = [{"id": str(n), "text": [f"a{n}", f"b{n}"]} for n in range(3)]


def test_pairs_to_annotate_ask_whose_texts_they_are(
    published: Study, subtests: pytest.Subtests
) -> None:
    for name, rows, layout in [
        ("ls_tasks.json", LS_TASKS, "label-studio"),
        ("exported.json", [{**row, "annotations": []} for row in LS_TASKS], "label-studio"),
        ("potato.jsonl", POTATO_PAIRS, "potato"),
        ("records.json", [record({}, fields=FIELDS)], "argilla"),
    ]:
        with subtests.test(name=name), published.renewed() as study:
            path = study.write(name, rows)
            with pytest.raises(TandemError, match=r"whose.*two.* systems FIRST\b.+SECOND"):
                study.load(path)
            report = study.load(path, systems=("gpt", "claude"))
            assert (report.skipped, set(report.layouts.values())) == ([], {layout})
            assert (study.votes(), len(study.texts())) == ([], 2 * len(rows))
            assert study.store.datasets.systems("d") == ["claude", "gpt"]
            assert len(study.store.datasets.items("d")) == len(rows)
    report = published.bring("p.jsonl", [{**row, "systems": ["x", "y"]} for row in POTATO_PAIRS])
    assert report.skipped == []  # pairs that name their systems are not asked
    assert published.facts("texts")[:2] == ["0 x a0", "0 y b0"]
