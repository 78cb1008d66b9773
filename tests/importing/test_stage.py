"""The staging tables, and the database below them."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import re
import signal
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.importing import (
    USUAL,
    CountedVotes,
    NotCountedError,
    Reading,
    Repeats,
    account,
    alike_rows,
    count,
    database,
    importer,
    staged_votes,
    vote_counts,
)
from core.importing import stage as staging
from core.importing.choice import choose
from core.importing.database import Database
from core.importing.stage import Stage
from core.records import Dataset, TandemError
from core.store import Store

ENDLESS = "SELECT count(*) FROM range(1000000000000) a WHERE hash(a.range) = 7"


def test_ctrl_c_ends_a_query_as_it_ends_all_else() -> None:
    for ask in [
        lambda opened: opened.rows(ENDLESS),
        lambda opened: list(opened.portions(ENDLESS, 1)),
    ]:
        opened = Database(threads=1)
        # Whoever starts the tests in the background of a shell hands down that Ctrl-C is ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        press = Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        press.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                ask(opened)
        finally:
            press.cancel()
            signal.signal(signal.SIGINT, before)
            opened.close()


def test_no_file_and_no_network_can_be_reached(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("b\n")
    with closing(Database()) as duck:
        for query in (
            f"SELECT * FROM read_csv('{tmp_path}/secret.csv')",
            "SELECT * FROM read_parquet('http://127.0.0.1/v.parquet')",
            f"COPY (SELECT 1) TO '{tmp_path}/written.csv'",
            f"ATTACH '{tmp_path}/other.duckdb'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '90GB'",
        ):
            with pytest.raises(duckdb.Error):
                duck.rows(query)
    assert os.listdir(tmp_path) == ["secret.csv"]


def test_more_than_the_memory_holds_goes_to_the_disk_and_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two million names of 40 bytes, some 200 MB with their table, in 100 MB."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    query = "SELECT count(*) FROM (SELECT repeat(md5(range::VARCHAR), 2) AS k, count(*) "
    query += "FROM range(1500000) GROUP BY k)"
    with closing(Database(100)) as duck:
        assert duck.rows(query) == [(1_500_000,)]
    assert os.listdir(tmp_path) == []


def test_a_disk_that_may_hold_no_more_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SPILLED", 1)
    query = "SELECT sum(length(k)) FROM (SELECT repeat(md5(range::VARCHAR), 10) AS k "
    query += "FROM range(600000) ORDER BY k)"
    with closing(Database(60)) as duck, pytest.raises(TandemError, match=r"\b60 MB.*\b1 MB.*disk"):
        duck.rows(query)


LONG = "a long answer, which is no word for a side: " * 4
SYSTEMS = ("m1", "m2", "A", " m1 ", "", "m\x07", "1")
CELLS: dict[str, tuple[Any, ...]] = {
    "item": ("i1", "i2", "2.0", 2, 2.0, True, "", None, "i\x1b", ["i1"], "81", float("nan")),
    "context": ("Why?", "Why not?", "", None, 7, '[{"role": "user", "content": "Why?"}]'),
    "reference": ("because", "", None, 1.5),
    "subset": ("easy", "", None, "h\x00ard", "h\x07ard", 3),
    "winner": ("model_a", "model_b", "tie", "m1", "m2", "A", "b", LONG, "skip", "", None, 1, 1.0),
    "judge": ("ann", "bob", "", None, "ann\x9f", 4, 4.0, True),
    "judge_kind": ("human", "llm", "", None, "robot"),
    "attribute": ("overall", "fluency", "", None, 1, True),
    "prob_a": ("0.5", "", None, "x", 1.5, "nan", 1, True, 0.25, "0,5"),
    "strength": ("3", "", -0.0, 0.0, 10**400, "1e400", None),
    "seconds": ("2", 2, 2.5, "fast", "", None),
    "comment": ("good", "", None, 1.0, False, {"a": 1}),
    "raw": ("[[A]]", "", None),
    "failure": ("", "", None, "time-out"),
    "created_at": ("2024-01-02", "03/04/2024", "1700000000", 1700000000, 1.7e9, "soon", "", None),
    "sample_a": ("0", "1", "", None, 1, 1.0, "1.5", -1),
    "text_a": (LONG, "yes", "A", f" {LONG}", "", None, 5, "m1", ["a", "b"]),
    "text_b": (LONG, f"{LONG}too", "no", "yes ", "", None, "m2"),
    "shown_first": ("a", "b", "m1", "", None, "nobody"),
    "swapped": ("0", "1", "", None, False, "perhaps", 0.0, -0.0),
    "order_known": ("1", "0", "", None, True),
    "displayed": ("left", "m1", "", None),
    "notes that nothing reads": ("x", None, ["y"]),
}
WHO: tuple[dict[str, tuple[Any, ...]], ...] = (
    {"model_a": SYSTEMS, "model_b": SYSTEMS, "winner": CELLS["winner"]},
    {"systems": ("m1 vs m2", "m2 vs A", "m1", "", None), "winner": CELLS["winner"]},
    {"winner": SYSTEMS, "loser": SYSTEMS, "draw": ("", "", "1", None, "perhaps")},
    {
        "model_a": SYSTEMS, "model_b": SYSTEMS,
        **{f"winner_{side}": ("0", "1", "", 0, 1.0, -0.0, True) for side in ("model_a", "model_b", "tie")},
    },
)  # fmt: skip
"""Columns of who was compared and who won."""
ODD_LINES = ("", '"torn" quote,x', "one cell", "nul\0,x", ",".join("x" * 40), '"two\nlines",x')

Table = tuple[list[str], list[list[Any]]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Column names and rows; most cells are the first of their column."""
    who = draw(st.sampled_from(WHO))
    more = draw(st.lists(st.sampled_from(sorted(set(CELLS) - {"winner"})), unique=True, max_size=8))
    columns = {**who, **{name: CELLS[name] for name in more}}
    is_odd = draw(st.sampled_from((False, True)))
    rows = []
    for _ in range(draw(st.integers(1, 30))):
        kept = [cells if is_odd else cells[:3] for cells in columns.values()]
        rows.append([draw(st.sampled_from(cells)) for cells in kept])
    return list(columns), rows


