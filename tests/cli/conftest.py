"""A store that the commands are asked about."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.asked import Run, begun, called, refuse_constant


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("commands"))


@pytest.fixture
def target(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "store.sqlite3"))


@pytest.fixture
def run(target: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command with --json that is expected to work: its document."""

    def run(*words: str) -> Any:
        status, out, err = called(capsys, target, *words, "--json")
        assert status == 0, err
        assert out.endswith("\n")
        assert out.count("\n") == 1
        return json.loads(out, parse_constant=refuse_constant)

    return run
