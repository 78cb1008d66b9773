"""Results of evaluation tools in `tests/importing/results`: made-up rows in the layouts that the
tools write.

- promptfoo.json, promptfoo.csv: promptfoo/promptfoo, src/util/output.ts (createOutputData) and
  src/util/eval/evalTableUtils.ts (buildCsvHeaders); promptfoo-graded-cells.csv: the same before
  0.120, src/util/index.ts (outputToSimpleString, `error --- output`).
- ragas.csv, ragas-old.jsonl: explodinggradients/ragas, src/ragas/dataset_schema.py (to_pandas),
  and the names of columns before 0.2.
- deepeval.json: confident-ai/deepeval, deepeval/test_run/api.py and test_run.py.
- helm/: stanford-crfm/helm, src/helm/benchmark/runner.py and presentation/run_display.py.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.importing import Reading, importer
from core.records import Dataset, TandemError
from core.scratch import scratch
from tests.published import Study, reasons

RESULTS = Path(__file__).parents[1] / "results"
VIENNA, CAIRO = "Which river flows through Vienna?", "Which river flows through Cairo?"
ALL_PASSED = "All assertions passed"
GRADES = ("[PASS]", "[FAIL]", "[ERROR]", "Reason:", "Expected output", ALL_PASSED)
FULL = 'Expected output to contain "Danube"'
TOO_MANY = "API error: 429 Too Many Requests"


def load(study: Study, *names: str, **how: Any) -> importer.ImportReport:
    return importer.load(study.store, [RESULTS / name for name in names], Dataset("d"), **how)


def texts(study: Study) -> set[tuple[str, str, str | None]]:
    """context, system, text of every generation."""
    contexts = study.store.datasets.items("d").set_index("item")["context"].to_dict()
    return {(contexts[item], system, text) for item, system, text in study.texts()}


def marks(study: Study, system: str, context: str) -> list[tuple[Any, ...]]:
    """attribute, rater, value (or the failure), what was written, of a system's texts on an item,
    in the order of the file.
    """
    rows = study.store.connection.rows(
        """SELECT a.name, j.name, r.value, r.failure, r.raw FROM scores r
        JOIN generations g ON g.id = r.generation JOIN items i ON i.id = g.item
        JOIN systems s ON s.id = g.system JOIN attributes a ON a.id = r.attribute
        JOIN judges j ON j.id = r.judge WHERE s.name = ? AND i.context = ? ORDER BY r.id""",
        (system, context),
    )
    return [
        (attribute, rater, failure or value, raw)
        for attribute, rater, value, failure, raw in map(tuple, rows)
    ]


def kinds(study: Study) -> dict[str, str]:
    frame = study.store.scores.load_all("d")
    return dict(zip(frame["rater"], frame["kind"], strict=True))


def put(study: Study, name: str, text: str) -> None:
    study.folder.mkdir(exist_ok=True)
    (study.folder / name).write_text(text)


def lines(study: Study, name: str, *rows: dict[str, Any]) -> Path:
    return study.write(name, list(rows))


def result(output: Any, score: float = 1, /, **more: Any) -> dict[str, Any]:
    """A line of promptfoo's JSON lines."""
    return {
        "provider": {"id": "p"}, "prompt": {"raw": "Q {{q}}", "label": "Q"}, "vars": {"q": "one"},
        "testIdx": 0, "promptIdx": 0, "response": {"output": output}, "success": score == 1,
        "score": score, "namedScores": {}, "gradingResult": {"score": score, "reason": "so"}, **more,
    }  # fmt: skip


# ---- promptfoo


def check_texts_without_grades(study: Study) -> None:
    """No grade stands in a text that people judge."""
    there = [text for _, _, text in texts(study) if text]
    assert len(there) == 3
    assert not [text for text in there for grade in GRADES if grade in text]


