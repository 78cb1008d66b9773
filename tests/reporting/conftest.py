"""A report of a small study, compiled once, and what the command line says of the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.__main__ import main
from core.findings.judgements import Selection
from core.reporting import Report, ReportScope, compile_report
from core.store import Store
from tests.cli.asked import begun, measure


@pytest.fixture(scope="session")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with scores, votes of two people, and the answers of two baselines."""
    store = begun(tmp_path_factory.mktemp("report"))
    random = ["judge", "--judge", "baseline:random", "--pairs", "full"]
    assert main(["--store", str(store), *random]) == 0
    measure(store)
    return store


@pytest.fixture(scope="session")
def whole(studied: Path) -> Report:
    with Store(studied) as store:
        return compile_report(store, ReportScope(Selection("d")))