def write_csv(folder: Path, table: Table, data: st.DataObject) -> Path:
    path, (names, rows) = folder / "t.csv", table
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        for row in rows:
            if data.draw(st.integers(0, 9)) == 0:
                stream.write(data.draw(st.sampled_from(ODD_LINES)) + "\r\n")
            writer.writerow(row)
    return path


def write_lines(folder: Path, table: Table, data: st.DataObject) -> Path:
    path, (names, rows) = folder / "t.jsonl", table
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    for each in objects[1:]:  # the first has all columns
        if data.draw(st.integers(0, 4)) == 0:
            del each[data.draw(st.sampled_from(names))]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects))
    return path


def write_parquet(folder: Path, table: Table, data: st.DataObject) -> Path:
    """Each column as what all its cells are: numbers where they can be, else texts."""
    path, (names, rows) = folder / "t.parquet", table
    columns = {}
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        with suppress(pa.ArrowException, OverflowError):
            columns[name] = pa.array(cells)
            continue
        columns[name] = pa.array([None if cell is None else str(cell) for cell in cells])
    pq.write_table(pa.table(columns), path, row_group_size=data.draw(st.integers(1, 40)))
    return path


def stage_file(path: Path) -> dict[str, Any] | str:
    """All that is staged of a file, or why it is refused."""
    try:
        ((file,), _) = choose([path], USUAL)
        stage = Stage(0)
        stage.begin_file()
        megabytes = list(file.stage_rows(stage, None))
    except TandemError as error:
        return error.sentence
    found = {
        table: stage.database.rows(f"SELECT * FROM {table} ORDER BY ALL")
        for table in ("entries", "skipped")
    }
    stage.close()
    return {
        **found, "kinds": list(stage.kinds[0].items()), "lost": list(stage.lost[0].items()),
        "filled": sorted(stage.filled), "sorts": sorted(stage.sorts), "rows": file.rows,
        "read": megabytes[-1],
    }  # fmt: skip


def check_table(write: Any, table: Table, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder), table, data)
        with (
            patch.multiple(staging, BATCH=8, KEPT=4),  # forgotten now and then
            patch.object(account, "WATCHED", 1),  # from the second row on, cells are looked up
        ):
            remembered = stage_file(path)
        with patch.multiple(staging, BATCH=1, KEPT=-1):  # forgotten after each row
            assert repr(remembered) == repr(stage_file(path))  # NaN is NaN


EVERY = pytest.mark.parametrize("write", [write_csv, write_lines, write_parquet])
HOW: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@EVERY
@settings(max_examples=15, **HOW)
@given(table=tables(), data=st.data())
def test_what_rows_repeat_is_staged_as_if_each_were_read(
    write: Any, table: Table, data: st.DataObject
) -> None:
    check_table(write, table, data)


@pytest.mark.slow
@EVERY
@settings(max_examples=1500, **HOW)
@given(table=tables(), data=st.data())
def test_many_tables_are_staged_as_if_each_row_were_read(
    write: Any, table: Table, data: st.DataObject
) -> None:
    check_table(write, table, data)


