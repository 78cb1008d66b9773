"""What every test may use: a new store, and one with a tiny study in it. Slow tests run with
`--slow`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store import Store
from tests.once import once as once  # a fixture
from tests.published import Study
from tests.study import fill


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also the tests marked `slow`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite3") as opened:
        yield opened


@pytest.fixture
def study(store: Store) -> Store:
    """The data set "tiny" of study.py: 3 items x 3 systems, one attribute."""
    fill(store)
    return store


@pytest.fixture
def published(store: Store, tmp_path: Path) -> Study:
    """A data set "d", and a folder to write files in published layouts in."""
    return Study(store, tmp_path / "files")
