"""Importing: the same file again, a grown one, halves, a killed import, rows that contradict what
is there, broken files.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import signal
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.__main__ import main
from core.importing import COUNTS, Reading, files, importer, staged_file, survey
from core.importing import report as reports
from core.records import Dataset, TandemError
from core.store import Store, dataset_decisions
from tests.importing.conftest import OpenStore, Write
from tests.published import check_skipped
from tests.study import tandem, wait_for


def load(store: Store, *paths: Path, dataset: str = "d", **options: Any) -> importer.ImportReport:
    return importer.load(store, paths, Dataset(dataset), **options)


def content(store: Store, dataset: str = "d") -> dict[str, list[tuple[Any, ...]]]:
    """Everything a data set holds, without row ids and the time of the import, in an order of its
    own.
    """
    frames = {
        "items": store.datasets.items(dataset),
        "generations": store.texts.generations(dataset).drop(columns="generation"),
        "scores": store.scores.load_all(dataset).drop(columns="generation"),
        "judgements": store.judgement_frames.load_exported(dataset).drop(
            columns=["judgement", "dataset", "source_row", "created_at"]
        ),
        "attributes": pd.DataFrame(
            [vars(attribute) for attribute in store.datasets.attributes(dataset)]
        ),
    }
    return {
        name: sorted(map(tuple, frame.astype(str).to_numpy().tolist()))
        for name, frame in frames.items()
    }


def vote_table(rows: int, seed: int = 1) -> str:
    """Votes without items or time stamps, among them many that are equal to the letter."""
    rng = random.Random(seed)
    lines = [
        f"{a},{b},{rng.choice(['model_a', 'model_b', 'tie', ''])}"
        for a, b in (rng.sample("wxyz", 2) for _ in range(rows))
    ]
    return "model_a,model_b,winner\n" + "\n".join(lines) + "\n"


SAID = {"left": "x", "right": "y", "winner": "a"}
FILES = {
    "votes.csv": vote_table(40),
    "generations.csv": "item,context,system,text,sample,score:q\n"
    + "".join(
        f"i{i},C{i},{s},{s}{i}{j},{j},{j}\n" for i in range(5) for s in "xy" for j in range(2)
    ),
    "texts.jsonl": "".join(
        json.dumps({"item": f"i{i}", **SAID, "text_a": f"a{i % 3}", "text_b": f"b{i}"}) + "\n"
        for i in list(range(6)) * 2
    ),
    "unieval.json": json.dumps(
        [
            {
                "source": f"s{i}",
                "system_id": s,
                "system_output": f"{s}{i}",
                "scores": {"overall": i},
            }
            for i in range(5)
            for s in ("x", "y", "y")
        ]
    ),
}


def test_importing_again_adds_nothing(
    open_store: OpenStore, write: Write, subtests: pytest.Subtests
) -> None:
    """And counts are those of the store; the same file may be two data sets."""
    for name, text in FILES.items():
        with subtests.test(name):
            store, path = open_store(), write(name, text)
            first = load(store, path, dataset=name)
            assert (first.added, first.skipped) == (first.counts, [])
            stored = store.datasets.summary().set_index("dataset").loc[name, list(COUNTS)]
            assert first.counts == stored.to_dict()
            before = content(store, name)
            again = load(store, path, dataset=name)
            assert (again.counts, again.skipped) == (first.counts, [])
            assert again.added == dict.fromkeys(COUNTS, 0)
            assert content(store, name) == before
            if name == "votes.csv":
                assert load(store, path, dataset="e").added["judgements"] == 40
                assert _without_name(content(store, name)) == _without_name(content(store, "e"))


PARTED = ("votes.csv", "generations.csv", "texts.jsonl")


def test_a_grown_file_adds_what_is_new(
    open_store: OpenStore, write: Write, subtests: pytest.Subtests
) -> None:
    for name in PARTED:
        with subtests.test(name):
            store, lines = open_store(), FILES[name].splitlines(keepends=True)
            load(store, write(name, "".join(lines[: len(lines) // 2])))
            load(store, write(name, FILES[name]))
            load(store, write(name, FILES[name]), dataset="at once")
            assert _without_name(content(store)) == _without_name(content(store, "at once"))


def test_two_halves_are_the_whole(
    open_store: OpenStore, write: Write, subtests: pytest.Subtests
) -> None:
    """Only where votes name no item do the halves differ from the whole: there an item is a row of
    its file.
    """
    for name, together in product(PARTED, (True, False)):
        with subtests.test(name, together=together):
            store = open_store()
            header = "" if name.endswith(".jsonl") else FILES[name].splitlines(keepends=True)[0]
            lines = FILES[name].removeprefix(header).splitlines(keepends=True)
            parts = (lines[:5], lines[5:])
            halves = [write(f"{n}-{name}", header + "".join(part)) for n, part in enumerate(parts)]
            held = [load(store, *halves)] if together else [load(store, half) for half in halves]
            whole = load(store, write(name, FILES[name]), dataset="at once")
            assert [one for report in held for one in report.skipped] == []
            added = [report.added for report in held]
            assert sum(each["judgements"] for each in added) == whole.added["judgements"]
            texts = store.texts.generations("d")["text"].notna().sum()
            assert sum(each["generations"] for each in added) == texts
            if name != "votes.csv":
                assert _without_name(content(store)) == _without_name(content(store, "at once"))
            for half in halves:
                assert load(store, half).added == dict.fromkeys(COUNTS, 0)


def _without_name(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    return {**found, "judgements": sorted(row[1:] for row in found["judgements"])}


def test_a_file_that_changed_adds_its_new_votes(
    open_store: OpenStore, write: Write, subtests: pytest.Subtests
) -> None:
    """Equal rows are different votes; a mended row is added alone, and so are rows above votes
    without items.
    """
    items, bare = "item,left,right,winner\n", "left,right,winner\n"
    cases: dict[str, tuple[str, str, int, list[object]]] = {
        "trial": (items + "q,x,y,a\n" * 5, items + "q,x,y,a\n" * 7, 2, [*range(7)]),
        "item": (f"{items}q,x,y,a\nr,,y,b\ns,x,y,b\n", f"{items}q,x,y,a\nr,x,y,b\ns,x,y,b\n", 1, ["q", "s", "r"]),
        "winner": (f"{bare}x,y,a\nx,z,b\n", f"{bare}y,z,tie\nx,y,a\nx,z,b\n", 1, ["a", "b", "tie"]),
    }  # fmt: skip
    for column, (first, later, added, expected) in cases.items():
        with subtests.test(column):
            store = open_store()
            load(store, write("v.csv", first))
            assert load(store, write("v.csv", later)).added["judgements"] == added
            assert store.judgement_frames.load_exported("d")[column].tolist() == expected
    store = open_store()  # files of one name in two folders are two files
    paths = [write(f"{folder}/v.csv", f"{items}q,x,y,a\nq,x,y,a\n") for folder in ("one", "two")]
    assert [load(store, *paths).added["judgements"] for _ in range(2)] == [4, 0]


def test_the_same_votes_with_texts_fill_the_texts_in(open_store: OpenStore, write: Write) -> None:
    for item in ("", "q"):
        store, head = open_store(), "item,left,right,winner"
        load(store, write("v.csv", f"{head}\n{item},x,y,a\n"))
        report = load(store, write("v.csv", f"{head},text_a,text_b\n{item},x,y,a,one,two\n"))
        assert report.added == dict.fromkeys(COUNTS, 0) | {"generations": 2}
        texts = store.judgement_frames.load_exported("d")[["text_a", "text_b"]]
        assert texts.values.tolist() == [["one", "two"]]


class StopError(Exception):
    pass


@pytest.mark.parametrize("name", FILES)
def test_stopped_after_any_chunk_and_repeated(
    tmp_path: Path, write: Write, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = 3
    monkeypatch.setattr("core.importing.writing.CHUNK", chunk)
    planned = "SELECT count(*) FROM campaign_pairs"
    path = write(name, FILES[name])
    with Store(tmp_path / "undisturbed.sqlite3") as undisturbed:
        load(undisturbed, path)
        expected, plans = content(undisturbed), undisturbed.connection.value(planned)
    stops = 0
    while True:
        with Store(tmp_path / f"stopped-{stops}.sqlite3") as store:

            def stop(stage: str, done: int, of: int, after: int = chunk * (stops + 1)) -> None:
                if stage == "importing" and done >= after:
                    raise StopError

            try:
                load(store, path, progress=stop)
            except StopError:
                stops += 1
            else:
                break
            assert stops > 1 or content(store) != expected
            load(store, path)
            assert content(store) == expected
            assert store.connection.value(planned) == plans
            assert store.connection.check()["ok"]
    assert stops >= 3


def test_killed_in_the_middle_and_repeated(tmp_path: Path, write: Write) -> None:
    path, target = write("votes.csv", vote_table(12_000)), tmp_path / "killed.sqlite3"
    with Store(target) as store:
        process = tandem(target, "import", str(path), "--dataset", "d")
        wait_for(lambda: store.connection.value("SELECT count(*) FROM judgements") > 0)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "it ended before it could be killed"
        kept = store.connection.value("SELECT count(*) FROM judgements")
        assert 0 < kept < 12_000
        report = load(store, path)
        assert report.added["judgements"] == 12_000 - kept
        load(store, path, dataset="undisturbed")
        assert _without_name(content(store)) == _without_name(content(store, "undisturbed"))
        assert store.connection.check()["ok"]


# ---- nothing is overwritten


def test_a_second_text_score_or_context_is_skipped_and_said(store: Store, write: Write) -> None:
    header = "item,context,system,text,score:q\n"
    load(store, write("one.csv", header + "i,C,x,a,1\ni,C,y,b,2\n"))
    before = content(store)
    report = load(
        store, write("two.csv", header + "i,C,x,other,1\ni,C,y,b,3\nj,D,x,new,5\ni,E,z,c,\n")
    )
    named = {
        1: "item 'i', system 'x', sample 0 .*text.*kept",
        2: "'human' .*item 'i', system 'y', sample 0 .*score.*'q'.*kept",
        4: "item 'i' .*context.*kept",
    }
    check_skipped(report, named)
    assert report.added["generations"] == 1
    after = content(store)
    assert all(set(before[name]) <= set(after[name]) for name in before)


def test_files_that_contradict_each_other(store: Store, write: Write) -> None:
    paths = [write(f"{n}.csv", f"item,system,text\ni,x,{n}\nj{n},x,fine\n") for n in (1, 2)]
    report = load(store, *paths)
    assert [one["file"] for one in report.skipped] == ["2.csv"]
    check_skipped(report, {1: "item 'i', system 'x', sample 0 .*text.*kept"})
    assert report.counts["generations"] == report.added["generations"] == 3


def test_a_file_that_contradicts_throughout_says_what_to_do(store: Store, write: Write) -> None:
    """Of a folder it is left out, alone it is refused, and in either case it belongs into a data
    set of its own.
    """
    one, two = (write(f"{n}.csv", f"item,system,text\ni,x,{n}\nj,x,{n}\n") for n in (1, 2))
    said = (
        "2.csv says something else of the same items (row 1: item 'i', system 'x', sample 0 has "
        "another text already, which is "
        "kept): import it by itself, as a data set with another name"
    )
    assert load(store, one.parent).left_out == [{"file": "2.csv", "reason": said}]
    with pytest.raises(TandemError, match=re.escape(said)):
        load(store, two)
    assert load(store, two, dataset="other").counts["generations"] == 2


def test_texts_of_two_files_of_votes_are_samples_of_one_another(store: Store, write: Write) -> None:
    row = '{"item": "i", "left": "x", "right": "y", "text_a": "%s", "text_b": "b", "winner": "a"}\n'
    report = load(
        store, *[write(f"{text}.jsonl", row % text) for text in ("one", "two", "one again")]
    )
    assert report.skipped == []
    assert report.counts == report.added
    assert report.counts["generations"] == 4
    found = store.texts.generations("d")
    assert found[found["system"] == "x"]["text"].tolist() == ["one", "two", "one again"]


def test_what_was_not_available_is_filled_in(store: Store, write: Write) -> None:
    load(store, write("votes.csv", "item,left,right,winner\ni,x,y,a\n"))
    report = load(
        store, write("texts.csv", "item,context,reference,system,text\ni,C,r,x,a\ni,C,r,y,b\n")
    )
    assert report.skipped == []
    assert report.added["generations"] == 2
    assert store.texts.generations("d")["text"].tolist() == ["a", "b"]
    assert store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
        ["i", "C", '["r"]', ""]
    ]


def test_a_skipped_row_leaves_no_trace(store: Store, write: Write) -> None:
    """Its first text was fine, its second was not: a later row may still bring another first text."""
    load(store, write("g.csv", "item,system,text\ni,y,kept\n"))
    rows = [("one", "wrong"), ("two", "kept")]
    table = "item,left,right,text_a,text_b,winner,sample_a,sample_b\n" + "".join(
        f"i,x,y,{a},{b},a,0,0\n" for a, b in rows
    )
    report = load(store, write("v.csv", table))
    assert [one["row"] for one in report.skipped] == [1]
    assert sorted(store.texts.generations("d")["text"]) == ["kept", "two"]


def test_more_skipped_rows_than_are_listed_are_counted(
    store: Store, write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reports, "LISTED", 30)
    rows = "".join(f"i{i},x,a\n" for i in range(100)) + "i0,x,again\n" * 50
    path = write("g.csv", f"item,system,text\n{rows}")
    report = load(store, path)
    assert [row["row"] for row in report.skipped] == [*range(101, 131)]
    assert report.unlisted == 20
    assert report.counts["generations"] == report.added["generations"] == 100
    assert main(["--store", str(store.path), "import", str(path), "--dataset", "e"]) == 0
    said = capsys.readouterr().out
    assert "50 of 150 rows skipped:" in said
    assert re.search("30 more.*--json .*first 30", said)


def test_a_file_of_which_next_to_nothing_can_be_used_is_not_read_to_its_end(
    store: Store, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_file, "ENOUGH", 200)
    path = write("g.csv", "item,system,text\n" + "i,x,a\n" + ",x,a\n" * 100_000)
    with pytest.raises(TandemError, match=r"\b199 of .*\b200 rows of g\.csv\b"):
        load(store, path)
    assert store.datasets.names() == []
    some = "".join(f"i{i},x,a\n" for i in range(3)) + "i0,x,a\n" * 197
    rest = "".join(f"j{i},x,a\n" for i in range(300))
    report = load(store, write("h.csv", f"item,system,text\n{some}{rest}"))
    assert report.counts["generations"] == 303, "3 of 200 are some, and most of all can be used"


def test_a_data_set_that_goes_meanwhile_is_a_sentence(store: Store, write: Write) -> None:
    votes = write("v.csv", "item,model_a,model_b,winner\n" + "q,x,y,model_a\n" * 3)

    def delete_it(stage: str, done: int, of: int) -> None:
        if stage == "importing" and "v" in store.datasets.names():
            dataset_decisions.delete(store, "test", "v")

    with pytest.raises(TandemError, match=r"'v' .*deleted.*again"):
        importer.load(store, [votes], Dataset("v"), progress=delete_it)
    assert store.datasets.names() == []
    assert store.connection.check()["ok"]


def test_all_hopeless_files_of_a_folder_are_left_out_after_one_look(
    store: Store, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_file, "ENOUGH", 200)
    write("in/a.csv", "item,system,text\n" + "".join(f"i{i},x,a\n" for i in range(500)))
    for number in range(5):
        write(f"in/b{number}.csv", "item,system,text\n" + "i,x,a\n" + ",x,a\n" * 1000)
    read, rows = list[str](), files.rows

    def noted(path: Path, **how: str) -> Iterator[files.Row | files.SkippedRecord]:
        for row in rows(path):
            read.append(path.name)
            yield row

    monkeypatch.setattr(files, "rows", noted)
    report = load(store, tmp_path / "in")
    assert report.counts["generations"] == 500
    assert [one["file"] for one in report.left_out] == [f"b{number}.csv" for number in range(5)]
    assert read.count("a.csv") <= 600, "once, and its first rows"
    assert read.count("b0.csv") < 1000


def test_rows_that_contradict_what_is_known_do_not_make_a_file_hopeless(
    store: Store, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_file, "ENOUGH", 200)
    load(store, write("g.csv", "item,system,text\n" + "".join(f"i{i},x,a\n" for i in range(200))))
    mended = "".join(f"i{i},x,b\n" for i in range(200)) + "".join(f"j{i},x,b\n" for i in range(9))
    report = load(store, write("h.csv", f"item,system,text\n{mended}"))
    assert (len(report.skipped), report.added["generations"]) == (200, 9)


def test_a_limit_on_the_rows_of_one_import(
    store: Store, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "MOST_ROWS", 100)
    head, rows = "item,system,text\n", [f"i{i},x,a\n" for i in range(101)]
    first, second, third = (
        write(name, head + "".join(some))
        for name, some in (("a.csv", rows[:50]), ("b.csv", rows[50:100]), ("c.csv", rows[50:]))
    )
    with pytest.raises(TandemError, match=r"\b100 rows .*one after"):
        load(store, first, third)
    assert store.datasets.names() == []
    assert load(store, first, second).counts["generations"] == 100


def test_a_judge_of_another_kind_skips_its_rows(store: Store, write: Write) -> None:
    load(store, write("v.csv", "left,right,winner,judge,kind\nx,y,a,Ada,human\n"))
    before = content(store)
    with pytest.raises(TandemError, match=r"no row .*w\.csv.*'Ada' .*llm"):
        load(store, write("w.csv", "left,right,winner,judge,kind\nx,y,a,Ada,llm\n"), dataset="e")
    assert store.datasets.names() == ["d"]
    assert content(store) == before


def test_the_default_campaign_is_every_pair(store: Store, write: Write) -> None:
    wide = Reading(layout="generations")
    for rows, pairs in (("i,a,b,c\nj,d,e,f\n", 2 * 3), ("i,a,b,c\nj,d,e,f\nk,g,h,i\n", 3 * 3)):
        load(store, write("g.csv", f"item,x,y,z\n{rows}"), reading=wide)
        assert store.connection.value("SELECT count(*) FROM campaign_pairs") == pairs


def test_a_data_set_has_a_name(store: Store, write: Write) -> None:
    for name in ("", "  "):
        with pytest.raises(TandemError, match=r"name.* dataset"):
            load(store, write("g.csv", FILES["generations.csv"]), dataset=name)


# ---- broken files, through the command line: of each way one; all that readers refuse or skip is in
# test_files.py


def parquet() -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"item": ["i"], "system": ["x"], "text": ["a"]}).to_parquet(buffer)
    return buffer.getvalue()


GOOD = "item,system,text\ni,x,a\ni,y,b\n"
LINE = '{"item": "i", "system": "%s", "text": "a"}\n'
REFUSED: dict[str, tuple[str, bytes | str]] = {
    "truncated JSON": ("a.json", '[{"item": "i", "system": "x", "text": "a"}, {"item": "j", "sys'),
    "missing columns": ("a.csv", "item,text\ni,a\n"),
    "empty file": ("a.csv", ""),
    "empty objects": ("a.jsonl", "{}\n{}\n"),
    "header only": ("a.csv", "item,system,text\n"),
    "Latin-1": ("a.csv", "item,system,text\ni,x,caf\xe9\n".encode("latin-1")),
    "nested objects in a cell": ("a.jsonl", '{"item": "i", "system": "x", "text": ' + '{"a":' * 100_000 + "1" + "}" * 100_001),
    "broken Parquet": ("a.parquet", parquet()[:-40]),
    "cut off gz": ("a.csv.gz", gzip.compress(GOOD.encode() * 99)[:-20]),
    "unknown suffix": ("a.xlsx", "PK"),
    "all rows wrong": ("a.csv", "item,system,text\n,x,a\n,y,b\n"),
}  # fmt: skip
TAKEN: dict[str, tuple[str, bytes | str, int]] = {
    "one line truncated": ("a.jsonl", LINE % "x" + '{"item": "i", "syst', 1),
    "repeated item and system": ("a.csv", GOOD + "i,x,c\n", 1),
    "too few cells": ("a.csv", GOOD + "j\n", 1),
    "too many cells": ("a.csv", GOOD + "j,x,a,b,c\n", 1),
    "infinite score": ("a.csv", "item,system,text,score:q\ni,x,a,inf\ni,y,b,1\n", 0),
    "a text that is a list": ("a.jsonl", LINE % "x" + '{"item": "i", "system": "y", "text": '
                                                      '[7]}\n', 1),
    "a field of 10 MB": ("a.csv", GOOD + f"j,x,{'a' * 10_000_000}\n", 0),
    "a whole number without end": ("a.jsonl", LINE % "x" + (LINE % "y").replace("a\"}", "b\"}").replace("}", ', "n": %s}' % ("9" * 5000)), 0),
}  # fmt: skip


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    with Store(folder / "store.sqlite3") as store:
        (folder / "g.csv").write_text("item,system,text\nold,x,a\nold,y,b\n")
        load(store, folder / "g.csv", dataset="old")
    (folder / "g.csv").unlink()
    return folder


def test_a_file_that_is_refused(
    write: Write, filled: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    before, words = files_of(filled), ["--store", str(filled / "store.sqlite3"), "import"]
    for case, (name, text) in REFUSED.items():
        with subtests.test(case):
            path = write(name, text)
            status = main([*words, str(path), "--dataset", "new", "--json"])
            out, err = capsys.readouterr()
            assert (status, out) == (2, "")
            assert err.startswith("tandem: ")
            assert (len(err.splitlines()), err[-1]) == (1, "\n")
            assert len(err) < 700
            assert name in err
            assert files_of(filled) == before


def test_a_file_that_is_refused_or_missing_makes_no_store(write: Write, tmp_path: Path) -> None:
    target = tmp_path / "new" / "store.sqlite3"
    cases = ["truncated JSON", "all rows wrong", "broken Parquet"]
    for path in [*(write(*REFUSED[case]) for case in cases), tmp_path / "none.csv"]:
        assert main(["--store", str(target), "import", str(path), "--dataset", "new"]) == 2
        assert not target.parent.exists()


def test_a_file_of_which_some_rows_are_taken(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for number, (case, (name, text, skipped)) in enumerate(TAKEN.items()):
        with subtests.test(case):
            words = ["--store", str(tmp_path / f"{number}.sqlite3"), "import"]
            status = main([*words, str(write(name, text)), "--dataset", "new", "--json"])
            out, err = capsys.readouterr()
            assert (status, err) == (0, "")
            document = json.loads(out)
            assert len(document["skipped"]) == skipped
            assert all(one["row"] >= 1 for one in document["skipped"])
            assert all(0 < len(one["reason"]) < 300 for one in document["skipped"])
            assert document["generations"] == document["added"]["generations"] >= 1
            if case == "a field of 10 MB":  # it arrives whole
                with Store(tmp_path / f"{number}.sqlite3") as store:
                    assert store.texts.list_by_sample("new", "j", "x") == {0: "a" * 10_000_000}


def test_of_a_folder_a_table_whose_prompt_is_in_doubt_is_left_out(
    store: Store, tmp_path: Path
) -> None:
    """As beside LLMBar's answers its statistics, with a column `prompt` that names wordings."""
    votes = "item,system_a,system_b,winner\ni1,x,y,a\ni2,x,y,b\n"
    (tmp_path / "votes.csv").write_text(votes)
    rows = "".join(
        f"{split},{name},29 of 54 = 53.7%,12 of 54 = 22.2%\n"
        for name in ("CoT", "Swap")
        for split in ("easy", "hard")
    )
    (tmp_path / "numbers.csv").write_text(f"subset,prompt,right,equal\n{rows}")
    report = load(store, tmp_path)
    assert (report.counts["judgements"], report.counts["systems"]) == (2, 2)
    ((name, reason),) = [(one["file"], one["reason"]) for one in report.left_out]
    assert name == "numbers.csv"
    assert "'subset'" in reason
    with pytest.raises(TandemError, match="subset"):
        load(store, tmp_path / "numbers.csv")


