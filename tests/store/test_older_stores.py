"""A store that an older Tandem wrote opens, and says what it said then.

`schema4.sqlite3.gz` has imports, runs of every kind of judge (with a seed, with cut contexts, on a
server that read a part, on drawn items), generated texts and a campaign with skips and undone
answers. `schema4.json` is what the Tandem that wrote it printed. Estimates and counts stay what they were;
how wide an interval is, and with whom a rank is tied, a later Tandem may say better.
"""

import csv
import gzip
import hashlib
import io
import json
import re
import sqlite3
from pathlib import Path

import pytest

from core.__main__ import main
from core.store import Store, migrations, schema

HERE = Path(__file__).parent
SAID = json.loads((HERE / "schema4.json").read_text())


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.sqlite3"
    path.write_bytes(gzip.decompress((HERE / "schema4.sqlite3.gz").read_bytes()))
    return path


def test_it_is_whole(old):
    with Store(old) as store:
        assert store.connection.value("PRAGMA user_version") == schema.VERSION
        assert store.connection.check()["ok"]


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
    if "groups" in said:
        # Of two judges it is since then that of the pair, which was printed then, too.
        assert [group["pairs"] for group in before["groups"]] == [1]
        before["groups"][0]["kappa"] = before["pairs"][0]["kappa"]
    if "by" in before:  # since then, no group by its own agreement on an item
        before["by"] = [row for row in before["by"] if row["by"] != "item"]
    assert estimates(said, before) == estimates(before, before)


def estimates(value, before):
    """Of what was printed the part that was `before`, too, without intervals and what follows from
    them.
    """
    if isinstance(before, list) and len(value) == len(before):
        return [estimates(*each) for each in zip(value, before, strict=True)]
    if not isinstance(before, dict):
        return value
    ends = ("low", "high", "tied_with")
    names = [name for name in before if not name.endswith(ends)]
    return {name: estimates(value[name], before[name]) for name in names}


# What judgements are exported with since then.
SINCE = {"waited", "tokens", "completion_tokens", "context_cut", "part_read", "run", "judge_spec",
         "judge_mode", "judge_labels", "judge_votes", "judge_temperature", "judge_seed",
         "judge_truncation", "judge_base_url", "judge_max_tokens", "judge_system_prompt",
         "judge_stop", "judge_extra_body", "judge_lenient", "judge_provider", "judge_prompt_form", "judge_prompt", "judge_prompt_version",
         "judge_prompt_text", "device", "dtype", "reasons", "campaign",
         "excluded"}  # fmt: skip


EMPTY = "votes scores"
"""An export of nothing, which no longer writes a file."""


def test_what_it_has_none_of_is_not_exported(old, tmp_path, capsys):
    dataset, what = EMPTY.split()
    target = tmp_path / "export.csv"
    asked = ["--dataset", dataset, "--what", what, "--to", str(target)]
    assert main(["--store", str(old), "export", *asked]) == 2
    assert "nothing to export" in capsys.readouterr().err
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


def test_nothing_that_was_there_changes(old, tmp_path):
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(old.read_bytes())
    before = sqlite3.connect(copy)
    with Store(old) as store:
        for (table,) in before.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%sqlite_%'"
        ).fetchall():
            columns = [
                f'"{row[1]}"'
                for row in before.execute(f"PRAGMA table_info({table})")
                # in tables of their own since
                if row[1] not in ("lease_judge", "leased_at", "source_row")
            ]
            rows = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(columns)}"
            assert store.connection.rows(rows) == before.execute(rows).fetchall(), table
        known = {
            row: source
            for name in store.datasets.names()
            for row, source in store.judgement_frames.exported(name)[
                ["judgement", "source_row"]
            ].itertuples(index=False)
        }
        sources = dict(
            before.execute("SELECT id, source_row FROM judgements WHERE withdrawn_at IS NULL")
        )
        assert known == sources
        assert len({*sources.values()}) == 49  # 48 imported votes
    before.close()


@pytest.mark.parametrize("table", ["judgements", "scores"])
def test_what_was_noted_in_a_raw_answer_is_in_columns(old, table):
    with Store(old) as store:
        rows = store.connection.rows(f"SELECT raw, context_cut, part_read FROM {table}")
    raws = [json.loads(raw) if raw.startswith("{") else {} for raw, _, _ in rows]
    assert [(raw.get("context_cut", 0), raw.get("part_read", 0)) for raw in raws] == [
        (cut, part) for _, cut, part in rows
    ]
    assert any(cut for _, cut, _ in rows)
    assert any(part for _, _, part in rows)


def test_a_generated_text_says_of_which_part_of_its_prompt(old):
    with Store(old) as store:
        rows = store.connection.rows("SELECT raw, part_read FROM generations WHERE raw <> ''")
        assert [json.loads(raw)["part_read"] for raw, _ in rows] == [part for _, part in rows]
        [run] = [
            run
            for (run,) in store.connection.rows("SELECT DISTINCT plan FROM generations WHERE plan")
        ]
        assert store.runs.read_in_part(run) == len(rows) > 0
        assert store.runs.shortened(run) == 0