def test_promptfoo_json_holds_texts_scores_and_reasons_apart(published: Study) -> None:
    """A grader that failed gives no 0: promptfoo counts it as 0 (promptfoo issue 2084), also in the
    score of all assertions.
    """
    report = load(published, "promptfoo.json")
    assert set(report.layouts.values()) == {"promptfoo"}
    assert [(row, TOO_MANY in why) for row, why in reasons(report)] == [(4, True)]
    assert texts(published) == {
        (VIENNA, "small", "The Danube."),
        (VIENNA, "anthropic:big", "The Rhine\n---\nflows there."),
        (CAIRO, "small", '{"river": "Nile"}'),
        (CAIRO, "anthropic:big", None),
    }
    check_texts_without_grades(published)
    assert marks(published, "anthropic:big", VIENNA) == [
        ("overall", "promptfoo", 0.25, FULL), ("fact", "promptfoo", 0.0, ""),
        ("style", "promptfoo", 0.5, ""), ("fact", "promptfoo/contains", 0.0, FULL),
        ("style", "promptfoo/llm-rubric", 0.5, "Wordy."),
    ]  # fmt: skip
    assert kinds(published) == {
        "promptfoo": "baseline", "promptfoo/contains": "baseline", "promptfoo/llm-rubric": "llm"
    }  # fmt: skip
    why = "Could not extract JSON from llm-rubric response"
    assert marks(published, "small", CAIRO) == [
        ("overall", "promptfoo", f"error: {why}", why),
        ("fact", "promptfoo/contains", 1.0, "Contains Nile"),
        ("style", "promptfoo/llm-rubric", f"error: {why}", why),
    ]
    failed = ("overall", "promptfoo", f"error: {TOO_MANY}", TOO_MANY)
    assert marks(published, "anthropic:big", CAIRO) == [failed]


def test_promptfoo_tables_have_grades_in_columns_of_their_own(published: Study) -> None:
    """Two prompts repeat every name of a column; an apostrophe stands before a dash."""
    report = load(published, "promptfoo.csv")
    first = f"question: {VIENNA}\n\ntopic: rivers"
    assert [row for row, _ in reasons(report)] == [2]
    assert {text for text in texts(published) if text[0] == first} == {
        (first, "small", "The Danube."),
        (first, "anthropic:big", "- the Rhine\n---\nflows there"),
    }
    assert marks(published, "small", first) == [
        ("overall", "promptfoo", 0.95, ALL_PASSED),
        ("fact", "promptfoo", 1.0, ""),
        ("style", "promptfoo", 0.9, ""),
    ]
    assert published.store.datasets.systems("d") == ["anthropic:big", "small"]
    check_texts_without_grades(published)


def test_grades_within_cells_are_taken_out(published: Study) -> None:
    """The outputs have lines of dashes of their own, which stay."""
    load(published, "promptfoo-graded-cells.csv")
    brief, long = "Answer briefly: {{question}}", "Answer at length: {{question}}"
    dashed = "It is the Rhine\n---\nof course."
    assert texts(published) == {
        (VIENNA, brief, "The Danube."), (VIENNA, long, dashed),
        (CAIRO, brief, "Nile\n---\nand more"), (CAIRO, long, None),
    }  # fmt: skip
    check_texts_without_grades(published)
    assert marks(published, long, VIENNA)[0] == ("overall", "promptfoo", 0.25, FULL)
    assert marks(published, brief, VIENNA)[1:] == [
        ("fact", "promptfoo", 1.0, ""), ("style", "promptfoo", 0.9, "")
    ]  # fmt: skip


CELLS = [
    ("[PASS] (1.00) One line", "One line", 1.0, ""),  # the first versions
    ("[FAIL] (0.00) Too long.\n---\nA b c", "A b c", 0.0, "Too long."),
    ("[PASS] (0.50)\n\nA (x)\n\nPass Reason: Fine", "A (x)", 0.5, "Fine"),
    ("[FAIL] (0.00)\n\nPass Reason: no\n\nFail Reason: R", "Pass Reason: no", 0.0, "R"),
    ("[FAIL] (0.00)\n\nR --- S\n---\nOut\n\nFail Reason: R", "Out", 0.0, "R"),
    ("[PASS] (1.00)\n\n\n\nPass Reason: All", "", 1.0, "All"),
    # The reason has such a line, too.
    ("[FAIL] (0.00)\n\nR\n---\nS\n---\nOut\n\nFail Reason: R\n---\nS", "Out", 0.0, "R\n---\nS"),
]


def test_cells_of_every_version(published: Study, subtests: pytest.Subtests) -> None:
    for cell, text, score, reason in CELLS:
        with subtests.test(cell=cell), published.renewed() as study:
            study.load(lines(study, "t.csv", {"q": "Q", "[p] P": cell}))
            assert texts(study) == {("Q", "p", text)}
            assert marks(study, "p", "Q") == [("overall", "promptfoo", score, reason)]


def test_a_provider_that_failed_in_an_older_table_wrote_nothing(published: Study) -> None:
    cell = "[FAIL] (0.00)\n\n429\n---\n429\n\nFail Reason: 429"
    report = published.load(
        lines(published, "t.csv", {"q": "Q", "p": "[PASS] (1.00)\n\nA"}, {"q": "R", "p": cell})
    )
    assert texts(published) == {("Q", "p", "A"), ("R", "p", None)}
    assert marks(published, "p", "R") == [("overall", "promptfoo", "error: 429", "429")]
    assert [row for row, _ in reasons(report)] == [2]