def test_of_a_folder_what_cannot_be_imported_is_left_out_and_named(
    store: Store, write: Write, tmp_path: Path
) -> None:
    """Also files of one name, told apart by their folders, and hidden folders."""
    for folder in ("en", "ko"):
        write(f"folder/{folder}/texts.csv", f"item,system,text\n{folder},x,a\nbroken\n")
    write("folder/README.md", "not data")
    write("folder/en/.git/texts.csv", "item,system,text\nhidden,x,a\n")
    write("folder/board.csv", "model,win rate\nx,0.5\n")
    write("folder/ids.txt", "18\n27\n")
    write("folder/empty.csv", "item,system,text\n")
    report = load(store, tmp_path / "folder")
    assert report.layouts == {"en/texts.csv": "generations", "ko/texts.csv": "generations"}
    assert [one["file"] for one in report.skipped] == ["en/texts.csv", "ko/texts.csv"]
    assert (report.counts["items"], report.rows) == (2, 4)
    left_out = {one["file"] for one in report.document()["left_out"]}  # type: ignore[attr-defined]
    assert left_out == {"board.csv", "ids.txt", "empty.csv"}
    with pytest.raises(TandemError, match=r"ids\.txt .*plain.*\.jsonl"):
        load(store, tmp_path / "folder", tmp_path / "folder" / "ids.txt")


def test_a_folder_of_which_nothing_can_be_imported(
    store: Store, write: Write, tmp_path: Path
) -> None:
    """And one broken file of two leaves the store as it was."""
    write("folder/a.txt", "18\n")
    write("folder/b.csv", "item,system,text\n")
    (tmp_path / "empty").mkdir()
    broken = [write("a.csv", GOOD), write("b.json", '[{"item":')]
    for paths, refused in [
        ([tmp_path / "folder"], r"nothing .*a\.txt .*plain.*\b1 more\b"),
        ([tmp_path / "empty"], "empty"),
        ([tmp_path / "nowhere"], "nowhere"),
        (broken, r"b\.json"),
    ]:
        with pytest.raises(TandemError, match=refused):
            load(store, *paths)
    assert store.datasets.names() == []
