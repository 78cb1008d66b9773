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
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.records import TandemError
from core.scratch import scratch
from tests.published import Study

RESULTS = Path(__file__).parents[1] / "results"


def texts(study: Study) -> set[tuple[str, str, str | None]]:
    """context, system, text of every generation."""
    contexts = study.store.datasets.items("d").set_index("item")["context"].to_dict()
    return {(contexts[item], system, text) for item, system, text in study.texts()}


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


# ---- HELM


def test_statistics_of_helm_alone_want_the_model(published: Study) -> None:
    with scratch() as folder:
        path = Path(shutil.copy(RESULTS / "helm" / "run" / "per_instance_stats.json", folder))
        with pytest.raises(TandemError, match=r"per_instance_stats\.json.* system name"):
            published.load(path)
        published.load(path, system_name="org/small-one")
    assert [row[0] for row in published.scores()] == ["id1", "id2"]


def test_scores_without_their_pairs(published: Study) -> None:
    published.folder.mkdir()
    name = "org/reward-one.json"
    (published.folder / "org").mkdir()
    shutil.copy(RESULTS / "eval-set-scores" / name, published.folder / name)
    report = published.load(name)
    assert any(re.search("chosen.*rejected", each) for each in report.warnings)
    assert [row[1:3] for row in published.votes()] == [["chosen", "rejected"]] * 3