def test_prompts_and_providers_are_told_apart_by_what_differs(published: Study) -> None:
    other = {"raw": "R {{q}}", "label": "R"}
    two = result("b", prompt=other, promptIdx=1)
    published.load(lines(published, "one.jsonl", result("a"), two))
    assert published.store.datasets.systems("d") == ["Q", "R"]
    both = result("c", provider="big", promptIdx=2)
    published.load(lines(published, "two.jsonl", result("a"), two, both))
    assert published.store.datasets.systems("d")[2:] == ["big / Q", "p / Q", "p / R"]


def test_a_test_that_is_repeated_has_samples_and_trials(published: Study) -> None:
    """--repeat 3: one answer came twice, and was graded otherwise."""
    path = lines(published, "r.jsonl", result("a"), result("b", 0), result("a", 0.5))
    assert published.load(path).skipped == []
    frame = published.store.scores.load_all("d")
    assert sorted(frame[["sample", "trial", "value"]].to_numpy().tolist()) == [
        [0, 0, 1.0], [0, 1, 0.5], [1, 0, 0.0]
    ]  # fmt: skip
    again = published.load(path)
    assert set(again.added.values()) == {0}


def test_whose_grades_count(published: Study) -> None:
    """Without assertions there is no score, though promptfoo lets such a test pass with 1; a person
    who overrides a grade is a person.
    """
    none = result("a", gradingResult={"score": 1, "reason": "No assertions"})
    published.load(lines(published, "n.jsonl", none, result("b", gradingResult=None)))
    assert published.scores() == []
    part = {"pass": True, "score": 1, "reason": "Manual result", "assertion": {"type": "human"}}
    graded = {"score": 1, "reason": "Manual result", "componentResults": [part]}
    published.load(lines(published, "h.jsonl", result("a", gradingResult=graded)))
    assert kinds(published) == {"promptfoo": "baseline", "promptfoo/human": "human"}


def test_objects_and_variables_that_are_no_question(published: Study) -> None:
    """promptfoo issue 4014: the output or a variable is "[object Object]"; and variables that
    promptfoo adds.
    """
    rows = [result("[object Object]"), result("a", vars={"q": {"x": [1]}})]
    report = published.load(lines(published, "o.jsonl", *rows))
    assert texts(published) == {("one", "p", None), ('{"x": [1]}', "p", "a")}
    assert [row for row, _ in reasons(report)] == [1]
    rows = [{"q": "[object Object]", "[p] P": f"[PASS] (1.00)\n\n{text}"} for text in "ab"]
    published.load(lines(published, "t.csv", *rows))
    # Nothing tells what the two tests ask: they are two items all the same.
    found = {item for item, _, text in published.texts() if text in ("a", "b")}
    assert found >= {"test-0", "test-1"}
    with published.renewed() as study:
        added = {"q": "one", "_conversation": [], "sessionId": "s"}
        study.load(lines(study, "v.jsonl", result("a", vars=added)))
        assert texts(study) == {("one", "p", "a")}


def test_a_document_is_read_wherever_its_list_lies(published: Study) -> None:
    """More than the window of the reader, behind a table of the same results."""
    body = [{"outputs": [{"text": "x" * 900}]} for _ in range(400)]
    results = [result(f"answer {n}", vars={"q": f"Q{n}"}) for n in range(400)]
    document = {"results": {"version": 2, "table": {"head": {}, "body": body}, "results": results}}
    put(published, "d.json", json.dumps(document))
    assert published.load("d.json").counts["generations"] == 400
    text = "x" * 5_000_000
    published.load(lines(published, "t.csv", {"q": "Q", "[p] P": f"[PASS] (1.00)\n\n{text}"}))
    assert ("Q", "p", text) in texts(published)


def test_a_document_that_is_cut_off_or_nested_too_deep_is_refused(published: Study) -> None:
    whole = (RESULTS / "promptfoo.json").read_text()
    deep = '{"results": {"results": [{}], "table": ' + '{"a":' * 100_000
    cuts = [whole[: int(len(whole) * cut)] for cut in (0.4, 0.8, 0.99)]
    for text, refused in [
        *((cut, r"JSON.*line \d+.*character") for cut in cuts),
        (deep, "(nested|JSON)"),
    ]:
        put(published, "cut.json", text)
        with pytest.raises(TandemError, match=rf"'cut\.json'.*{refused}"):
            published.load("cut.json")
    assert published.store.datasets.names() == []


