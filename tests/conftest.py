"""What every test may use: stores. Which tests run (`tiers.py`), and the longest files first."""

import gc
import os

# A process computes on one core: the others belong to the processes beside it. Read on import.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from core.store import Store
from tests import tiers
from tests.cli.asked import Call, Run, called, document
from tests.disk import disk as disk  # a fixture
from tests.new_stores import copied as copied  # fixtures
from tests.new_stores import new_store as new_store
from tests.once import once as once  # a fixture
from tests.paths import DATASETS
from tests.published import Study
from tests.real_weights import gguf as gguf  # fixtures
from tests.real_weights import smollm2 as smollm2
from tests.real_weights import weights_folder as weights_folder
from tests.study import fill

TESTS = Path(__file__).parent

# No test asserts a time: a busy machine would fail it. Examples are drawn anew in every run.
settings.register_profile("fast", deadline=None, max_examples=25)
settings.register_profile("slow", deadline=None, max_examples=250)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also the second tier: see tests/tiers.py")
    parser.addoption(
        "--changed", action="store_true", help="also journeys, and what the change touches"
    )
    parser.addoption("--first", action="store_true", help="only the first tier of files named, too")
    parser.addoption("--slow", action="store_true", help="also the tests marked `slow`")


TOUCHED = pytest.StashKey[set[str]]()
"""The test files that a change touches, for `--changed`."""


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--changed"):
        config.stash[TOUCHED] = set()
    elif hasattr(config, "workerinput"):
        config.stash[TOUCHED] = set(config.workerinput["touched"])
    else:
        config.stash[TOUCHED] = tiers.find_touched_tests(tiers.list_changes())
    settings.load_profile("slow" if config.getoption("--slow") else "fast")
    gc.disable()  # until all tests are collected: what is made meanwhile stays


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Look at what has changed once, not in each of xdist's processes."""
    node.workerinput["touched"] = sorted(node.config.stash[TOUCHED])


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end, so no collection of garbage looks through them again."""
    gc.freeze()
    gc.enable()


FEW_FILES = 8
"""A folder with so many test files is through before other processes would have started."""

LONGEST = (
    "models/cluster/test_ray.py", "evidence/test_evidence.py", "pages/test_accessibility.py",
    "importing/test_mirrored_winners.py", "fuzz/test_fuzz.py", "importing/test_importer.py",
    "importing/test_wild_files.py", "pages/test_journeys.py", "importing/layouts/test_tables.py",
    "models/local/test_small_model.py", "runs/test_served_runs.py", "pages/test_every_way.py",
    "pages/test_server_list.py", "pages/test_hostile.py", "pages/test_newcomer.py",
    "pages/test_trust.py", "attacks/test_every_input.py", "reporting/test_report.py",
    "models/local/test_loading.py", "pages/test_data_page.py", "pages/test_reading.py",
    "pages/test_import_form.py", "pages/test_separability_page.py",
    "pages/test_counting.py", "pages/test_keys.py",
    "faults/test_nothing_lost.py", "importing/test_files.py", "pages/test_judge_journey.py",
    "pages/test_two_people.py", "pages/test_attacks.py", "pages/test_blinding.py",
    "pages/test_interrupted.py", "bench/test_bench.py", "judging/judges/test_local_classifier.py",
    "runs/test_sorted_runs.py", "runs/test_killed_runs.py",
    "similarity/test_metrics_of_models.py",
    "test_readme.py",
)  # fmt: skip
"""What takes longest, the longest first: begun last, it would leave the other cores waiting."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """All cores for the whole suite and for large folders, this process alone for anything less.
    One process more than there are cores: a third of the time they wait for browsers and servers.
    Two more were no faster.
    """
    paths = [Path(argument.partition("::")[0]) for argument in config.args]
    files = sum(len(list(path.rglob("test_*.py"))) if path.is_dir() else 1 for path in paths)
    cores = os.cpu_count() or 1
    return 0 if files <= FEW_FILES or config.option.keyword or cores == 1 else cores + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of the second tier from which no test is to run: a worker imports them all."""
    left_out = tiers.is_thorough_file(collection_path) and _may_leave_out(config, collection_path)
    return left_out or None  # None: others may ignore it


@pytest.hookimpl(tryfirst=True)  # before `-m shared` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        place = {TESTS / file: number for number, file in enumerate(LONGEST)}
        items.sort(key=lambda item: place.get(item.path, len(place)))
    for item in items:
        if {"weights_folder", "gguf"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("weights")
        if "datasets" in getattr(item, "fixturenames", ()):
            item.add_marker("shared")
        if item.get_closest_marker("browser") and not item.get_closest_marker("race"):
            # A page may be drawn anew under a reader's hands on a busy machine. What passes only at
            # the second try is named at the end; a vote that is lost once is a failure at once.
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))
        if item.get_closest_marker("shared") and not DATASETS.is_dir():
            item.add_marker(pytest.mark.skip(reason=f"the data sets are not here: {DATASETS}"))
    _leave_out_second_tier(config, items)


def _leave_out_second_tier(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [item for item in items if tiers.is_thorough(item) and _may_leave_out(config, item.path)]
    if left:
        config.hook.pytest_deselected(items=left)
        kept = set(items) - set(left)
        items[:] = [item for item in items if item in kept]


def _may_leave_out(config: pytest.Config, path: Path) -> bool:
    """Return whether tests of the second tier in a file are left out: without `--all`, unless the
    file is named on the command line, or touched.
    """
    if config.getoption("--all") or config.getoption("--slow"):
        return False
    named = {argument.partition("::")[0] for argument in config.args}
    files = {Path(name).resolve() for name in named if not config.getoption("--first")}
    return path not in files | {TESTS.parent / name for name in config.stash[TOUCHED]}


@pytest.fixture(scope="session", autouse=True)
def pages_prepared_once() -> Iterator[None]:
    """Let Streamlit look through packages and compile a page's script once, not for each page."""
    with pytest.MonkeyPatch.context() as patch:
        if "streamlit.testing.v1" in sys.modules:
            from streamlit.components.v2 import manifest_scanner as scanner
            from streamlit.runtime.scriptrunner.script_cache import ScriptCache
            from streamlit.testing.v1 import app_test

            patch.setattr(
                scanner, "scan_component_manifests", cache(scanner.scan_component_manifests)
            )
            patch.setattr(app_test, "ScriptCache", cache(ScriptCache))
        yield


@pytest.fixture(autouse=True)
def figures_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that are drawn here have their figures counted here."""
    if "streamlit.testing.v1" in sys.modules:
        from tests.figures import count_in_place

        count_in_place(monkeypatch)


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The published data sets. A test that asks for them is skipped where they are not."""
    return DATASETS


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
def call_on(capsys: pytest.CaptureFixture[str]) -> Call:
    """A command on a store: its status, output and errors."""
    return partial(called, capsys)


@pytest.fixture
def call(call_on: Call, store: Store) -> Call:
    """A command on `store`: its status, output and errors."""
    return partial(call_on, store.path)


@pytest.fixture
def run(call: Call) -> Run:
    """A command with --json on that store that is expected to work: its document."""
    return partial(document, call)


@pytest.fixture
def published(store: Store, tmp_path: Path) -> Study:
    """A data set "d", and a folder to write files in published layouts in."""
    return Study(store, tmp_path / "files")
