"""A store is a file: pipes, devices and folders are refused at once, and nothing is written."""

import os
from pathlib import Path

import pytest

from core.__main__ import main


def test_what_is_no_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (str(tmp_path / "fifo"), str(tmp_path), "/dev/full", "/dev/zero"):
        for command in ("check", "runs", "worker"):
            assert main(["--store", path, command]) == 2
            said = capsys.readouterr().err
            assert path in said
            assert len(said.strip().splitlines()) == 1
