"""A store whose last data set was deleted stays empty, and says what can be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.records import Role
from core.store import Store, dataset_decisions, restoring
from tests import inviting
from tests.pages.test_backups import parts
from tests.pages.test_empty import PAGES, Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import DATASET, fill


@pytest.fixture
def emptied(store: Store) -> Store:
    fill(store)
    dataset_decisions.delete(store, "Olga", DATASET)
    return store


def test_no_page_fills_it_and_each_says_so(visit: Visit, emptied: Store) -> None:
    for page in PAGES:
        app = visit(page, dataset=DATASET)
        assert not app.exception, page
        assert "no data" in words(app), page
    assert emptied.datasets.names() == []


def test_the_sample_study_comes_when_it_is_asked_for(visit: Visit, emptied: Store) -> None:
    app = visit("pages/leaderboard.py", dataset=DATASET)
    [button] = [button for button in app.button if button.label == "Load the sample study"]
    button.click().run()
    assert not app.exception
    assert emptied.datasets.names() == ["sample-news", "sample-dialogues"]
    assert "no data" not in words(app)


def test_the_page_data_takes_a_file_and_goes_back_to_a_backup(visit: Visit, emptied: Store) -> None:
    app = visit("pages/data.py")
    assert app.get("file_uploader")
    assert "Backups" in parts(app)
    assert "Delete" not in parts(app)


def test_annotators_are_told_and_load_nothing(visit: Visit, emptied: Store) -> None:
    code = inviting.code(emptied.path, "Ada", Role.ANNOTATOR)
    app = visit("pages/annotate.py", invitation=code)
    assert not app.exception
    assert "nothing to" in words(app)
    assert not [button for button in app.button if "sample" in button.label]
    assert emptied.datasets.names() == []


def test_a_new_store_begins_with_it(visit: Visit, store: Store) -> None:
    assert not store.datasets.has_had_any()
    visit("app.py")
    assert store.datasets.names() == ["sample-news", "sample-dialogues"]


def test_an_empty_backup_stays_empty(tmp_path: Path) -> None:
    path, backup = tmp_path / "store.sqlite3", tmp_path / "backup.sqlite3"
    with Store(path) as store:
        store.connection.backup(backup)
        fill(store)
    restoring.restore(path, backup, "Olga")
    with Store(path) as store:
        assert store.datasets.names() == []
        assert store.datasets.has_had_any()
