"""A file, prompt or reply that can be more than data is taken as data, or refused in a sentence."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from itertools import product
from pathlib import Path

import pytest

from core.importing import file_name
from core.judging import forms, prompts
from core.records import Attribute, Prompt, Question, Scale, TandemError
from core.store import Store
from pages.components.judge.run_answers import _pretty, reason
from tests import hostile
from tests.attacks.surfaces import CONTROLS, said

ROWS = "item,system,text\ni,x,one\ni,y,two\n"
TO = ["--dataset", "d"]
DEEP = "[" * 100_000 + "]" * 100_000
OPEN = '{"a":' * 100_000

Refused = Callable[[str, bytes], None]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """A file is refused by all that read files, in at most three lines, and nothing is kept."""

    def refused(name: str, content: bytes) -> None:
        path, store = tmp_path / name, tmp_path / "store.sqlite3"
        path.write_bytes(content)
        taken = ["import", str(path), *TO]
        for words in (taken, ["rank", "--votes", str(path), "--bootstrap", "0"]):
            status, out, err = said(store, *words)
            # A packed file may be counted as it is unpacked, in a gigabyte at most.
            if (words[0], name.endswith("csv.gz"), status) != ("rank", True, 0):
                assert (status, out) == (2, ""), words
                assert err.count("\n") >= 1, words
            assert len([line for line in err.splitlines() if line.startswith("tandem")]) <= 3, err
            assert not CONTROLS.search(err)
            assert "Traceback" not in err
        with Store(store) as opened:
            assert opened.datasets.names() == []

    return refused


def test_names_of_uploads_are_names_in_one_folder(tmp_path: Path) -> None:
    for number, (given, kept) in enumerate((
        ("votes.csv", "votes.csv"),
        ("../../../etc/passwd.csv", "passwd.csv"),
        ("C:\\..\\x.csv.gz", "x.csv.gz"),
        ("..", "upload"), ("", "upload"), (".", "upload"),
        ("a\0b\x1b[2J.csv", "ab[2J.csv"),
        ("two\r\nlines.csv", "two  lines.csv"),
        ("\u202egnp.csv", "gnp.csv"),
        ("x" * 4000 + ".csv.gz", "x" * 233 + ".csv.gz"),
        ("\u00e9" * 4000 + ".csv", "\u00e9" * 118 + ".csv"),
        ("a." + "x" * 4000, "upload"),
        ("\udcff.csv", "?.csv"),
        ("<b>$x$:material/home:.csv", "home:.csv"),
    )):  # fmt: skip
        assert file_name(given) == kept
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / kept).write_text(ROWS)
        assert [file.name for file in folder.iterdir()] == [kept]


def test_names_of_files_on_a_disk_are_only_names(tmp_path: Path) -> None:
    for number, word in enumerate((hostile.FILE_NAME, "a\udcffb", "-rf", "$(touch x)", "*.csv")):
        folder = tmp_path / str(number)
        file, store = folder / "in" / f"{word}.csv", folder / "store.sqlite3"
        file.parent.mkdir(parents=True)
        file.write_text(ROWS)
        for form in ([], ["--json"]):
            status, out, err = said(store, "import", str(file), *TO, *form)
            assert status == 0, err
            assert not CONTROLS.search(out + err)
        file.write_text("item,system,text\n")
        status, _, err = said(store, "import", str(file), *TO)
        assert status == 2
        assert not CONTROLS.search(err)
        assert len(list(folder.iterdir())) <= 5  # the store, what SQLite has beside it, and "in"


def test_bombs_are_refused(refused: Refused) -> None:
    """They unpack to a thousand times their size; equal rows in gzip are refused that are fewer."""
    refused("g.csv.gz", gzip.compress(b"item,context,system,text\n" + b"1,c,s,t\n" * 2**14, 1))
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", b"[" * 30_000_000)
    refused("log.eval", packed.getvalue())


def test_json_within_json_is_refused_in_files_and_read_as_it_stands_elsewhere(
    refused: Refused, tmp_path: Path
) -> None:
    """100,000 deep: in files, prompts of logs, replies and results of batches."""
    refused("a.json", DEEP.encode())
    refused("a.jsonl", OPEN.encode())
    for record in (
        {"instruction": "i", "response1": "a", "response2": "b", "metadata": OPEN},
        {"doc_id": 1, "doc": {}, "arguments": [[DEEP, ""]], "resps": [["a"]], "target": "b"},
        {"item": "i", "system": "x", "text": DEEP},
    ):
        path = tmp_path / "r.jsonl"
        path.write_text(json.dumps(record) + "\n")
        status, _, err = said(tmp_path / "texts.sqlite3", "import", str(path), *TO)
        assert status in (0, 2)
        assert err.count("\n") <= 3
    for raw in (DEEP, OPEN):
        assert reason(raw).startswith("It replied “")
        assert _pretty(raw) == raw
        for form in forms.COMPARISON_FORMS:
            with pytest.raises(forms.UnparsedReplyError):
                forms.read_verdict(raw, ("A", "B"), form, lenient=True)
        for mark_form in forms.MARK_FORMS:
            with pytest.raises(forms.UnparsedReplyError):
                forms.read_mark(raw, Scale(1, 10), mark_form)


def test_numbers_that_no_computer_has_are_no_scores(tmp_path: Path) -> None:
    """As scores and votes, by `import`, in JSON and CSV."""
    numbers = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 400)
    for number, (form, value) in enumerate(product(("jsonl", "csv"), numbers)):
        path, path_of_store = tmp_path / f"s.{form}", tmp_path / f"{number}.sqlite3"
        line = f'{{"item": "i", "system": "x", "text": "t", "score:s": {value}}}\n'
        table = f"item,system,text,score:s\ni,x,t,{value}\n"
        path.write_text(line if form == "jsonl" else table)
        status, _, err = said(path_of_store, "import", str(path), *TO)
        assert status in (0, 2)
        assert err.count("\n") <= 3
        with Store(path_of_store) as store:
            assert store.connection.value("SELECT count(value) FROM scores") == 0


def test_replies_that_no_judge_of_ours_wrote_are_quoted() -> None:
    """Raw answers that somebody imported; where they are shown is in test_every_input.py. Chances
    that are none say none, and half a sign can be sent.
    """
    for raw in (
        '{"p": {"A": "x"}}', '{"p": {"A": null}}', '{"cos_a": 1}', '{"cos_a": "x", "cos_b": 1}',
        '{"logp": "x"}', '{"logp": 1, "tokens": "x"}',
        '{"metric": "m", "reference": "x"}', '{"metric": "m", "reference": 1e999}',
        "NaN", "[]", "9" * 5000,
    ):  # fmt: skip
        assert reason(raw).startswith("It replied “")
    assert reason('{"logp_a": 1e999}') == reason('{"logp_a": 99999}') == ""
    raw = '{"text": "\\ud800", "detail": "\\udfff"}'
    reason(raw).encode()
    _pretty(raw).encode()


def test_prompts_of_a_researcher_hold_no_program() -> None:
    """With texts of anybody: filled once, and never read as a program."""
    for wording in (
        "{{7*7}}", "{% for x in range(10**9) %}", "{context.__class__}", "{0}", "{a!r}", "%(a)s",
        "{a:>1000000000}", "$HOME", "<%= 1 %>", "`id`", "{a[0]}",
    ):  # fmt: skip
        question = Question(1, wording, wording, f"b {wording}", Attribute("overall", "good"))
        worded = Prompt("p", 1, f"{wording} {{context}} {{a}} {{b}}")
        expected = f"{wording} {wording} {wording} b {wording}"
        assert prompts.fill(worded, question, ("A", "B")) == expected
    worded = Prompt("p", 1, "{a} {b} {" + "x" * 100_000 + "}")
    with pytest.raises(TandemError, match="unknown placeholder") as refusal:
        prompts.fill(worded, Question(1, "", "a", "b", Attribute("overall")), ("A", "B"))
    assert len(str(refusal.value)) < 500
