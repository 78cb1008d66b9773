"""A pipe or device given where a command reads or writes a file: one sentence, and it is left."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from tests.cli.asked import called

SERVER = ("--judge", "openai:m", "--base-url", "http://127.0.0.1:9/v1")
READING = (
    ("import", "--dataset", "d", "{}"),
    ("rank", "--votes", "{}"),
    ("judge", *SERVER, "--prompt-file", "{}"),
    ("try", *SERVER, "--prompt-file", "{}"),
    ("campaign", "create", "pilot", "--known", "{}"),
    ("campaign", "create", "pilot", "--instructions", "@{}"),
    ("campaign", "create", "pilot", "--consent", "@{}"),
    ("restore", "{}"),
)
WRITING = (
    ("export", "--what", "judgements", "--to", "{}"),
    ("report", "--bootstrap", "0", "--html", "{}"),
    ("report", "--bootstrap", "0", "--out", "{}"),
    ("backup", "{}"),
    ("judge", *SERVER, "--batch", "submit", "--mode", "generate", "--requests", "{}"),
)


def test_a_pipe_is_refused_and_stays(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    submit = ("judge", *SERVER, "--mode", "generate", "--batch")
    requests = str(tmp_path / "r.jsonl")
    assert called(capsys, target, *submit, "submit", "--requests", requests)[0] == 0
    for words in (*READING, *WRITING, (*submit, "collect", "--results", "{}")):
        status, out, err = called(capsys, target, *(word.format(pipe) for word in words))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "pipe.csv" in err
        assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert re.search(rf"{re.escape(str(pipe))} .*\bdevice\b.*\bfile$", err.strip())