def test_a_seed_is_that_of_the_name_and_of_judges_of_ours_alone(old):
    with Store(old) as store:
        judges = store.connection.rows("SELECT name, spec, seed FROM judges")
        said = {name: re.search(r"\|seed:(\d+)", name) for name, _, _ in judges}
        assert said["gpt-4|seed:5"], "an imported judge may be called anything"
        for name, spec, seed in judges:
            assert seed == (int(found[1]) if spec and (found := said[name]) else 0)
        [sampler] = [name for name in said if "|sample|" in name and "|seed:" in name]
        assert store.judges.spec(sampler).seed == 7


def test_plans_say_which_system_and_which_draw(old):
    with Store(old) as store:
        plans = store.connection.rows("SELECT settings, system, drawn FROM plans")
        drawn = {}
        for settings, system, draw in plans:
            asked = json.loads(settings)
            assert system == asked.get("system")
            assert (draw is None) == ("drawn" not in asked)
            if draw:
                drawn[draw] = asked["drawn"]
        assert len(drawn) == 2
        assert store.inclusions.draws("tiny") == {"baseline:random|seed:9": 2}
        assert len(store.runs.of_system("tiny", "poet")) == 1


def test_the_same_draw_has_the_same_digest_when_it_is_asked_for_again(old):
    with Store(old) as store:
        for settings, draw in store.connection.rows("SELECT settings, drawn FROM plans"):
            items = json.loads(settings).get("drawn", ())
            assert migrations.draw_digest(tuple(tuple(item) for item in items)) == draw


def test_a_system_has_its_temperature(old):
    with Store(old) as store:
        known = store.datasets.decodings("tiny").set_index("system")["temperature"]
    assert known.dropna().to_dict() == {"poet": 0.9}


def test_old_answers_are_still_final(old):
    with Store(old) as store:
        for column in ("context_cut", "part_read", "completion_tokens"):
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


def test_times_of_older_stores_become_instants_where_their_file_tells(tmp_path: Path) -> None:
    """Two files as imports left them before times were parsed: by text, and what is open or no time
    comes last, in the order of the file.
    """
    path, stated = tmp_path / "store.sqlite3", (
        ("a.csv", "3/9/2024 9:15:00 AM", "2024-03-09T09:15:00.000000+00:00"),
        ("a.csv", "3/16/2024 9:15:00 AM", "2024-03-16T09:15:00.000000+00:00"),
        ("a.csv", "2024-03-01T09:00:00+09:00", "2024-03-01T00:00:00.000000+00:00"),
        ("a.csv", "2023-11-14T22:13:20.000+00:00", "2023-11-14T22:13:20.000000+00:00"),
        ("a.csv", "not a date", "not a date"),
        ("b.csv", "03/04/2024", "03/04/2024"),
    )  # fmt: skip
    with sqlite3.connect(path, isolation_level=None) as old:
        before = [each.name for each in schema.migrations.pending(schema.Database(memory=True))]
        schema.migrate(old, path.name, to=before.index("m022_moments"))
        for statement in (
            "INSERT INTO datasets (name, created_at) VALUES ('d', '2026')",
            "INSERT INTO items (id, dataset, key) VALUES (1, 'd', 'one')",
            "INSERT INTO systems (id, dataset, name) VALUES (1, 'd', 'x'), (2, 'd', 'y')",
            "INSERT INTO generations (id, item, system) VALUES (1, 1, 1), (2, 1, 2)",
            "INSERT INTO attributes (id, dataset, name) VALUES (1, 'd', 'overall')",
            "INSERT INTO judges (id, name, kind) VALUES (1, 'ann', 'human')",
            """INSERT INTO comparisons (id, attribute, generation_a, generation_b, item, system_a,
                system_b) VALUES (1, 1, 1, 2, 1, 1, 2)""",
            "INSERT INTO sources (id, name) VALUES (1, 'd/a.csv'), (2, 'd/b.csv')",
        ):
            old.execute(statement)
        for place, (name, text, _) in enumerate(stated, start=1):
            old.execute(
                """INSERT INTO judgements (id, comparison, judge, trial, outcome, source,
                source_mark, source_occurrence, created_at) VALUES (?, 1, 1, ?, 'a', ?, ?, 1, ?)""",
                (place, place, 1 + (name == "b.csv"), place, text),
            )
    old.close()
    with Store(path) as store:
        times = store.connection.rows("SELECT created_at FROM judgements ORDER BY id")
        assert [time for (time,) in times] == [instant for *_, instant in stated]
        assert store.judgement_frames.all("d")["judgement"].tolist() == [4, 3, 1, 2, 5, 6]
        assert store.connection.check()["ok"]
        with pytest.raises(sqlite3.IntegrityError):
            store.connection.execute("UPDATE judgements SET created_at = '' WHERE id = 1")