# ---- ragas


def test_metrics_of_ragas_are_attributes(published: Study) -> None:
    """With a byte order mark, the index of the frame, and a metric that failed."""
    report = load(published, "ragas.csv", reading=Reading(system_name="s1"))
    assert (set(report.layouts.values()), report.skipped) == ({"ragas"}, [])
    assert texts(published) == {(VIENNA, "s1", "The Danube."), (CAIRO, "s1", "The Nile.")}
    assert marks(published, "s1", CAIRO) == [
        ("faithfulness", "ragas", "no-answer", ""),
        ("answer_relevancy", "ragas", 0.81, ""),
        ("overall", "bleu_score", 0.5, ""),
    ]
    assert kinds(published) == {"ragas": "llm", "bleu_score": "baseline"}
    frame = pd.read_csv(RESULTS / "ragas.csv")
    scores = published.store.scores.load_all("d")
    means = scores.groupby("attribute")["value"].mean()
    assert means["faithfulness"] == frame["faithfulness"].mean()
    assert means["answer_relevancy"] == pytest.approx(frame["answer_relevancy"].mean())
    references = published.store.datasets.items("d").set_index("context")["references"]
    assert json.loads(references[VIENNA]) == ["The Danube"]


def test_ragas_before_0_2(published: Study) -> None:
    load(published, "ragas-old.jsonl", reading=Reading(system_name="old"))
    assert marks(published, "old", CAIRO) == [
        ("faithfulness", "ragas", "no-answer", ""), ("context_precision", "ragas", 0.0, "")
    ]  # fmt: skip
    assert marks(published, "old", VIENNA)[0] == ("faithfulness", "ragas", 0.5, "")


def test_files_of_two_systems_meet_on_their_questions(published: Study) -> None:
    load(published, "ragas.csv", reading=Reading(system_name="new"))
    load(published, "ragas-old.jsonl", reading=Reading(system_name="old"))
    load(published, "deepeval.json", reading=Reading(system_name="third"))
    held = published.store.datasets.items("d")
    assert sorted(held["context"]) == ["Hello", CAIRO, VIENNA]
    assert {system for context, system, _ in texts(published) if context == VIENNA} == {
        "new", "old", "third"
    }  # fmt: skip


def ragas(**more: Any) -> dict[str, Any]:
    return {
        "user_input": "Q", "retrieved_contexts": ["c"], "response": "A", "faithfulness": 1.0, **more
    }  # fmt: skip


def test_whose_answers_they_are_is_asked(published: Study) -> None:
    path = lines(published, "r.jsonl", ragas())
    with pytest.raises(TandemError, match=r"r\.jsonl .*which system.* system name"):
        published.load(path)
    assert published.store.datasets.names() == []
    named = lines(published, "n.jsonl", ragas(model="m1"), ragas(model="m2", response="B"))
    with pytest.raises(TandemError, match=r"column 'model' of n\.jsonl .*system name m\b"):
        published.load(named, system_name="m")
    published.load(named)
    assert texts(published) == {("Q", "m1", "A"), ("Q", "m2", "B")}


def test_columns_of_numbers_beside_ragas_metrics_are_no_metrics(published: Study) -> None:
    rows = [ragas(user_input=f"Q{n}", id=n, latency=2.5, note="", topic="x") for n in range(3)]
    published.load(lines(published, "r.jsonl", *rows), system_name="s")
    assert {attribute for _, _, attribute, _, _ in published.scores()} == {"faithfulness"}


def test_rows_without_an_answer_or_a_question_are_said(published: Study) -> None:
    rows = [ragas(), ragas(user_input="R", response=None), ragas(user_input=None), ragas()]
    report = published.load(lines(published, "r.jsonl", *rows), system_name="s")
    assert [row for row, _ in reasons(report)] == [2, 3]
    assert texts(published) == {("Q", "s", "A"), ("R", "s", None)}
    # The last row grades the same answer again.
    assert published.store.scores.load_all("d")["trial"].tolist() == [0, 0, 1]


# ---- deepeval


def test_a_test_run_of_deepeval(published: Study) -> None:
    report = load(published, "deepeval.json", reading=Reading(system_name="s1"))
    assert (set(report.layouts.values()), report.skipped) == ({"deepeval"}, [])
    assert texts(published) == {
        (VIENNA, "s1", "The Danube."), (CAIRO, "s1", "The Nile."), ("Hello", "s1", "Good day.")
    }  # fmt: skip
    broken = "Evaluation LLM outputted an invalid JSON."
    assert marks(published, "s1", CAIRO) == [
        ("Answer Relevancy", "deepeval/gpt-judge", 0.4, "Too short."),
        ("Correctness [GEval]", "deepeval/gpt-judge", f"error: {broken}", broken),
        ("overall", "Exact Match", 0.0, "No match"),
    ]
    assert kinds(published) == {"deepeval/gpt-judge": "llm", "Exact Match": "baseline"}


