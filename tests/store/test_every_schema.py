"""A store of an earlier Tandem says what it said then; one too old is refused and left alone."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.pairing import WAYS, Choice
from core.records import TandemError
from core.store import Store, backups, schema
from core.store.runs import draw_digest
from tests.cli.asked import Call, document
from tests.kept_stores import KEPT, load_printed, write_kept


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    return write_kept(name, tmp_path / "store.sqlite3")


def outcomes(path: Path) -> list[list[object]]:
    """How often which judge answered what, by system and place, in plain SQL."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            """SELECT w.name, a.name, sa.name, sb.name, coalesce(j.outcome, j.failure), count(*)
            FROM judgements j JOIN judges w ON w.id = j.judge
            JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
            JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id = c.system_b
            WHERE j.withdrawn_at IS NULL GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"""
        ).fetchall()
    return [list(row) for row in rows]


ASKED = """(SELECT p.id FROM campaign_attributes p JOIN comparisons c ON c.id = o.comparison
    WHERE p.campaign = o.campaign AND p.attribute = c.attribute)"""
"""The attribute of a campaign that asked for a judgement o: what its `plan` was."""
NOT_KEPT = {
    "plans": {"name"},  # what the campaign was called at first
    "campaigns": {"choice"},  # `test_how_a_campaign_chose_its_pairs_is_in_columns`
}
AS_BEFORE = {
    "plans": """SELECT id, dataset, 'run' AS kind, task, NULL AS attribute, judge, strategy, budget,
            1 AS overlap, 'random' AS ordering, seed, trial, settings, execution, versions, status,
            error, heartbeat, per_second, created_at, started_at, finished_at, system, drawn,
            expected, NULL AS campaign FROM runs
        UNION ALL SELECT p.id, m.dataset, 'campaign', 'compare', attribute, NULL, strategy,
            p.budget, overlap, ordering, p.seed, 0, '{}', '{}', '{}', 'open', '', NULL, 0.0,
            p.created_at, NULL, NULL, NULL, NULL, 0, campaign
        FROM campaign_attributes p JOIN campaigns m ON m.id = p.campaign ORDER BY id""",
    "planned": """SELECT id, campaign_attribute AS plan, generation_1, generation_2,
            NULL AS comparison, priority, probability, votes, stratum, bundle FROM campaign_pairs
        UNION ALL SELECT q.id, run, generation_1, generation_2, comparison, priority, probability,
            asked, 0, 0 FROM run_comparisons q JOIN comparisons c ON c.id = q.comparison
        ORDER BY id""",
    "judgements": f"""SELECT o.*, coalesce(run, {ASKED}) AS plan, prompt_tokens_read AS part_read
        FROM judgements o""",
    "person_counts": f"""SELECT judge, plan, sum(outcome IS NOT NULL) AS answered,
            sum(outcome IS NULL) AS skipped
        FROM (SELECT o.*, {ASKED} AS plan FROM judgements o WHERE campaign IS NOT NULL)
        WHERE withdrawn_at IS NULL GROUP BY 1, 2""",
    "tally": "SELECT * FROM outcome_counts",
    "vote_counts": "SELECT campaign_attribute AS plan, votes, pairs FROM vote_counts",
    "generations": "SELECT *, run AS plan, prompt_tokens_read AS part_read FROM generations",
    "scores": "SELECT *, run AS plan, prompt_tokens_read AS part_read FROM scores",
    "attack_answers": "SELECT *, run AS plan, prompt_tokens_read AS part_read FROM attack_answers",
    **{
        table: f"SELECT *, run AS plan FROM {table}"
        for table in ("executions", "batches", "batch_votes")
    },
    **{
        table: f"SELECT *, pair AS planned FROM {table}"
        for table in ("leases", "repeats", "pair_screens")
    },
}
"""The rows of tables of schema 24, as today's have them."""


def rows(path: Path, read: Mapping[str, str] = {}) -> dict[str, list[dict[str, object]]]:
    """Every row of every table by column, without Tandem's queries but for those in `read`."""
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        tables = [row["name"] for row in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%sqlite_%'"
        )]  # fmt: skip
        return {
            table: [dict(row) for row in db.execute(read.get(table, f"SELECT * FROM {table}"))]
            for table in {*tables, *read}
        }


def dump(path: Path) -> list[str]:
    """The rows of a store in their order, in SQLite's own account of it."""
    with closing(sqlite3.connect(path)) as db:
        inserted = [line for line in db.iterdump() if line.startswith("INSERT")]
    apart = ('INSERT INTO "_sqlite_migrations"', 'INSERT INTO "sqlite_sequence"')
    return [line for line in inserted if not line.startswith(apart)]


@pytest.mark.parametrize("name", KEPT)
def test_it_opens_whole_and_every_row_stays(name: str, path: Path, tmp_path: Path) -> None:
    """Also as a backup."""
    before, kept, said = rows(path), path.read_bytes(), outcomes(path)
    assert name != "schema24" or all(before.values()), "it was made to have rows in every table"
    now = tmp_path / "now.sqlite3"
    Store(now).close()
    made = backups.restore(now, path, "Olga", with_people=True)
    assert (made.schema, made.foreign) == (24, ())
    assert outcomes(now) == said
    assert path.read_bytes() == kept
    for file in (path, now):
        with Store(file) as store:
            assert store.connection.value("PRAGMA user_version") == schema.VERSION
            assert store.connection.check()["ok"]
            if name == "schema24":  # how texts of earlier checks were shown is not guessed
                shown = store.connection.rows("SELECT DISTINCT text_format FROM check_answers")
                assert shown == [(None,)]
    access = ("audit", "people", "invitations", "crowds", "secrets", "settings", "runs")
    others = tuple(f'INSERT INTO "{name}"' for name in access)
    one, other = ([row for row in dump(file) if not row.startswith(others)] for file in (now, path))
    assert one == other
    after = rows(path, AS_BEFORE)
    for table, were in before.items():
        columns = {*were[0]} - NOT_KEPT.get(table, set()) if were else set()
        assert [{column: row[column] for column in columns} for row in after[table]] == [
            {column: row[column] for column in columns} for row in were
        ], table


