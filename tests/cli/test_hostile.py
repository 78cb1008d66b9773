"""Hostile words as arguments, in exports and imports, and in the report; see tests/attacks, too."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lxml import html

from core.store import Store
from tests import hostile
from tests.attacks.surfaces import CONTROLS, ON_DATA
from tests.cli.asked import Call, refusal


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "store.sqlite3"
    hostile.fill(path)
    return path


def test_no_argument_is_more_than_a_word(
    filled: Path, call_on: Call, subtests: pytest.Subtests
) -> None:
    """A data set, a system, a judge and a file of that name, none of which is there."""
    for word in [*hostile.WORDS.values(), "x" * 100_000, "\udcff", "1e400", "NaN"]:
        with subtests.test(word=word):
            for words in (
                ["describe", "--dataset", f"{word} "],
                ["rank", *ON_DATA, "--systems", f"{word} no", "x"],
                ["rank", *ON_DATA, "--judges", f"{word} no"],
                ["import", f"/no/such/{word}"],
                ["judge", "--judge", f"no:{word}"],
            ):
                status, out, err = call_on(filled, *words)
                assert status == 2
                assert out == ""
                assert not CONTROLS.search(err)
                assert "Traceback" not in err
                assert err.count("\n") <= 3


def test_a_dataset_comes_back_as_it_was(filled: Path, tmp_path: Path, call_on: Call) -> None:
    for form in ("csv", "jsonl", "parquet"):
        to, other = tmp_path / f"x.{form}", tmp_path / f"{form}.sqlite3"
        assert call_on(filled, "export", "--what", "judgements", "--to", str(to))[0] == 0
        status, _, err = call_on(other, "import", str(to), "--dataset", hostile.DATASET)
        assert status == 0, err
        with Store(other) as back, Store(filled) as store:
            for query in (
                "SELECT DISTINCT system, text FROM generations ORDER BY 1, 2",
                "SELECT name FROM judges WHERE id IN (SELECT judge FROM judgements) ORDER BY 1",
            ):
                assert back.connection.rows(query) == store.connection.rows(query), form


@pytest.mark.slow  # tests/reporting/test_report.py has the worst of it
def test_a_report_fetches_and_runs_nothing(filled: Path, call_on: Call, tmp_path: Path) -> None:
    """Its files are in its folder, named after what they are, and nothing in them is a command."""
    store = Path(shutil.copy(filled, tmp_path / "store.sqlite3"))
    words = ["report", *ON_DATA, "--bootstrap", "0", "--html", str(tmp_path / "page.html")]
    words += ["--formats", "csv", "svg", "latex", "--out", str(tmp_path / "out")]
    assert call_on(store, *words)[0] == 0
    names = {file.name for file in tmp_path.rglob("*")}
    assert all(re.fullmatch(r"[\w.-]+", name, re.ASCII) for name in names), names
    stores = {f"store.sqlite3{ending}" for ending in ("", ".locks", "-shm", "-wal")}
    assert {file.name for file in tmp_path.iterdir()} <= {"page.html", "out", *stores}

    tree = html.fromstring((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not tree.xpath("//script | //iframe | //object | //embed | //form | //base")
    for name, value in ((name, value) for each in tree.iter() for name, value in each.items()):
        assert not name.startswith("on"), name
        if name.rpartition("}")[2] in ("src", "href", "action", "poster"):
            assert "evil" not in value, value
            assert not value.startswith("javascript"), value

    assert any(tmp_path.rglob("*.tex"))
    for file in tmp_path.rglob("*.tex"):
        text = file.read_text(encoding="utf-8")
        for command in ("\\input{/etc", "\\write18", "\\end{document} ", "\\href{java"):
            assert command not in text, (file, command)
    for file in tmp_path.rglob("*.csv"):
        for row in csv.reader(io.StringIO(file.read_text(encoding="utf-8"), newline="")):
            assert not any(re.match(r"[=@\t\r]", cell) for cell in row), file
    for file in tmp_path.rglob("*.svg"):
        for element in ElementTree.fromstring(file.read_text(encoding="utf-8")).iter():
            assert element.tag.split("}")[-1] not in ("script", "foreignObject", "image", "a")
            assert not any(name.startswith("on") for name in element.attrib)


# ---- A pipe or device given where a command reads or writes a file: one sentence, and it is left


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


def test_a_pipe_is_refused_and_stays(call: Call, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    submit = ("judge", *SERVER, "--mode", "generate", "--batch")
    requests = str(tmp_path / "r.jsonl")
    assert call(*submit, "submit", "--requests", requests)[0] == 0
    for words in (*READING, *WRITING, (*submit, "collect", "--results", "{}")):
        err = refusal(call, *(word.format(pipe) for word in words))
        assert "pipe.csv" in err
        assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert re.search(rf"{re.escape(str(pipe))} .*\bdevice\b.*\bfile$", err.strip())
