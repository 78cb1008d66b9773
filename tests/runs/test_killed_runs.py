"""Runs killed with -9 at random moments: the store ends as if nothing had happened."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from core.judging.registry import make
from core.pairing.planning import Request, check_request, enqueue
from core.runs.worker import run_worker
from core.store import Store
from tests.asking import kill, kill_at_random
from tests.study import asked, content, ends, fill, tandem, wait_for

REQUESTS = [Request("big"), Request("big", "symmetric", budget=20, samples=2, seed=3)]


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory):
    """A store with 12,000 comparisons to ask, and its content when all is asked in one go."""
    folder = tmp_path_factory.mktemp("big")
    how = {"dataset": "big", "items": 60, "samples": 2, "attributes": ("coherence", "fluency")}
    with Store(folder / "start.sqlite3") as store:
        fill(store, systems=[f"s{i}" for i in range(7)], **how)
        store.connection.backup(folder / "undisturbed.sqlite3")
    with Store(folder / "undisturbed.sqlite3") as store:
        enqueue_all(store)
        run_worker(store.path, once=True)
        return folder / "start.sqlite3", content(store)


def enqueue_all(store):
    """42 ordered comparisons of sample 0 and 20 of both samples on 60 items for 2 attributes, some
    of them the same.
    """
    for request in REQUESTS:
        for spec in ("baseline:random", "baseline:longer"):
            enqueue(store, make(spec).spec, request)


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_a_worker_killed_at_random_ends_with_the_same_store(big, tmp_path: Path, kills) -> None:
    start, undisturbed = big
    path, worker = tmp_path / "store.sqlite3", ("worker", "--once")
    with Store(start) as store:
        store.connection.backup(path)
    with Store(path) as store:
        enqueue_all(store)
    assert kill_at_random(path, asked(path)[1], worker, kills) >= kills - 1
    ends(tandem(path, *worker))
    with Store(path) as store:
        assert content(store) == undisturbed
        assert store.connection.check()["ok"]


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_the_judge_command_killed_at_random_and_repeated_ends_with_the_same_store(
    big, tmp_path: Path, kills
) -> None:
    start, _ = big
    command = ["judge", "--judge", "baseline:random", "--samples", "2", "--json"]
    path, other, chance = (
        tmp_path / "store.sqlite3",
        tmp_path / "undisturbed.sqlite3",
        random.Random(kills),
    )
    with Store(start) as store:
        store.connection.backup(path)
        store.connection.backup(other)
    ends(tandem(other, *command))
    planned, halfway, planning = 60 * 42 * 2 * 2, 0, 0
    assert asked(other) == (planned, planned)
    for left in range(kills, 0, -1):
        before, there = asked(path)
        process = tandem(path, *command)
        if (
            there < planned
        ):  # while it plans; what is planned in one transaction is the comparisons of one attribute
            wait_for(lambda there=there: asked(path)[1] > there)
        else:
            goal = before + chance.randrange((planned - before) // (left + 1))
            wait_for(lambda goal=goal: asked(path)[0] > goal)
            time.sleep(chance.random() * 0.02)
        kill(process)
        halfway += before < asked(path)[0] < planned
        planning += there < asked(path)[1] < planned
        with Store(path) as store:
            assert store.connection.check()["ok"]
    ends(tandem(path, *command))
    assert halfway >= 1
    assert planning + halfway >= kills - 1
    with Store(path) as store, Store(other) as uninterrupted:
        assert content(store) == content(uninterrupted)
        assert check_request(store, Request("big")).attributes == ("coherence", "fluency")
