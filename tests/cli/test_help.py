"""Every command prints its help, whatever signs its options' texts hold."""

from __future__ import annotations

import pytest

from core.__main__ import main
from core.cli import COMMANDS


def test_every_command_prints_its_help(
    capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for name in sorted(COMMANDS):
        with subtests.test(name=name):
            with pytest.raises(SystemExit) as ended:
                main([name, "--help"])
            assert ended.value.code == 0
            printed = capsys.readouterr().out
            assert printed.startswith("usage:")
            assert "--json" in printed
            assert "%%" not in printed
