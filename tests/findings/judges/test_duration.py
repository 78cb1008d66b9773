"""Which stores' judges are compared while somebody waits, and which beside the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.judges import duration
from core.sample_study import load
from core.store import Store
from pages.components.shared.cached_report import AT_ONCE, PATIENCE
from tests.bench.large_study import DATASET, study


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.sqlite3")


def test_a_hundred_systems_are_not_waited_for_however_few_judgements(store: Store) -> None:
    study(store, 2_000)
    assert store.datasets.volume() < AT_ONCE
    assert duration.seconds(store, Selection(DATASET)) > PATIENCE
    people = Selection(DATASET, judges=("llm", "human"))
    assert duration.seconds(store, people) > duration.seconds(store, Selection(DATASET))


def test_the_sample_is_there_at_once(store: Store) -> None:
    load(store)
    names = store.datasets.names()
    assert names
    assert all(duration.seconds(store, Selection(name)) < PATIENCE for name in names)


def test_a_judge_alone_is_no_jury() -> None:
    assert duration.fitting_seconds(100, 1, 2_000) < 0.1
    assert duration.fitting_seconds(100, 2, 2_000) > 1
