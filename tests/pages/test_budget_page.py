"""The Budget page: from a study without answers to what fewer would have told."""

from __future__ import annotations

import re

from streamlit.testing.v1 import AppTest

from core.findings.budget import BudgetSettings, budget
from core.findings.judgements import Selection
from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request
from core.runs import execution
from core.store import Store
from tests.pages.drawn import draw, write
from tests.pages.sentences import find_sentence
from tests.pages.shown_tables import table
from tests.study import DATASET, fill


def said(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.main if element.type == "html")


def test_it_says_what_to_do_then_what_the_command_line_says_and_what_was_needed(
    store: Store,
) -> None:
    fill(store, items=10, systems=("a", "b", "c", "d"))
    assert re.search(r"\bNo judgements\b.*\bjudge\b", said(draw("budget")))
    judge = make("baseline:longer")
    execution.execute(store, planning.enqueue(store, judge.spec, Request(DATASET)), by=judge)
    chosen = Selection(DATASET, attribute="coherence", judges=("baseline:longer",))
    app = draw("budget")
    for sentence in budget(store, chosen, BudgetSettings()).facts["sentences"]:
        assert sentence in said(app)
    assert set(table(app, "Comparisons needed")["pairs"]) == {
        "random", "no-repeat", "symmetric", "ring", "pairs-greedy",
    }  # fmt: skip
    write(app, "number_input", "Goal", 0.5)
    assert find_sentence(said(app), "Enough", "agrees 0.5 (Spearman)")
