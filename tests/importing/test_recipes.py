"""Recipes of `docs/importing.md` are run on files as the tools write them: what comes of it is what the
layouts of 2.0 gave, and a file without its recipe is refused by the recipe's name.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.__main__ import main
from core.importing.recipes import TOOLS
from core.records import TandemError
from core.store import Store
from tests.paths import ROOT
from tests.published import Study

HERE = Path(__file__).parent
FILES = HERE / "recipes"
SECTION = (ROOT / "docs/importing.md").read_text(encoding="utf-8").partition("\n## Recipes\n")[2]
RECIPE = re.compile(r"\*\*([\w-]+)\*\*([^\n]*): `([^`\n]*)`\n\n```python\n(.*?)```", re.DOTALL)
RECIPES = {f"{name}{more}".partition(" (")[0]: (command, code)
           for name, more, command, code in RECIPE.findall(SECTION)}  # fmt: skip
VIENNA, CAIRO = (f"Which river flows through {city}?" for city in ("Vienna", "Cairo"))
NAMED = "Does the answer name the river?"
"""A criterion of Prometheus."""
GIVEN: dict[str, tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]] = {
    "promptfoo": (
        {(VIENNA, "small", "The Danube."), (VIENNA, "anthropic:big", "The Rhine\n---\nflows there.")},
        {(VIENNA, "small", "overall", "promptfoo", 1), (VIENNA, "anthropic:big", "overall", "promptfoo", 0.25)},
    ),
    "ragas": (
        {(VIENNA, "ours", "The Danube."), (CAIRO, "ours", "The Nile.")},
        {(VIENNA, "ours", "faithfulness", "ragas", 1), (VIENNA, "ours", "overall", "bleu_score", 0.4),
         (CAIRO, "ours", "overall", "bleu_score", 0.5)},
    ),
    "deepeval": (
        {(VIENNA, "ours", "The Danube."), (CAIRO, "ours", "The Nile.")},
        {(VIENNA, "ours", "Answer Relevancy", "deepeval/gpt-judge", 0.9),
         (VIENNA, "ours", "Correctness [GEval]", "deepeval/gpt-judge", 0.8),
         (CAIRO, "ours", "Answer Relevancy", "deepeval/gpt-judge", 0.4)},
    ),
    "lm-evaluation-harness": (
        {(f"What is the capital of {land}?", "small-one", "lol") for land in ("Norway", "Chile")},
        {(f"What is the capital of {land}?", "small-one", "overall", "exact_match", 0)
         for land in ("Norway", "Chile")},
    ),
    "Inspect": (
        {("Yes or no?", "openai/gpt-4o", "No"), ("Yes or no?", "openai/gpt-4o", "Yes")},
        {("Yes or no?", "openai/gpt-4o", "overall", "match", grade) for grade in (0, 1)},
    ),
    "HELM": (
        {(VIENNA, "org/small-one", "Danube")},
        {(VIENNA, "org/small-one", "overall", "exact_match", 1)},
    ),
    "Prometheus, Feedback Collection": (
        {(VIENNA, "ours", "The Danube."), (VIENNA, "ours", "Some river."), (CAIRO, "ours", "The Nile.")},
        {(VIENNA, "ours", NAMED, "prometheus", 5), (VIENNA, "ours", NAMED, "prometheus", 2)},
    ),
    "Prometheus, BiGGen-Bench": (
        {("Plan p_0.", "org/writer", "Day 1"), ("Plan p_1.", "org/writer", "Day 2")},
        {("Plan p_0.", "org/writer", "overall", "prometheus-7b", 4)},
    ),
    "UniEval": (
        {(f"{item}\n\na fact", system, f"{item} {n}")
         for item in ("one", "two") for n, system in ((1, "first"), (2, "second"))},
        {(f"{item}\n\na fact", system, "overall", "human", 3.5)
         for item in ("one", "two") for system in ("first", "second")},
    ),
    "Prometheus, Preference Collection": (
        {(VIENNA, "response_A", "response_B", "a", NAMED), (CAIRO, "response_A", "response_B", "b", NAMED),
         (CAIRO, "response_A", "response_B", None, NAMED)},
        set(),
    ),
    "MultiPref": (
        {(VIENNA, "tulu", "llama", "a", "overall"), (VIENNA, "tulu", "llama", "tie", "helpful"),
         (VIENNA, "tulu", "llama", "b", "overall"), (CAIRO, "tulu", "llama", "tie", "overall"),
         (CAIRO, "tulu", "llama", "a", "helpful")},
        set(),
    ),
    "WMT": (
        {("deu-eng/7", "m1", "m2", "a", "overall"), ("deu-eng/7", "m1", "m3", "a", "overall"),
         ("deu-eng/7", "m2", "m3", "tie", "overall"), ("deu-eng/7", "m1", "m4", "b", "overall"),
         ("deu-eng/8", "m1", "m2", "b", "overall")},
        set(),
    ),
    "LangSmith": (
        {("e1", "s1", "s2", "a", "overall"), ("e2", "s2", "s1", "tie", "overall"), ("e3", "s1", "s2", None, "overall")},
        set(),
    ),
}  # fmt: skip
"""What the layouts gave: texts by context and system, and their scores; or votes."""


def list_votes(store: Store, *, are_as_shown: bool) -> set[tuple[Any, ...]]:
    votes = store.judgement_frames.load_exported("d").astype(object)
    assert set(votes["order_known"]) == {int(are_as_shown)}
    names = ["item", "system_a", "system_b", "winner", "attribute"]
    items = store.datasets.items("d").set_index("item")["context"].to_dict()
    rows = votes.where(votes.notna(), None)[names].to_numpy().tolist()
    return {(items[item] or item, *row) for item, *row in rows}


def list_texts(store: Store) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
    contexts = store.datasets.items("d").set_index("item")["context"].to_dict()
    texts, scores = store.texts.generations("d"), store.scores.load_all("d")
    scores = scores[scores["failure"] == ""]
    return (
        {(contexts[item], *row) for item, *row in texts[["item", "system", "text"]].to_numpy()},
        {(contexts[item], *row) for item, *row in
         scores[["item", "system", "attribute", "rater", "value"]].to_numpy()},
    )  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_a_recipe_gives_what_the_layout_gave(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(FILES, tmp_path / "files"))
    command, code = RECIPES[name]
    exec(code, {"json": json, "pd": pd})
    words = ["--store", "store.sqlite3", *shlex.split(command), "--dataset", "d"]
    assert main(words) == 0
    with Store(Path("store.sqlite3")) as store:
        if GIVEN[name][1]:
            assert list_texts(store) == GIVEN[name]
        else:
            assert list_votes(store, are_as_shown=name == "MultiPref") == GIVEN[name][0]


def test_every_recipe_is_run() -> None:
    assert set(RECIPES) == set(GIVEN)
    assert {name.partition(",")[0] for name in RECIPES} == {*TOOLS.values(), "UniEval"}
    assert all(3 <= len(code.splitlines()) <= 8 for _, code in RECIPES.values())


def write_cells(name: str, cell: str) -> tuple[str, str]:
    return name, f'q,[p] P\nQ,"{cell}"\n'


OTHERS = dict(
    [
        write_cells("graded.csv", "[FAIL] (0.00) Too long."),
        ("line.jsonl", '{"provider": "p", "prompt": "q", "vars": {}, "success": 1, "score": 1, "testIdx": 0}'),
        ("cases.json", '[{"input": "q", "actual_output": "a", "metrics_data": []}]'),
        ("test_run.json", '{"testPassed": 1, "conversationalTestCases": [{"turns": [], "metricsData": []}]}'),
    ]
)  # fmt: skip
"""Small files in further forms -> what is in them."""
OF = {
    "graded.csv": "promptfoo", "line.jsonl": "promptfoo", "cases.json": "deepeval",
    "test_run.json": "deepeval", "results.json": "promptfoo", "promptfoo.csv": "promptfoo",
    "promptfoo-graded-cells.csv": "promptfoo", "ragas.csv": "ragas", "ragas-old.jsonl": "ragas",
    "deepeval.json": "deepeval", "samples.jsonl": "lm-evaluation-harness", "log.json": "Inspect",
    "capitals.eval": "Inspect", "instances.json": "HELM", "display_predictions.json": "HELM",
    "scenario_state.json": "HELM", "per_instance_stats.json": "HELM", "scored.jsonl": "Prometheus",
    "preference.jsonl": "Prometheus", "biggen.json": "Prometheus", "runs.jsonl": "LangSmith",
    "feedback.jsonl": "LangSmith", "newsroom.json": "system_id", "multipref.jsonl": "MultiPref",
    "wmt.csv": "WMT",
}  # fmt: skip


def test_files_that_a_recipe_is_for_are_refused_by_its_name(
    published: Study, subtests: pytest.Subtests
) -> None:
    """By itself, in a folder, and where their layout of 2.0 is asked for."""
    shutil.copytree(FILES, published.folder)
    for name, text in OTHERS.items():
        (published.folder / name).write_text(text)
    assert {path.name for path in published.folder.iterdir()} == set(OF)
    for name, tool in OF.items():
        with subtests.test(name), pytest.raises(TandemError, match=rf"{tool}.*importing\.md"):
            published.load(name)
    for name, tool in TOOLS.items():
        with pytest.raises(TandemError, match=rf"{tool}.*importing\.md"):
            published.load("ragas.csv", layout=name)
    published.write("votes.csv", [{"model_a": "x", "model_b": "y", "winner": "x"}])
    report = published.load()
    assert {file["file"] for file in report.left_out} == set(OF)
    assert set(report.layouts) == {"votes.csv"}
    for corpus in TOOLS:
        for given in (ROOT / "tests/fuzz/corpus" / corpus).iterdir():
            path = shutil.copy(given, published.folder / given.name.partition("-")[2])
            with subtests.test(given.name), pytest.raises(TandemError, match=r"importing\.md"):
                published.load(path)


def test_votes_in_such_a_place_are_votes(published: Study) -> None:
    votes = [{"model_a": "x", "model_b": "y", "winner": "x"}]
    path = published.write("v.json", votes)
    path.write_text(json.dumps({"run": 1, "test_results": votes}))
    assert published.load("v.json").layouts == {"v.json": "votes"}


def test_who_names_columns_is_believed(published: Study) -> None:
    path = published.write("r.csv", [{"question": "Q", "answer": "A", "faithfulness": 1}])
    named = {"context": "question", "text": "answer"}
    report = published.load(path, mapping=named, system_name="s", unused=("faithfulness",))
    assert report.counts["generations"] == 1