def test_what_evaluate_of_deepeval_returns(published: Study) -> None:
    """With underscores, and a NaN that deepeval counts as a failing score (its pull request 3234)."""
    metric = {"name": "Faithfulness", "score": float("nan"), "success": False, "reason": "r",
              "evaluation_model": "m", "error": None}  # fmt: skip
    case = {"name": "n", "input": "Q", "actual_output": "A", "expected_output": "E",
            "metrics_data": [metric], "success": False}  # fmt: skip
    put(published, "e.json", json.dumps({"test_results": [case]}))
    published.load("e.json", system_name="s")
    assert marks(published, "s", "Q") == [("Faithfulness", "deepeval/m", "no-answer", "r")]
    run = json.loads((RESULTS / "deepeval.json").read_text())
    put(
        published, "latest.json", json.dumps({"testRunData": run})
    )  # the latest that deepeval keeps
    assert published.load("latest.json", system_name="s").added["generations"] == 3


# ---- HELM

RUN = "toy_qa:topic=rivers,model=org_small-one"


def test_a_run_of_helm(published: Study) -> None:
    shutil.copytree(RESULTS / "helm" / "run", published.folder / RUN)
    report = published.load()
    assert set(report.layouts.values()) == {"helm"}
    assert [one["file"] for one in report.left_out] == ["run_spec.json"]
    assert [(row["row"], "id2" in str(row["reason"])) for row in report.skipped] == [(2, True)]
    assert texts(published) == {
        (VIENNA, "org/small-one", "Danube"),  # option B
        (CAIRO, "org/small-one", None),
    }
    # What only counts (tokens, seconds) is left out; f1_score has no count.
    assert published.scores() == [
        ["toy_qa:topic=rivers/id1", "org/small-one", "overall", "exact_match", 1.0],
        ["toy_qa:topic=rivers/id2", "org/small-one", "overall", "exact_match", 0.0],
    ]
    references = published.store.datasets.items("d")["references"]
    assert [json.loads(one) for one in references] == [["Danube"], ["Nile"]]


def test_statistics_of_helm_alone_want_the_model(published: Study) -> None:
    with scratch() as folder:
        path = Path(shutil.copy(RESULTS / "helm" / "run" / "per_instance_stats.json", folder))
        with pytest.raises(TandemError, match=r"per_instance_stats\.json.* system name"):
            published.load(path)
        published.load(path, system_name="org/small-one")
    assert [row[0] for row in published.scores()] == ["id1", "id2"]


def test_perturbed_instances_are_items_of_their_own(published: Study) -> None:
    state = json.loads((RESULTS / "helm" / "run" / "scenario_state.json").read_text())
    [first, _] = state["request_states"]
    other = {**first["instance"], "input": {"text": "wich river"},
             "perturbation": {"name": "typos", "fairness": False}}  # fmt: skip
    state["request_states"] = [first, {**first, "instance": other}, {**first, "reference_index": 0}]
    put(published, "scenario_state.json", json.dumps(state))
    report = published.load("scenario_state.json")
    assert [row[0] for row in published.texts()] == ["id1", "id1/typos"]
    assert [row for row, _ in reasons(report)] == [3]


# ---- any table of one system


def test_a_plain_table_of_one_system(published: Study) -> None:
    rows = [{"id": n, "question": f"Q{n}", "answer": f"A{n}"} for n in range(3)]
    path = lines(published, "plain.csv", *rows)
    with pytest.raises(TandemError, match=r"plain\.csv.* system name\b.+NAME"):
        published.load(path)
    published.load(path, system_name="ours")
    assert texts(published) == {(f"Q{n}", "ours", f"A{n}") for n in range(3)}
    named = lines(published, "named.csv", {"id": 1, "model": "m", "output": "t"})
    with pytest.raises(TandemError, match=r"column 'model' of named\.csv .* system name\b.+ours\b"):
        published.load(named, system_name="ours")
    path = lines(published, "v.csv", {"model_a": "x", "model_b": "y", "winner": "model_a"})
    with pytest.raises(TandemError, match=r"system name z .*v\.csv.*leave it"):
        published.load(path, system_name="z")