MARKED = {"text": pa.string(), "flag": pa.bool_(), "number": pa.float64(), "same": pa.string()}


@given(
    votes=st.lists(
        st.fixed_dictionaries(
            {
                "text": st.none() | st.text(alphabet='a"\\é\n\ue000😀1', max_size=4),
                "flag": st.none() | st.booleans(),
                "number": st.none() | st.sampled_from((0.0, -0.0, 0.1, 1 / 3, 1e-300, 1.0)),
                "same": st.just("ann"),
            }
        ),
        min_size=1,
    )
)
def test_a_vote_is_known_by_48_bits_of_what_it_says_in_json(votes: list[dict[str, Any]]) -> None:
    """Stores hold these bits: they never change, whatever else is in the column."""
    columns = [pa.array([vote[name] for vote in votes], kind) for name, kind in MARKED.items()]
    rows = pa.chunked_array([pa.StructArray.from_arrays(columns, names=list(MARKED))])
    lists = [json.dumps([vote[name] for name in MARKED]) for vote in votes]
    expected = [hashlib.blake2b(each.encode(), digest_size=6).hexdigest() for each in lists]
    assert staged_votes._mark_votes(rows).to_pylist() == [int(each, 16) for each in expected]


# ---- Votes that are counted in files mean what they mean to `import`


COUNTED = ("a", "b", "001", "1", "NA", "inf", "null", "ü 漢", "it's", '"q"', " c ")
VALUES: dict[str, tuple[object, ...]] = {
    "model_a": COUNTED,
    "model_b": (*COUNTED, "a\x07"),
    "winner": (
        "model_a", "model_b", "Model-A", "tie", "tie (bothbad)", "[[B]]", "NA", "", "skip", "inf",
        "a", "b", "second is odd", "left",
    ),
    "item": ("i1", "i2", "i2", "2.0", "2", " ", "", "NA"),
    "attribute": ("overall", "fluency", ""),
    "judge": ("ann", "bob", "", "NA"),
    "judge_kind": ("human", "human", "llm", "", "robot"),
    "swapped": ("", "0", "0", "no", "false", "perhaps"),
    "order_known": ("1", "", "0"),
    "prob_a": ("", "", "0.5", "x", "1.5", "nan", " 1e-3 ", "0,5", "inf"),
    "failure": ("", "", "", "time-out"),
    "strength": ("", "3", "much", "1e400"),
    "sample_a": ("", "0", "1", "1.5", "-1"),
    "text_a": ("left", "A", "yes", "no", ""),
    "text_b": ("A", "yes ", "no", "right", ""),
}  # fmt: skip
ALWAYS = ("model_a", "model_b", "winner")
MEANT = ["system_a", "system_b", "attribute", "kind", "order_known", "outcome", "failure"]


def drawn(rng: np.random.Generator) -> pd.DataFrame:
    """A table of votes such as people may have: most cells are plain, some are not."""
    rows = int(rng.integers(1, 60))
    optional = [name for name in VALUES if name not in ALWAYS]
    names = [*ALWAYS, *rng.choice(optional, int(rng.integers(0, 7)), replace=False)]
    if "text_a" in names or "text_b" in names:
        names = list(dict.fromkeys([*names, "text_a", "text_b"]))
    odd = rng.choice([0.05, 0.4])
    columns = {}
    for name in names:
        few = VALUES[name][: 2 if name in ALWAYS else 1]
        every = [few, VALUES[name]]
        columns[name] = [
            str(rng.choice(np.array(every[int(rng.random() < odd)], dtype=object)))
            for _ in range(rows)
        ]
    if {"judge", "judge_kind"} <= set(columns):  # the same judge is always of the same kind
        kinds = dict(zip(columns["judge"], columns["judge_kind"], strict=True))
        columns["judge_kind"] = [kinds[judge] for judge in columns["judge"]]
    return pd.DataFrame(columns, dtype=object)


def imported(path: Path, **how) -> Counter:
    with Store(":memory:") as store:
        importer.load(store, [path], Dataset("d"), Reading(**{"repeats": Repeats.ALL, **how}))
        frame = store.judgement_frames.load_all("d")
    frame = frame.astype(object).where(frame.notna(), None)
    return Counter(
        tuple(each or None for each in row) for row in frame[MEANT].itertuples(index=False)
    )


def counted(path: Path, **how) -> Counter:
    try:
        votes = count([path], reading=Reading(**{"repeats": Repeats.ALL, **how})).votes
    except NotCountedError:  # then a board is made of an import
        return imported(path, **how)
    votes = votes.astype(object).where(votes.notna(), None)
    found: Counter = Counter()
    for row, times in zip(votes[MEANT].itertuples(index=False), votes["times"], strict=True):
        found[tuple(each or None for each in row)] += times
    return found


