"""A store that an older Tandem wrote opens, and says what it said then.

The store `from4` has imports, runs of every kind of judge (with a seed, with cut contexts, on a
server that read a part, on drawn items), generated texts and a campaign with skips and undone
answers. What the Tandem that wrote it printed stays: estimates and counts are what they were; how
wide an interval is, and with whom a rank is tied, a later Tandem may say better.
"""

import csv
import hashlib
import io
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.store import Store
from core.store.runs import draw_digest
from tests.kept_stores import load_printed, write_kept

SAID = load_printed("from4")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_kept("from4", tmp_path / "old.sqlite3")


def test_it_says_the_same(
    old: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for command, before in SAID["reads"].items():
        with subtests.test(command):
            assert main(["--store", str(old), *command.split(), "--json"]) == 0
            said = json.loads(capsys.readouterr().out)
            said = {name: said[name] for name in said if name not in ("signature", "notes")}
            if "confusion" in said:
                # A verdict of its own since then. Nobody here was asked a pair in both orders.
                since = [row for row in said["confusion"] if "contradicts" in row.values()]
                assert {row["verdicts"] for row in since} == {0}
                said["confusion"] = [row for row in said["confusion"] if row not in since]
            if "by" in before:  # since then, no group by its own agreement on an item
                before["by"] = [row for row in before["by"] if row["by"] != "item"]
            assert estimates(said, before) == estimates(before, before)


def estimates(value: Any, before: Any) -> Any:
    """Of what was printed the part that was `before`, too, without intervals and what follows from
    them, and without kappa and alpha, which depended on the systems' names.
    """
    if isinstance(before, list) and len(value) == len(before):
        return [estimates(*each) for each in zip(value, before, strict=True)]
    if not isinstance(before, dict):
        return value
    ends = ("low", "high", "tied_with", "kappa", "alpha")
    names = [name for name in before if not name.endswith(ends)]
    return {name: estimates(value[name], before[name]) for name in names}


SINCE = {
    *["waited", "tokens", "completion_tokens", "context_cut", "part_read", "run", "device", "dtype", "reasons"],
    *["campaign", "text_format", "excluded"],
    *(f"judge_{name}" for name in ["spec", "mode", "labels", "votes", "temperature", "seed", "truncation", "base_url", "max_tokens", "system_prompt", "stop", "extra_body", "lenient", "provider", "prompt_form", "prompt", "prompt_version", "prompt_text"]),
}  # fmt: skip
"""What judgements are exported with since then."""
EMPTY = "votes scores"
"""An export of nothing, which no longer writes a file."""


def test_its_exports_are_the_same(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for which, digest in SAID["exports"].items():
        dataset, what = which.split()
        target = tmp_path / f"{which}.csv"
        asked = ["--dataset", dataset, "--what", what, "--to", str(target), "--names"]
        code = main(["--store", str(old), "export", *asked])
        if which == EMPTY:
            assert code == 2
            assert re.search(r"nothing .*no file", capsys.readouterr().err)
            assert not target.exists()
            continue
        assert code == 0
        head, *rows = csv.reader(io.StringIO(target.read_bytes().decode(), newline=""))
        then = [place for place, name in enumerate(head) if name not in SINCE]
        assert len(head) - len(then) == (len(SINCE) if what == "judgements" else 0)
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(
            [row[place] for place in then] for row in (head, *rows)
        )
        assert hashlib.sha256(written.getvalue().encode()).hexdigest() == digest, which


def test_what_it_has_is_as_it_was(old: Path) -> None:
    texts = "SELECT raw, prompt_tokens_read FROM generations WHERE raw <> ''"
    with Store(old) as store:
        db = store.connection
        rows = db.rows(texts)
        assert [json.loads(raw)["part_read"] for raw, _ in rows] == [part for _, part in rows]
        [(run,)] = db.rows("SELECT DISTINCT run FROM generations WHERE run")
        assert store.run_counts.read_in_part(run) == len(rows) > 0
        assert store.run_counts.count_shortened(run) == 0
        for settings, draw in db.rows("SELECT settings, drawn FROM runs"):
            items = json.loads(settings).get("drawn", ())
            assert draw_digest(tuple(tuple(item) for item in items)) == draw
        assert store.inclusions.draws("tiny") == {"baseline:random|seed:9": 2}
        for column in ("context_cut", "prompt_tokens_read", "completion_tokens"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(f"UPDATE judgements SET {column} = 1 WHERE id = 1")
        for table in ("judgements", "scores"):
            live = db.rows(f"SELECT * FROM {table} WHERE withdrawn_at IS NULL")
            assert db.rows(f"SELECT * FROM live_{table}") == live
        assert db.value("SELECT count(*) FROM judgements WHERE withdrawn_at IS NOT NULL")
        plan = "EXPLAIN QUERY PLAN SELECT 1 FROM comparisons c LEFT JOIN live_judgements j ON "
        plan += "j.comparison = c.id AND j.judge = 1 WHERE c.id = 7"
        assert any("INDEX judgements_live" in step[3] for step in db.rows(plan))
