"""The judge page: the prompt, a trial, several runs, a run opened to its answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request
from core.runs import execution, score
from core.store import Store
from tests.paths import ROOT
from tests.study import DATASET, fill

Open = Callable[[], AppTest]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, attributes=("coherence", "fluency"))
    return path


@pytest.fixture
def judge_page(path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TANDEM_STORE", str(path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    return app.switch_page("pages/judge.py").run()


def choose(app: AppTest, label: str, value: str) -> AppTest:
    [box] = [box for box in app.selectbox if box.label == label]
    return box.set_value(value).run()


def said(app: AppTest) -> str:
    return " ".join(
        [*(element.proto.body for element in app.get("html")), *(text.value for text in app.text)]
    )


def test_a_model_reads_the_real_words_and_an_edit_is_the_next_version(judge_page: AppTest) -> None:
    app = choose(judge_page, "Judge", "hf")
    assert "Name a model" in said(app)
    app = app.text_input[0].set_value("some/model").run()
    assert "Answer with Summary A or Summary B." in said(app)
    assert "The context of item" in said(app)
    [wording] = app.text_area
    app = wording.set_value(wording.value.replace("Answer with", "Say")).run()
    assert "Say Summary A or Summary B." in said(app)
    assert "comparative@2: with it, the model counts as another judge" in said(app)
    app = app.text_area[0].set_value("no texts in it").run()
    assert "the prompt lacks {a}" in said(app)
    assert not app.exception


def test_a_judge_that_marks_is_asked_about_texts(judge_page: AppTest) -> None:
    app = choose(judge_page, "Judge", "baseline:bleu")
    assert "<b>18 marks</b>" in said(app)
    assert not [box for box in app.selectbox if box.label == "Pairs"]
    app = choose(choose(app, "Judge", "hf"), "How it answers", "g-eval")
    app = app.text_input[0].set_value("some/model").run()
    assert "Give it a score from 1 (worst) to 10 (best)." in said(app)
    assert not app.exception


def test_a_server_without_a_key_says_so_and_prices_are_asked_for(judge_page: AppTest) -> None:
    app = choose(judge_page, "Judge", "openai")
    app = app.text_input[0].set_value("gpt").run()
    assert "No API key found: set OPENAI_API_KEY" in said(app)
    assert "cost unknown: give the server" in said(app)
    assert not app.exception


@pytest.mark.parametrize("strategy", ["symmetric", "pairs-beam", "active"])
def test_what_a_strategy_may_be_told(judge_page: AppTest, strategy: str) -> None:
    app = choose(judge_page, "Pairs", strategy)
    assert not app.exception
    labels = [field.label for field in app.number_input]
    assert ("Branches followed" in labels) == (strategy == "pairs-beam")
    assert ("Comparisons per item and attribute" in labels) == (strategy != "pairs-beam")


def test_runs_of_both_kinds_open_to_their_answers(path: Path, judge_page: AppTest) -> None:
    with Store(path) as store:
        store.connection.execute(
            """UPDATE items SET "references" = '["alpha-0-0"]' WHERE key = 'i0'"""
        )
        longer, bleu = make("baseline:longer"), make("baseline:bleu")
        compared = planning.enqueue(store, longer.spec, planning.checked(store, Request(DATASET)))
        marked = score.enqueue_scoring(
            store, bleu.spec, score.checked(store, score.Request(DATASET))
        )
        for run in (compared, marked):
            execution.execute(store, run)
    app = judge_page.run()
    assert "done · 36 of 36" in said(app)
    assert "12 no-reference" in said(
        app
    )  # two items of three have none: 2 x 3 texts x 2 attributes
    for run, heading, columns in (
        (compared, f"Run {compared}, answer by answer", {"A", "B", "P(A is better)"}),
        (marked, f"Run {marked}, answer by answer", {"mark", "system", "unanswered"}),
    ):
        app.session_state["opened"] = run
        app = app.run()
        assert heading in [element.value for element in app.header]
        assert columns <= set(app.dataframe[0].value.columns)
        assert not app.exception