def outcome(read, path, **how):
    """What is read, or that it is refused."""
    try:
        return read(path, **how)
    except TandemError:
        return "refused"


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 500), marks=pytest.mark.slow)])
def test_votes_mean_what_they_mean_to_import(
    tmp_path: Path, seeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alike_rows, "WATCHED", 3)  # from there on Parquet is counted by batches
    for seed in seeds:
        table = drawn(np.random.default_rng(seed))
        path = tmp_path / (f"{seed}.csv" if seed % 2 else f"{seed}.parquet")
        if seed % 2:
            quoting = csv.QUOTE_ALL if seed % 4 == 1 else csv.QUOTE_MINIMAL
            table.to_csv(path, index=False, quoting=quoting)
        else:
            table.to_parquet(path)
        assert outcome(counted, path) == outcome(imported, path), seed


def test_files_with_other_columns_are_read_each_in_its_way(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("model_a,model_b,winner\nx,y,model_a\nx,y,tie\n")
    (tmp_path / "b.tsv").write_text("left\tright\tchoice\nx\ty\tright\n")
    (tmp_path / "c.csv").write_text("model_a,model_b,winner_a,winner_b\nx,y,1,0\n")
    with gzip.open(tmp_path / "d.csv.gz", "wt") as file:
        file.write("model_a;model_b;winner\ny;x;model_a\n")
    votes = count([tmp_path, tmp_path / "*.csv"]).votes  # each file once
    told = votes.groupby(["system_a", "system_b", "outcome"])["times"].sum().to_dict()
    # By hand.
    assert told == {
        ("x", "y", "a"): 2,
        ("x", "y", "b"): 1,
        ("x", "y", "tie"): 1,
        ("y", "x", "a"): 1,
    }


def test_a_name_is_no_pattern_no_quote_and_no_partition(tmp_path: Path) -> None:
    folder = tmp_path / "kind=gold" / "it's [1]*"
    folder.mkdir(parents=True)
    (folder / "a'b[2].csv").write_text("model_a,model_b,winner\nx,y,model_a\n")
    assert counted(folder / "a'b[2].csv") == {("x", "y", "overall", "human", 1, "a", None): 1}


def test_only_what_is_named_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(
        "item,subset,left,right,winner,judge\ni,en,x,y,a,ann\ni,en,x,y,a,bob\nj,de,x,y,a,cid\n"
    )
    votes = count([tmp_path / "v.csv"], CountedVotes(("ann",))).votes
    assert dict(zip(votes["judge"], votes["times"], strict=True)) == {"ann": 1, "-": 2}
    assert count([tmp_path / "v.csv"], CountedVotes(items=("j",))).votes["times"].sum() == 1
    assert count([tmp_path / "v.csv"], CountedVotes(subset="en")).votes["times"].sum() == 2


def test_items_are_counted_one_by_one_and_in_groups_where_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"i{i % 300},x,y,{'ab'[i % 2]}" for i in range(1200)] + [",x,y,a"] * 5
    (tmp_path / "v.csv").write_text("\n".join(["item,left,right,winner", *rows]))
    each = count([tmp_path / "v.csv"])
    assert (each.items, each.grouped, each.has_unnamed_items) == (305, False, False)
    assert sorted(each.of_items.groupby("item")["times"].sum()) == [1] * 5 + [4] * 300
    monkeypatch.setattr(vote_counts, "COUNTS", 100)
    some = count([tmp_path / "v.csv"])
    assert some.grouped
    assert some.items == pytest.approx(305, rel=0.1)  # HyperLogLog
    assert some.of_items["item"].nunique() == pytest.approx(105, abs=8)
    assert some.of_items["times"].sum() == each.of_items["times"].sum() == 1205


def test_prompts_are_compared_by_an_import(tmp_path: Path) -> None:
    rows = [f"{i},c{i % 4},x,y,a" for i in range(12)]
    (tmp_path / "v.csv").write_text("\n".join(["id,prompt,left,right,winner", *rows]))
    with pytest.raises(NotCountedError):
        count([tmp_path / "v.csv"])
    kept = Reading(mapping={"item": "id", "context": ""}, unused=("prompt",))
    assert count([tmp_path / "v.csv"], reading=kept).items == 12


def test_addresses_are_refused() -> None:
    for path in ["https://example.org/v.parquet", "s3://bucket/*.parquet"]:
        with pytest.raises(TandemError, match=rf"{re.escape(path)}.*address.*download"):
            count([path])
