"""Has a judge changed? By hand, by simulations with known truth, and from the command line."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from core.findings.drift import ALARM, drift, grow_wealth
from core.findings.judgements import Selection
from core.records import Kind
from core.runs import choose_canaries
from core.store import Store
from tests.cli.asked import called
from tests.findings.people.voting import say_all
from tests.study import DATASET, fill

AB, BA = ("alpha", "beta"), ("beta", "alpha")
HERE = Selection(DATASET)
YEAR = 365


answer = partial(say_all, who="gpt", sides=AB, kind=Kind.LLM)


@pytest.fixture
def judged(store: Store) -> Store:
    fill(store, items=60, systems=AB)
    return store


def test_the_wealth_is_that_of_bets_multiplied_by_hand() -> None:
    """Two looks, of two changes and of one."""
    changes, looks = np.array([1.0, 0.0, -0.5]), [1, 1, 2]
    bets = [sign * bet for bet in (0.1, 0.3, 0.6, 0.9) for sign in (1, -1)]
    first = sum((1 + bet) for bet in bets) / 8
    second = sum((1 + bet) * (1 - bet / 2) for bet in bets) / 8
    assert grow_wealth(changes, looks) == pytest.approx([first, second])


def test_a_judge_that_turned_round_has_changed(judged: Store) -> None:
    say_all(judged, "Ada", range(60), AB, "a")
    answer(judged, items=range(60), said="a")
    for trial in (1, 2, 3, 4):
        answer(judged, items=range(10 * trial - 10, 10 * trial), said="b", trial=trial)
    found = drift(judged, HERE)
    assert found.facts["changed"] == ["gpt"]
    figures = found.rows[["canaries", "looks", "change", "since"]]
    assert figures.to_numpy().tolist() == [[40, 4, -1, 1]] * 3


def test_a_judge_that_answers_alike_has_not(judged: Store) -> None:
    for trial in (0, 1):
        answer(judged, items=range(60), said=lambda i: "ab"[i % 2], trial=trial)
    found = drift(judged, HERE)
    assert found.facts["changed"] == []
    assert set(found.rows["p"]) == {1.0}


def test_an_item_is_a_canary_once(judged: Store) -> None:
    """Of an item that was asked about in three trials the second counts, not the third."""
    for trial, said in enumerate("aab"):
        answer(judged, items=range(20), said=said, trial=trial)
    rows = drift(judged, HERE).rows
    assert rows["canaries"].tolist() == [20, 20]
    assert rows["change"].tolist() == [0, 0]


def simulate(rng: np.random.Generator, right: float, later: float, days: int, daily: int) -> bool:
    """Whether a judge that is right with probability `right`, and `later` after the first answers,
    is ever called changed, at a third of the stake.
    """
    before = rng.random(days * daily) < right
    after = rng.random(days * daily) < later
    wealth = grow_wealth(after.astype(float) - before, np.repeat(np.arange(days), daily)) / 3
    return bool((wealth >= 1 / ALARM).any())


def test_false_alarms_are_rare_under_daily_looks_for_a_year() -> None:
    rng = np.random.default_rng(2)
    alarms = sum(simulate(rng, 0.75, 0.75, YEAR, 4) for _ in range(400))
    assert alarms / 400 <= ALARM


@pytest.mark.parametrize(("later", "canaries"), [(0.45, 150), (0.6, 600)])
def test_a_shift_is_found(later: float, canaries: int) -> None:
    """30 points by 150 canaries, 15 points by 600, in 9 of 10 studies."""
    rng = np.random.default_rng(3)
    found = sum(simulate(rng, 0.75, later, canaries // 10, 10) for _ in range(200))
    assert found / 200 >= 0.9


def test_a_judge_is_asked_again_from_the_command_line(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store.path
    fill(store, items=30)
    words = ("judge", "--judge", "baseline:random", "--json")
    status, _, errors = called(capsys, path, *words, "--again", "5")
    assert status == 2, errors
    assert called(capsys, path, *words)[0] == 0
    for _ in range(2):
        status, said, errors = called(capsys, path, *words, "--again", "5")
        assert status == 0, errors
        assert json.loads(said)["done"] == 5 * 6  # each two of three systems, in both orders
    frame = store.judgement_frames.load_all(DATASET)
    one, other = (set(frame.loc[frame["trial"] == trial, "item"]) for trial in (1, 2))
    again = choose_canaries(store, DATASET, "baseline:random", 50, seed=0)
    assert (len(again.drawn), again.trial) == (20, 3)
    assert (len(one), len(other), one & other) == (5, 5, set())
    _, said, _ = called(capsys, path, "drift", "--judges", "baseline", "--json")
    assert [row["canaries"] for row in json.loads(said)["rows"]] == [10, 10]
