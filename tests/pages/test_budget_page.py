"""The Budget page: from a study without answers to what fewer would have told."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.findings.budget import BudgetSettings, budget
from core.findings.judgements import Selection
from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request
from core.runs import execution
from core.store import Store
from tests.pages.sentences import find_sentence
from tests.pages.shown_tables import table
from tests.paths import ROOT
from tests.study import DATASET, fill

Visit = Callable[[], AppTest]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=10, systems=("a", "b", "c", "d"))
    return tmp_path / "store.sqlite3"


def visit() -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    return app.switch_page("pages/budget.py").run()


def said(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.main if element.type == "html")


def test_without_answers_it_says_what_to_do(path: Path) -> None:
    app = visit()
    assert not app.exception
    assert re.search(r"\bNo judgements\b.*\bjudge\b", said(app))


def test_it_says_what_the_command_line_says_and_what_was_needed(path: Path) -> None:
    with Store(path) as store:
        judge = make("baseline:longer")
        run = planning.enqueue(store, judge.spec, Request(DATASET))
        execution.execute(store, run, by=judge)
        chosen = Selection(DATASET, attribute="coherence", judges=("baseline:longer",))
        facts = budget(store, chosen, BudgetSettings()).facts
    app = visit()
    assert not app.exception
    for sentence in facts["sentences"]:
        assert sentence in said(app)
    titles = [header.value.split()[-1] for header in app.header]
    assert titles == ["grows", "needed", "candidates"]
    assert set(table(app, "Comparisons needed")["pairs"]) == {
        "random", "no-repeat", "symmetric", "ring", "pairs-greedy",
    }  # fmt: skip
    goal = next(one for one in app.number_input if one.label == "Goal")
    goal.set_value(0.5).run()
    assert find_sentence(said(app), "Enough", "agrees 0.5 (Spearman)")
