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

import pytest

from core.__main__ import main
from core.store import Store
from core.store.runs import draw_digest
from tests.kept_stores import load_printed, write_kept

SAID = load_printed("from4")


@pytest.fixture
def old(tmp_path):
    return write_kept("from4", tmp_path / "old.sqlite3")


@pytest.mark.parametrize("command", SAID["reads"])
def test_it_says_the_same(old, capsys, command):
    assert main(["--store", str(old), *command.split(), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    said = {name: value for name, value in document.items() if name not in ("signature", "notes")}
    if "confusion" in said:
        # A verdict of its own since then. Nobody here was asked a pair in both orders.
        since = [row for row in said["confusion"] if "contradicts" in row.values()]
        assert {row["verdicts"] for row in since} == {0}
        said["confusion"] = [row for row in said["confusion"] if row not in since]
    before = SAID["reads"][command]
    if "by" in before:  # since then, no group by its own agreement on an item
        before["by"] = [row for row in before["by"] if row["by"] != "item"]
    assert estimates(said, before) == estimates(before, before)


def estimates(value, before):
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


# What judgements are exported with since then.
SINCE = {"waited", "tokens", "completion_tokens", "context_cut", "part_read", "run", "judge_spec",
         "judge_mode", "judge_labels", "judge_votes", "judge_temperature", "judge_seed",
         "judge_truncation", "judge_base_url", "judge_max_tokens", "judge_system_prompt",
         "judge_stop", "judge_extra_body", "judge_lenient", "judge_provider", "judge_prompt_form", "judge_prompt", "judge_prompt_version",
         "judge_prompt_text", "device", "dtype", "reasons", "campaign", "text_format",
         "excluded"}  # fmt: skip


EMPTY = "votes scores"
"""An export of nothing, which no longer writes a file."""


def test_what_it_has_none_of_is_not_exported(old, tmp_path, capsys):
    dataset, what = EMPTY.split()
    target = tmp_path / "export.csv"
    asked = ["--dataset", dataset, "--what", what, "--to", str(target)]
    assert main(["--store", str(old), "export", *asked]) == 2
    assert re.search(r"nothing .*no file", capsys.readouterr().err)
    assert not target.exists()


@pytest.mark.parametrize("which", [which for which in SAID["exports"] if which != EMPTY])
def test_its_exports_are_the_same(old, tmp_path, which):
    dataset, what = which.split()
    target = tmp_path / "export.csv"
    asked = ["--dataset", dataset, "--what", what, "--to", str(target), "--names"]
    assert main(["--store", str(old), "export", *asked]) == 0
    head, *rows = csv.reader(io.StringIO(target.read_bytes().decode(), newline=""))
    then = [place for place, name in enumerate(head) if name not in SINCE]
    assert len(head) - len(then) == (len(SINCE) if what == "judgements" else 0)
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        [row[place] for place in then] for row in (head, *rows)
    )
    assert hashlib.sha256(written.getvalue().encode()).hexdigest() == SAID["exports"][which]


def test_a_generated_text_says_of_which_part_of_its_prompt(old):
    with Store(old) as store:
        rows = store.connection.rows(
            "SELECT raw, prompt_tokens_read FROM generations WHERE raw <> ''"
        )
        assert [json.loads(raw)["part_read"] for raw, _ in rows] == [part for _, part in rows]
        [run] = [
            run
            for (run,) in store.connection.rows("SELECT DISTINCT run FROM generations WHERE run")
        ]
        assert store.runs.read_in_part(run) == len(rows) > 0
        assert store.runs.count_shortened(run) == 0


def test_the_same_draw_has_the_same_digest_when_it_is_asked_for_again(old):
    with Store(old) as store:
        for settings, draw in store.connection.rows("SELECT settings, drawn FROM runs"):
            items = json.loads(settings).get("drawn", ())
            assert draw_digest(tuple(tuple(item) for item in items)) == draw
        assert store.inclusions.draws("tiny") == {"baseline:random|seed:9": 2}


def test_old_answers_are_still_final(old):
    with Store(old) as store:
        for column in ("context_cut", "prompt_tokens_read", "completion_tokens"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                store.connection.execute(f"UPDATE judgements SET {column} = 1 WHERE id = 1")


def test_views_leave_out_what_was_withdrawn_and_use_its_index(old):
    with Store(old) as store:
        db = store.connection
        for table in ("judgements", "scores"):
            live = db.rows(f"SELECT * FROM {table} WHERE withdrawn_at IS NULL")
            assert db.rows(f"SELECT * FROM live_{table}") == live
        assert db.value("SELECT count(*) FROM judgements WHERE withdrawn_at IS NOT NULL")
        plan = "EXPLAIN QUERY PLAN SELECT 1 FROM comparisons c LEFT JOIN live_judgements j ON "
        plan += "j.comparison = c.id AND j.judge = 1 WHERE c.id = 7"
        assert any("INDEX judgements_live" in step[3] for step in db.rows(plan))
