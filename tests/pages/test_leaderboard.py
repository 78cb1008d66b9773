"""The leaderboard offers what its judgements allow, and says who is tied with whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request
from core.runs import execution
from core.similarity.metrics import make_metric
from core.store import Chosen, Store
from tests.paths import ROOT
from tests.study import DATASET, fill, measure

Visit = Callable[[], AppTest]


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visit:
    def visit() -> AppTest:
        monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        return app.switch_page("pages/leaderboard.py").run()

    return visit


def judged(path: Path, spec: str, strategy: str, **more: Any) -> None:
    with Store(path / "store.sqlite3") as store:
        fill(store, items=4, samples=2)
        judge = make(spec)
        request = planning.checked(store, Request(DATASET, strategy, **more))
        execution.execute(store, planning.enqueue(store, judge.spec, request), by=judge)


def box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def options(app: AppTest, label: str) -> list[str]:
    return list(box(app, label).options)


def labels(app: AppTest) -> list[str]:
    """The choices below the first row."""
    return [
        one.label
        for one in app.selectbox
        if one.label not in ("Data set", "Judges", "Attribute", "Rating method")
    ]


def said(app: AppTest) -> str:
    return " ".join(
        [*(html.proto.body for html in app.get("html")), *(code.value for code in app.code)]
    )


def test_what_makes_no_sense_is_not_offered(tmp_path: Path, visit: Visit) -> None:
    """`longer` decides without probabilities, in one order; nothing is sorted, nothing measured."""
    judged(tmp_path, "baseline:longer", "ring")
    app = visit()
    assert not app.exception
    assert options(app, "Rating method") == [
        "chosen by the data",
        "win ratio",
        "macro win ratio",
        "Bradley-Terry",
        "Elo",
        "likelihood ranking",
    ]
    assert "Position bias" not in labels(app)
    assert "win-ratio|" in app.code[-1].value, "every system met the others equally often"
    box(app, "Rating method").set_value("bradley-terry").run()
    assert options(app, "Ties") == ["half a win each", "left out", "modelled (Davidson)"]
    assert options(app, "Position bias") == ["not corrected", "position term in the model"]


def test_what_runs_and_measurements_make_possible(tmp_path: Path, visit: Visit) -> None:
    judged(tmp_path, "baseline:longer", "full")
    judged(tmp_path, "baseline:longer", "pairs-greedy")
    with Store(tmp_path / "store.sqlite3") as store:
        measure(store, Chosen(DATASET), make_metric("rouge1"))
    app = visit()
    assert options(app, "Rating method") == [
        "chosen by the data",
        "win ratio",
        "macro win ratio",
        "Bradley-Terry",
        "Elo",
        "sep-Elo",
        "likelihood ranking",
        "PairS rankings",
    ]
    assert options(app, "Position bias") == ["not corrected", "mean of both orders"]
    for method, choices in {
        "pairs": ["Ranks hold"],
        "sep-elo": ["Similarity metric", "Ties", "Position bias", "Ranks hold"],
    }.items():
        box(app, "Rating method").set_value(method).run()
        assert not app.exception
        assert labels(app) == choices
    assert options(app, "Similarity metric") == ["words in common (ROUGE-1)"]
    assert "Elo and sep-Elo compared" in [heading.value for heading in app.header]
    assert "gamma leads with" in said(app)
    assert "Head to head" in [heading.value for heading in app.header]


def test_re_weighting_is_offered_where_some_were_likelier_to_be_asked(
    tmp_path: Path, visit: Visit
) -> None:
    judged(tmp_path, "baseline:random", "full", drawn=(("i0", 0.5), ("i2", 0.5)))
    assert not visit().toggle, "as likely as each other"
    judged(tmp_path, "baseline:longer", "full", drawn=(("i0", 0.25), ("i2", 1.0)))
    app = visit()
    box(app, "Judges").set_value("baseline:random").run()
    assert not app.toggle, "not for another judge"
    box(app, "Judges").set_value("baseline:longer").run()
    [switch] = app.toggle
    assert switch.label == "Re-weight to all items"
    assert "reweight:" not in app.code[-1].value
    switch.set_value(True).run()
    assert not app.exception
    assert "|reweight:1/inclusion|" in app.code[-1].value
    assert "The effective sample size is 9 of 12." in said(
        app
    )  # (6 * 4 + 6)^2 / (6 * 16 + 6) = 8.8
    box(app, "Rating method").set_value("elo").run()
    assert not app.exception
    assert not app.toggle


def test_answers_of_one_run_are_chosen_under_more(tmp_path: Path, visit: Visit) -> None:
    judged(tmp_path, "baseline:longer", "symmetric", budget=2)
    assert not visit().multiselect, "one run leaves nothing to choose"
    judged(tmp_path, "baseline:longer", "full", seed=1)
    app = visit()
    names = {choice.label: list(choice.options) for choice in app.multiselect}
    assert names == {
        "Runs": ["2 · baseline:longer", "1 · baseline:longer"],
        "Pairs": ["every pair, in both orders", "some pairs, each in both orders"],
    }
    assert "are pooled: 1, 2." in said(app)
    app.multiselect[0].select("1 · baseline:longer").run()
    assert not app.exception
    assert "pooled" not in said(app)
    assert "|runs:1|" in said(app)
