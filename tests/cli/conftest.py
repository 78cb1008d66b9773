"""A store that the commands are asked about."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from core.models import KEY
from core.models.served import rate_limits
from core.models.served.rate_limits import Limits
from tests.cli.asked import Call, begun
from tests.clock import jumping


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("commands"))


@pytest.fixture
def target(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "store.sqlite3"))


@pytest.fixture
def call(call_on: Call, target: Path) -> Call:
    """A command on `target`: its status, output and errors."""
    return partial(call_on, target)


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time goes on by itself where a server asks to wait, and there is a key."""
    monkeypatch.setenv(KEY, "sk-test-0123456789")
    monkeypatch.setattr(rate_limits, "_limits", {})
    monkeypatch.setattr(rate_limits, "Limits", partial(Limits, jumping()))
