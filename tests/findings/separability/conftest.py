"""A command on the store of a test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.__main__ import main
from core.store import Store

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(store: Store, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["--store", str(store.path), *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
