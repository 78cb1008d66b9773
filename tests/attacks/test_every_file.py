"""One class for each way in which a file, a prompt or a reply can be more than data: whatever reads
it takes it as data, or refuses it in a sentence and keeps nothing.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from core.exporting import for_spreadsheets
from core.importing import file_name
from core.judging import prompts
from core.judging.forms import (
    COMPARISON_FORMS,
    MARK_FORMS,
    UnparsedReplyError,
    read_mark,
    read_verdict,
)
from core.records import Attribute, Prompt, Question, Scale, TandemError
from core.store import Store
from pages.components.judge.run_answers import _pretty, reason
from pages.components.shared.headers import HEADERS
from tests import hostile
from tests.attacks.surfaces import CONTROLS, said

ROWS = "item,system,text\ni,x,one\ni,y,two\n"
VOTES = "item,left,right,winner\ni,x,y,a\nj,x,y,b\n"
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


class TestFileNames:
    """By `import` from a disk, and on the page Data from a browser."""

    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            ("votes.csv", "votes.csv"),
            ("../../../etc/passwd.csv", "passwd.csv"),
            ("C:\\..\\x.csv.gz", "x.csv.gz"),
            ("..", "upload"),
            ("", "upload"),
            (".", "upload"),
            ("a\0b\x1b[2J.csv", "ab[2J.csv"),
            ("two\r\nlines.csv", "two  lines.csv"),
            ("\u202egnp.csv", "gnp.csv"),
            ("x" * 4000 + ".csv.gz", "x" * 233 + ".csv.gz"),
            ("\u00e9" * 4000 + ".csv", "\u00e9" * 118 + ".csv"),
            ("a." + "x" * 4000, "upload"),
            ("\udcff.csv", "?.csv"),
            ("<b>$x$:material/home:.csv", "home:.csv"),
        ],
    )
    def test_of_an_upload_are_names_in_one_folder(
        self, tmp_path: Path, given: str, kept: str
    ) -> None:
        assert file_name(given) == kept
        (tmp_path / kept).write_text(ROWS)
        assert [file.name for file in tmp_path.iterdir()] == [kept]

    @pytest.mark.parametrize("word", [hostile.FILE_NAME, "a\udcffb", "-rf", "$(touch x)", "*.csv"])
    def test_of_files_on_a_disk_are_only_names(self, tmp_path: Path, word: str) -> None:
        folder, store = tmp_path / "in", tmp_path / "store.sqlite3"
        folder.mkdir()
        (folder / f"{word}.csv").write_text(ROWS)
        for form in ([], ["--json"]):
            status, out, err = said(store, "import", str(folder / f"{word}.csv"), *TO, *form)
            assert status == 0, err
            assert not CONTROLS.search(out + err)
        (folder / f"{word}.csv").write_text("item,system,text\n")
        status, _, err = said(store, "import", str(folder / f"{word}.csv"), *TO)
        assert status == 2
        assert not CONTROLS.search(err)
        assert len(list(tmp_path.iterdir())) <= 5  # the store, what SQLite has beside it, and "in"


class TestFormulas:
    """In every CSV of the pages and of a report, and with `export --for-spreadsheets`."""

    @pytest.mark.parametrize("sign", [*"=+-@\t\r\n", "'=", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
    def test_stand_behind_an_apostrophe(self, sign: str) -> None:
        text = for_spreadsheets(pd.DataFrame({f"{sign}SUM(A1)": [f"{sign}cmd|' /C calc'!A0"]}))
        head, cell = pd.read_csv(pd.io.common.StringIO(text), header=None, dtype=str)[0]
        assert head.startswith("'")
        assert cell.startswith("'")

    def test_numbers_are_none(self) -> None:
        text = for_spreadsheets(pd.DataFrame({"x": ["-1.5", "+3", "1e-7", "-20%"]}))
        assert text == "x\r\n-1.5\r\n+3\r\n1e-7\r\n-20%\r\n"


class TestBombs:
    """Files that unpack to a thousand times their size, by `import` and `rank --votes`."""

    def test_of_gzip(self, refused: Refused) -> None:
        refused("v.csv.gz", gzip.compress(VOTES.encode() + b"i,x,y," + b"a" * 20_000_000, 6))

    def test_of_gzip_with_equal_rows_that_unpack_to_less(self, refused: Refused) -> None:
        refused("g.csv.gz", gzip.compress(b"item,context,system,text\n" + b"1,c,s,t\n" * 2**14, 1))

    def test_of_columns(self, refused: Refused) -> None:
        refused("c.csv", ",".join(f"c{i}" for i in range(200_000)).encode() + b"\n")

    def test_of_parquet(self, refused: Refused, tmp_path: Path) -> None:
        cells = pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0] * 2_000, pyarrow.int32()), pyarrow.array(["x" * 1_000_000])
        )
        path = tmp_path / "bomb.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"item": cells, "text": cells}), path)
        refused("v.parquet", path.read_bytes())

    def test_of_zip(self, refused: Refused, tmp_path: Path) -> None:
        import zipfile

        with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("header.json", b"[" * 30_000_000)
        refused("log.eval", (tmp_path / "b.zip").read_bytes())


class TestNesting:
    """JSON within JSON, 100,000 deep: in files, prompts of logs, replies and results of batches."""

    @pytest.mark.parametrize(("name", "content"), [("a.json", DEEP), ("a.jsonl", OPEN)])
    def test_in_files(self, refused: Refused, name: str, content: str) -> None:
        refused(name, content.encode())

    @pytest.mark.parametrize(
        "record",
        [
            {"instruction": "i", "response1": "a", "response2": "b", "metadata": OPEN},
            {"doc_id": 1, "doc": {}, "arguments": [[DEEP, ""]], "resps": [["a"]], "target": "b"},
            {"item": "i", "system": "x", "text": DEEP},
        ],
    )
    def test_in_texts_within_files(self, tmp_path: Path, record: dict[str, object]) -> None:
        path = tmp_path / "r.jsonl"
        path.write_text(json.dumps(record) + "\n")
        status, _, err = said(tmp_path / "store.sqlite3", "import", str(path), *TO)
        assert status in (0, 2)
        assert err.count("\n") <= 3

    @pytest.mark.parametrize("raw", [DEEP, OPEN])
    def test_in_replies(self, raw: str) -> None:
        assert reason(raw).startswith("It replied “")
        assert _pretty(raw) == raw
        for form in COMPARISON_FORMS:
            with pytest.raises(UnparsedReplyError):
                read_verdict(raw, ("A", "B"), form, lenient=True)
        for form in MARK_FORMS:
            with pytest.raises(UnparsedReplyError):
                read_mark(raw, Scale(1, 10), form)


class TestNumbers:
    """That no computer has: as scores and votes, by `import`, in JSON and CSV."""

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400])
    @pytest.mark.parametrize("form", ["jsonl", "csv"])
    def test_are_no_scores(self, tmp_path: Path, number: str, form: str) -> None:
        path, path_of_store = tmp_path / f"s.{form}", tmp_path / "store.sqlite3"
        line = f'{{"item": "i", "system": "x", "text": "t", "score:s": {number}}}\n'
        path.write_text(line if form == "jsonl" else f"item,system,text,score:s\ni,x,t,{number}\n")
        status, _, err = said(path_of_store, "import", str(path), *TO)
        assert status in (0, 2)
        assert err.count("\n") <= 3
        with Store(path_of_store) as store:
            assert store.connection.value("SELECT count(value) FROM scores") == 0


class TestReplies:
    """Raw answers of judges that somebody imported; where they are shown is in TestReplies of
    test_every_input.py.
    """

    @pytest.mark.parametrize(
        "raw",
        [
            '{"p": {"A": "x"}}', '{"p": {"A": null}}', '{"cos_a": 1}', '{"cos_a": "x", "cos_b": 1}',
            '{"logp": "x"}', '{"logp": 1, "tokens": "x"}',
            '{"metric": "m", "reference": "x"}', '{"metric": "m", "reference": 1e999}',
            "NaN", "[]", "9" * 5000,
        ],
    )  # fmt: skip
    def test_that_no_judge_of_ours_wrote_are_quoted(self, raw: str) -> None:
        assert reason(raw).startswith("It replied “")

    def test_with_chances_that_are_none_say_none(self) -> None:
        assert reason('{"logp_a": 1e999}') == reason('{"logp_a": 99999}') == ""

    def test_with_half_a_sign_can_be_sent(self) -> None:
        raw = '{"text": "\\ud800", "detail": "\\udfff"}'
        reason(raw).encode()
        _pretty(raw).encode()


class TestPrompts:
    """Of a researcher, with texts of anybody: filled once, and never read as a program."""

    @pytest.mark.parametrize(
        "wording",
        ["{{7*7}}", "{% for x in range(10**9) %}", "{context.__class__}", "{0}", "{a!r}", "%(a)s",
         "{a:>1000000000}", "$HOME", "<%= 1 %>", "`id`", "{a[0]}"],
    )  # fmt: skip
    def test_hold_no_program(self, wording: str) -> None:
        question = Question(1, wording, wording, f"b {wording}", Attribute("overall", "good"))
        worded = Prompt("p", 1, f"{wording} {{context}} {{a}} {{b}}")
        expected = f"{wording} {wording} {wording} b {wording}"
        assert prompts.fill(worded, question, ("A", "B")) == expected

    def test_with_unknown_places_are_refused(self) -> None:
        worded = Prompt("p", 1, "{a} {b} {" + "x" * 100_000 + "}")
        with pytest.raises(TandemError, match="unknown placeholder") as refusal:
            prompts.fill(worded, Question(1, "", "a", "b", Attribute("overall")), ("A", "B"))
        assert len(str(refusal.value)) < 500


class TestInstructions:
    """Of a campaign are Markdown of its researcher. A browser fetches nothing that they name."""

    def test_cannot_name_another_server(self) -> None:
        policy = dict(
            rule.strip().partition(" ")[::2]
            for rule in HEADERS["Content-Security-Policy"].split(";")
        )
        assert policy["default-src"] == "'self'"
        for kind, sources in policy.items():
            assert "http" not in sources.replace("https://localhost", ""), kind
            assert "*" not in sources, kind
