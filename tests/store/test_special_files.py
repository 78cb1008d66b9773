"""A store is a file: pipes, devices and folders are refused at once, and nothing is written."""

import os

import pytest

from core.__main__ import main


@pytest.mark.parametrize("command", ["check", "runs", "worker"])
@pytest.mark.parametrize("which", ["fifo", "folder", "/dev/full", "/dev/zero"])
def test_what_is_no_file_is_refused(tmp_path, capsys, command, which):
    path = which if which.startswith("/") else str(tmp_path / which)
    if which == "fifo":
        os.mkfifo(path)
    elif which == "folder":
        os.mkdir(path)
    assert main(["--store", path, command]) == 2
    said = capsys.readouterr().err
    assert path in said
    assert len(said.strip().splitlines()) == 1
