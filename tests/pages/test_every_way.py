"""Every way to judge, choose pairs and rank on the pages, with models made on the spot."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.judging import judge as judging
from core.pairing import STRATEGIES, sorting
from core.records import Attribute, Dataset, Generation, Item, Status
from core.statistics.ratings import RATINGS
from core.store import Store
from pages.components.judge.judge_form import choices
from tests.models import tiny
from tests.models.fixtures import t5 as t5  # a fixture
from tests.pages.drawn import choose, draw, labels, press, write
from tests.pages.labels import RATING_METHOD
from tests.pages.shown_tables import table
from tests.pages.test_judge_page import said
from tests.study import add_texts, wait_for

ITEMS, SYSTEMS = 2, ("argmax", "nucleus", "human", "retrieved")
BOTH_ORDERS = ITEMS * len(SYSTEMS) * (len(SYSTEMS) - 1)
MARKED = ITEMS * len(SYSTEMS)
MODES = (*judging.COMPARING_MODES, *judging.MARKING_MODES)
BASELINES = tuple(name for name in choices() if name not in ("hf", "openai"))
PLANNED = {
    "full": 12, "random": 6, "no-repeat": 6, "symmetric": 6, "ring": 6, "active": 6,
    "pairs-greedy": 6, "pairs-beam": 12,
}  # fmt: skip
"""How many comparisons of an item at the page's own budget of 6: exactly, or at most where the
answers decide.
"""


@pytest.fixture
def path(store: Store, real_worker: None) -> Path:
    """As TopicalChat: dialogues, several replies of four systems, a reference."""
    rng = np.random.default_rng(0)
    with store.transaction():
        about = Dataset("chat", context_noun="dialogue", candidate_noun="summary")
        items = [
            Item(f"i{i}", tiny.text(rng, [], 12, 30), (tiny.text(rng, tiny.GOOD),))
            for i in range(ITEMS)
        ]
        words = dict(zip(SYSTEMS, (tiny.BAD, tiny.PLAIN, tiny.GOOD, tiny.BAD), strict=True))
        texts = [
            Generation(f"i{i}", name, sample, tiny.text(rng, words[name]))
            for i in range(ITEMS)
            for name in SYSTEMS
            for sample in range(2)
        ]
        add_texts(store, about, texts, items=items, attributes=[Attribute("overall", "good")])
    return store.path


def ended(path: Path, runs: int) -> pd.DataFrame:
    """All runs, once the worker that the page started has done them."""

    with Store(path) as store:
        wait_for(lambda: not store.run_counts.list_unfinished(), seconds=300)
        found = store.runs.list_all(kind="run")
    errors = found.set_index("judge")["error"]
    assert (found["status"] == Status.DONE).all(), errors[errors != ""].to_dict()
    assert len(found) == runs
    return found


def marks(judge: str, mode: str) -> bool:
    return mode in judging.MARKING_MODES or choices()[judge][0].answers == "marks"


def offered(board: AppTest) -> set[str]:
    """The rank methods that can be chosen."""
    [box] = [box for box in board.selectbox if box.label == RATING_METHOD]
    return {method for method, how in RATINGS.items() if how.label in box.options}


def test_every_judge_and_mode_started_from_the_page(t5: Path, path: Path) -> None:
    app, started = draw("judge"), 0
    for judge, mode in [*((name, "") for name in BASELINES), *(("hf", mode) for mode in MODES)]:
        app = choose(app, "Judge", judge)
        if mode:
            app = choose(write(app, "text_input", "Model", str(t5)), "How it answers", mode)
        number, what = (MARKED, "scores") if marks(judge, mode) else (BOTH_ORDERS, "comparisons")
        assert f"<b>{number} {what}</b>" in said(app), (judge, mode)
        app = press(app, "Start")
        started += 1
    ended(path, started)
    with Store(path) as store:
        answers, scores = store.judgement_frames.load_all("chat"), store.scores.load_all("chat")
        modes = set(store.judges.load_all()["mode"])
    compared, marked = answers.groupby("judge").size(), scores.groupby("rater").size()
    assert set(compared) == {BOTH_ORDERS}
    assert set(marked) == {MARKED}
    assert modes >= set(MODES)
    assert len(compared) + len(marked) == started
    app = draw("judge")
    assert f"done · {BOTH_ORDERS} of {BOTH_ORDERS}" in said(app)
    assert f"done · {MARKED} of {MARKED}" in said(app)


def test_every_strategy_from_the_page_and_every_ranking_of_its_answers(
    t5: Path, path: Path
) -> None:
    app = write(choose(draw("judge"), "Judge", "hf"), "text_input", "Model", str(t5))
    # What people answered can be asked of a model once there is something.
    assert set(STRATEGIES) == {*PLANNED, "same-pairs"}
    app = choose(app, "Pairs", "same-pairs")
    assert "Start" not in labels(app.button)
    for strategy in PLANNED:
        app = press(choose(app, "Pairs", strategy), "Start")
    runs = ended(path, len(PLANNED)).set_index("strategy")
    assert set(runs.index) == set(PLANNED)
    for strategy, each in PLANNED.items():
        number = int(runs.loc[strategy, "planned"])
        assert number == runs.loc[strategy, "asked"]
        is_exact = strategy not in (*sorting(), "active")
        assert number == ITEMS * each if is_exact else number <= ITEMS * each
    with Store(path) as store:
        answers = store.judgement_frames.load_all("chat")
    pairs = answers.drop_duplicates(["generation_a", "generation_b"])
    assert len(answers) == len(pairs) == BOTH_ORDERS
    board = draw("leaderboard")
    assert offered(board) == set(RATINGS) - {"sep-elo"}  # nothing has been measured
    apart = choose(draw("separability"), "Similarity metric", "rouge1")
    press(apart, "Measure")
    ended(path, len(PLANNED) + 1)
    board = draw("leaderboard")
    assert offered(board) == set(RATINGS)
    for method in sorted(RATINGS):
        board = choose(board, RATING_METHOD, method)
        if method == "length-controlled":
            board = choose(board, "Baseline", SYSTEMS[0])
        assert not board.exception, method
        ratings = table(board, "Ratings")
        assert set(ratings["system"]) == set(SYSTEMS), method
        assert not ratings["rating"].eq("–").any(), method
        assert f"{method}|" in board.code[-1].value
        assert re.search(r"\b2 items\b.*\bnamed from \d+", said(board))