@pytest.mark.parametrize("name", ["schema24", "from23"])
def test_it_says_and_exports_the_same(name: str, path: Path, tmp_path: Path, call_on: Call) -> None:
    then, target = load_printed(name), tmp_path / "export.csv"
    with Store(path) as store:
        for table, count in then["count"].items():
            there = AS_BEFORE.get(table, f"SELECT * FROM {table}")
            assert store.connection.value(f"SELECT count(*) FROM ({there})") == count
    assert outcomes(path) == then["outcomes"]
    for words in [words for words in then if words.startswith("rank")]:
        ranked = document(call_on, path, words)["rows"]
        assert [{key: row[key] for key in ("system", "rating")} for row in ranked] == then[words]
    words = ["export", "--dataset", "d", "--what", "judgements", "--to", str(target), "--names"]
    assert call_on(path, *words)[0] == 0
    with target.open(newline="") as file:
        head, *lines = csv.reader(file)
    places = [head.index(column) for column in then["columns"]]
    exported = sorted([line[place] for place in places] for line in lines)
    assert len(exported) == then["rows"]
    assert hashlib.sha256(json.dumps(exported).encode()).hexdigest() == then["exported"]


def refused(command: str) -> str:
    return re.escape(
        "has schema 23, and this Tandem updates none before 24. "
        f"Run `{command}` on it once with the Tandem of commit 277cdddc"
    )


@pytest.mark.parametrize("name", ["from23"])
def test_an_older_one_is_refused_and_left_alone(path: Path, tmp_path: Path) -> None:
    now = tmp_path / "now.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 23")
    before = path.read_bytes()
    for untouched in (False, True):
        with pytest.raises(TandemError, match=refused("datasets")) as error:
            Store(path, untouched=untouched)
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} <= {path.name, f"{path.name}.locks"}
    Store(now).close()
    with pytest.raises(TandemError, match=refused("datasets")):
        backups.restore(now, path, "Olga")


def test_what_a_server_answers_is_known_of_every_run(tmp_path: Path) -> None:
    """By the SPEC of its judge or writer, as runs of schema 24 were told apart."""
    runs, served = 0, 0
    for name in KEPT:
        with Store(write_kept(name, tmp_path / f"{name}.sqlite3")) as store:
            for run, spec in store.connection.rows(
                """SELECT p.id, coalesce(json_extract(p.settings, '$.model'), j.spec, '')
                FROM runs p LEFT JOIN judges j ON j.id = p.judge"""
            ):
                assert store.runs.get(run).served is spec.startswith("openai:")
                runs, served = runs + 1, served + spec.startswith("openai:")
            for judge, spec in store.connection.rows("SELECT name, spec FROM judges"):
                assert store.judges.spec(judge).served is spec.startswith("openai:")
    assert (runs - served, served) > (10, 5)


def test_how_a_campaign_chose_its_pairs_is_in_columns(tmp_path: Path) -> None:
    """What schema 24 kept as JSON of what differs from the defaults of `Choice`."""
    path, said = write_kept("schema24", tmp_path / "store.sqlite3"), {}
    with closing(sqlite3.connect(path)) as db:
        chosen = {
            name: json.loads(choice)
            for name, choice in db.execute("SELECT name, choice FROM campaigns")
        }
    with Store(path) as store:
        for dataset in store.datasets.names():
            for one in store.campaigns.list_all(dataset):
                choice = Choice.from_campaign(one)
                said[one.name] = choice.departures() if one.choice else {}
                plans = store.connection.rows(
                    """SELECT DISTINCT strategy, seed, budget FROM campaign_attributes
                    WHERE campaign = ?""",
                    (one.id,),
                )
                assert not one.choice or plans == [(choice.way, choice.seed, choice.budget)]
    assert json.loads(json.dumps(said)) == chosen
    rest = {"rest"}  # since then
    assert {choice.get("way") for choice in chosen.values()} == {None, *WAYS} - rest
    named = {name for choice in chosen.values() for name in choice}
    unused = {"encoder", "subset", "draw", "high", "item_set"}  # the last came with schema 34
    unused |= {"accept_error", "certainty", "signal", "settled", "trusted"}  # these with 38 and 39
    assert named == {field.name for field in dataclasses.fields(Choice)} - unused


SAID = load_printed("from4")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_kept("from4", tmp_path / "old.sqlite3")


def test_it_says_the_same(old: Path, call_on: Call, subtests: pytest.Subtests) -> None:
    for command, before in SAID["reads"].items():
        with subtests.test(command):
            said = document(call_on, old, command)
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


def test_its_exports_are_the_same(old: Path, tmp_path: Path, call_on: Call) -> None:
    for which, digest in SAID["exports"].items():
        dataset, what = which.split()
        target = tmp_path / f"{which}.csv"
        asked = ["--dataset", dataset, "--what", what, "--to", str(target), "--names"]
        code, _, said = call_on(old, "export", *asked)
        if which == EMPTY:
            assert code == 2
            assert re.search(r"nothing .*no file", said)
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
