"""Exports, and what comes back when they are imported."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.campaigns import Design, open_campaign
from core.exporting import export
from core.findings.judgements.selection import Selection
from core.importing import importer
from core.pairing import Choice
from core.records import (
    Answer,
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    TandemError,
)  # fmt: skip
from core.store import Check, Store
from tests import study as studies
from tests.findings.tables import load
from tests.votes import SourceRow, Vote, add_votes

NASTY = [
    'a "quoted" text', "two\nlines", "carriage\r\nreturn", "commas, and; semicolons", "tab\there", " spaces around ",
    "\ufeffBOM", "emoji 🙂 and \u202eright to left", "<b>bold</b> ![x](http://h/i.png)", "=1+1", "NA", "null", "\u2028", "#",
]  # fmt: skip
A, B, TIE, BAD = Outcome


@pytest.fixture
def voted(store: Store) -> Store:
    """Judgements of every sort: outcomes, failures, probabilities, orders, comments, samples."""
    answers = [
        Answer(A, prob_a=0.1 + 0.2, comment=NASTY[0], seconds=1 / 3, confidence=0.9),
        Answer(B, prob_a=1e-17, raw="B\nbecause", strength=2.0),
        Answer(TIE, prob_a=0.5), Answer(BAD, comment=NASTY[1]), Answer(failure="refused"), Answer(failure="no-answer"),
    ]  # fmt: skip
    judges = [("Ada", Kind.HUMAN), ("gpt", Kind.LLM), ("key", Kind.GOLD)]
    votes = [
        Vote(
            item=f"i{i}", system_a=first, system_b=second, judge=name, kind=kind, answer=answers[(i + j) % len(answers)],
            sample_a=i % 3, sample_b=i % 3, attribute="fluency" if i % 2 else "overall", order_known=(i + j) % 5 > 0,
            source_row=SourceRow(f"{name}-{first}", i, 1), created_at=f"2024-05-{1 + i:02}T10:00:00.{j}00+00:00",
        )
        for i in range(12)
        for j, (name, kind) in enumerate(judges)
        for first, second in (("x", "y"), ("y", "x"))
    ]  # fmt: skip
    contexts = [f"Context {i}: {NASTY[i % len(NASTY)]}" for i in range(12)]
    items = [
        Item(f"i{i}", context, (), ["even", "odd"][i % 2]) for i, context in enumerate(contexts)
    ]
    texts = [
        Generation(f"i{i}", s, k, f"{s}{i}{k} {NASTY[(i + k) % len(NASTY)]}")
        for i, s, k in product(range(12), "xy", range(3))
    ]
    attributes = [Attribute("overall"), Attribute("fluency")]
    studies.add_texts(store, "d", texts, items=items, attributes=attributes)
    store.judges.add([JudgeSpec(name, kind) for name, kind in judges])
    add_votes(store, "d", votes)
    return store


def judgements(store: Store) -> list[dict[str, Any]]:
    frame = store.judgement_frames.load_exported("d").astype(object)
    frame = frame.drop(columns=["dataset", "source_row", "votes", "screen"])
    return [dict(row) for row in frame.where(frame.notna(), None).to_dict("records")]


Fresh = Iterator[tuple[Store, Path]]


def written(rows: Callable[[Store, Selection], Any], store: Store, folder: Path) -> Fresh:
    """For each kind of file, a fresh store that has read what was written of "d", and the file."""
    for suffix in export.WRITERS:
        path = folder / f"{rows.__name__}{suffix}"
        export.save(rows(store, Selection("d")), path)
        with Store(folder / f"{suffix}.sqlite3") as fresh:
            assert importer.load(fresh, [path], Dataset("d")).skipped == []
            yield fresh, path


def test_judgements_come_back_as_they_went(voted: Store, tmp_path: Path) -> None:
    for fresh, path in written(export.judgements, voted, tmp_path):
        assert len(judgements(fresh)) == 72
        assert judgements(fresh) == judgements(voted)
        assert importer.load(fresh, [path], Dataset("d")).added["judgements"] == 0


def test_generations_come_back_as_they_went(voted: Store, tmp_path: Path) -> None:
    for fresh, _ in written(export.generations, voted, tmp_path):
        one, other = (store.texts.generations("d") for store in (voted, fresh))
        columns = [name for name in one if name != "generation"]
        assert one[columns].to_dict("records") == other[columns].to_dict("records")
        contexts = [store.datasets.items("d")["context"].tolist() for store in (voted, fresh)]
        assert contexts[0] == contexts[1]


def test_families_come_back_as_they_went(study: Store, tmp_path: Path) -> None:
    assert "family" not in export.join_portions(export.generations(study, Selection("tiny")))
    study.datasets.add_items("tiny", [Item("i0", family="f"), Item("i2", family="f")])
    path = tmp_path / "generations.csv"
    export.save(export.generations(study, Selection("tiny")), path)
    with Store(tmp_path / "fresh.sqlite3") as fresh:
        importer.load(fresh, [path], Dataset("tiny"))
        one, other = (store.datasets.families("tiny") for store in (fresh, study))
        pd.testing.assert_frame_equal(one, other)


def test_a_file_is_the_same_however_few_rows_are_read_at_a_time(
    voted: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the first rows have no probability, and the last no winner."""
    frames = voted.judgement_frames
    portions = frames.exported_portions
    for suffix in export.WRITERS:
        whole = tmp_path / f"whole{suffix}"
        assert export.save(export.judgements(voted, Selection("d")), whole) == 72
    monkeypatch.setattr(frames, "exported_portions", lambda dataset: portions(dataset, size=7))
    assert len(list(export.judgements(voted, Selection("d")))) == 11
    for suffix in export.WRITERS:
        whole, parts = (tmp_path / f"{name}{suffix}" for name in ("whole", "parts"))
        assert export.save(export.judgements(voted, Selection("d")), parts) == 72
        read = {".csv": pd.read_csv, ".parquet": pd.read_parquet}.get(suffix, pd.read_json)
        options = {"lines": True} if suffix == ".jsonl" else {}
        pd.testing.assert_frame_equal(read(parts, **options), read(whole, **options))


def test_texts_that_are_not_at_hand_stay_so(store: Store, tmp_path: Path) -> None:
    load(store, "left,right,winner\nx,y,a\n")
    for fresh, _ in written(export.judgements, store, tmp_path):
        assert fresh.texts.generations("d")["text"].isna().all()
        assert judgements(fresh) == judgements(store)


def test_what_is_chosen_is_exported(voted: Store) -> None:
    """And what is not there is said."""
    for selection, kept in [
        ({}, 72), ({"judges": ("Ada",)}, 24), ({"judges": ("human", "key")}, 48), ({"attribute": "fluency"}, 36),
        ({"subset": "even"}, 36), ({"systems": ("x", "y")}, 72), ({"systems": ("x",)}, 0),
        ({"attribute": "fluency", "judges": ("llm",), "subset": "odd"}, 12), ({"attribute": "fluency", "subset": "even"}, 0),
    ]:  # fmt: skip
        found = export.judgements(voted, Selection("d", **selection))
        assert len(export.join_portions(found)) == kept
    odd = export.join_portions(
        export.generations(voted, Selection("d", subset="odd", systems=("x",)))
    )
    assert odd["system"].tolist() == ["x"] * 6 * 3
    for name, value, said in [
        ("judges", ("Bob",), "no judgements by 'Bob' here; there are some by"),
        ("judges", ("baseline",), "no judgements by baseline here"),
        ("attribute", "taste", "unknown attribute 'taste'; there are: overall, fluency"),
        ("subset", "prime", "unknown subset 'prime'; there are: even, odd"),
        ("systems", ("z",), "unknown system 'z'; there are: x, y"),
    ]:
        with pytest.raises(TandemError, match=said):
            next(export.judgements(voted, Selection("d", **{name: value})))


def test_a_leaderboard_is_the_one_of_the_report(voted: Store, tmp_path: Path) -> None:
    """By hand: Ada prefers the side shown first or second whatever system is there, so both have
    half of the points.
    """
    export.save(export.leaderboard(voted, Selection("d")), tmp_path / "board.csv")
    rows = pd.read_csv(tmp_path / "board.csv")
    assert set(rows["system"]) == {"x", "y"}
    assert rows["rating"].tolist() == [0.5, 0.5]


def test_json_lines_keep_every_digit(tmp_path: Path) -> None:
    rows = [{"prob_a": 0.1 + 0.2, "judge": "ä"}, {"prob_a": None, "judge": "b"}]
    export.save(iter([pd.DataFrame(rows)]), tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == rows


def test_where_it_cannot_go(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, said in [
        ("a.xlsx", "let it end in .csv, .jsonl, .parquet"),
        ("nowhere/a.csv", "there is no folder"),
        ("folder.csv", "is a folder"),
    ]:
        with pytest.raises(TandemError, match=said):
            export.save(iter([pd.DataFrame({"a": [1]})]), tmp_path / name)


def test_marks_of_single_texts(store: Store, tmp_path: Path) -> None:
    load(store, "item,system,text,score:Ada:q,score:Ben:q\ni,x,one,4,?\ni,y,two,,2.5\n")
    path = tmp_path / "scores.jsonl"
    export.save(export.scores(store, Selection("d")), path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(row["system"], row["rater"], row["value"], row["failure"]) for row in rows] == [
        ("x", "Ada", 4.0, ""), ("x", "Ben", None, "not-a-number"), ("y", "Ben", 2.5, ""),
    ]  # fmt: skip
    assert len(next(export.scores(store, Selection("d", judges=("Ben",), systems=("y",))))) == 1


HOSTILE = (
    *("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1"),
    *("\uff1dSUM(A1)", "\uff0b1", "\uff0d1", "\uff201"),
)
HARMLESS = ("a = b", "-3", "-1.5", "1e-7", "+1.5e-3", "-12%", "'twas", "", "1-2")


def test_no_text_of_a_csv_for_spreadsheets_is_a_formula() -> None:
    texts = [*HOSTILE, *HARMLESS]
    frame = pd.DataFrame({"=name": texts, "value": [-0.5] * len(texts)})
    frame["kind"] = pd.Categorical(["=a"] * len(texts))
    rows = list(csv.reader(io.StringIO(export.for_spreadsheets(frame), newline="")))
    assert rows[0] == ["'=name", "value", "kind"]
    assert [row[0] for row in rows[1:]] == [*(f"'{text}" for text in HOSTILE), *HARMLESS]
    assert {tuple(row[1:]) for row in rows[1:]} == {("-0.5", "'=a")}
    # A spreadsheet whose cells are parted by semicolons sees several.
    frame = pd.DataFrame({"tied_with": [("=1+1", "x"), ("x", "@y"), ()]})
    assert export.for_spreadsheets(frame).split("\r\n")[1:4] == ["'=1+1; x", "x; '@y", '""']
    assert export.as_csv(frame).splitlines()[1] == "=1+1; x"


def test_a_lone_carriage_return_begins_no_new_row(tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["x\ry", "z"], "value": [1.5, None]})
    export.save(iter([frame]), tmp_path / "a.csv")
    for text in (export.as_csv(frame), (tmp_path / "a.csv").read_bytes().decode()):
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert rows == [["text", "value"], ["x\ry", "1.5"], ["z", ""]]


def test_a_file_has_texts_as_they_are_unless_it_is_for_spreadsheets(tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["=1+1", "- a list"]})
    for spreadsheet, written in ((False, ["=1+1", "- a list"]), (True, ["'=1+1", "'- a list"])):
        export.save(iter([frame]), tmp_path / "a.csv", spreadsheet=spreadsheet)
        with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
            assert [row["text"] for row in csv.DictReader(file)] == written
    with pytest.raises(TandemError, match=r"is about \.csv"):
        export.save(iter([frame]), tmp_path / "a.jsonl", spreadsheet=True)


def test_answers_to_checks_say_how_their_texts_were_read(study: Store) -> None:
    """Rows by hand: who answered which of three checks, and whether that was right."""
    texts = studies.ids(study)
    short, long = texts["i0", "alpha", 0], texts["i0", "gamma", 0]
    campaign = open_campaign(study, "c", Choice(dataset=studies.DATASET), Design())
    attribute = study.datasets.attribute_id(studies.DATASET, "coherence")
    checks = [("training", short, long, "2"), ("gold", short, long, "tie"),
              ("attention", texts["i1", "beta", 0], None, "1")]  # fmt: skip
    study.checks.add(campaign.id, [Check(role, attribute, *of) for role, *of in checks])
    ada, bo = studies.judge(study, "Ada"), studies.judge(study, "Bo")
    one, two, three = (check.id for check in study.checks.list_active(campaign.id))
    screen = json.dumps({"a": long, "b": short})
    read = Answer(A, seconds=2.5, screen=screen, text_format="markdown")
    study.checks.answer(one, ada, read, passed=True)
    study.checks.answer(two, ada, Answer(failure="skipped", text_format="plain"), passed=False)
    study.checks.answer(three, bo, Answer(B), passed=False)
    study.checks.undo(study.checks.answer(one, bo, Answer(B), passed=False), bo)
    compared = studies.compare(study, "i1", "alpha", "beta")
    study.judgements.add_vote(None, compared, bo, Answer(A))
    study.exclusions.add(studies.DATASET, "Bo", reason="clicks", by="me")

    def export_checks(**chosen: Any) -> pd.DataFrame:
        return export.join_portions(export.checks(study, Selection(studies.DATASET, **chosen)))

    columns = ["item", "role", "better", "worse", "tie", "system_a", "judge", "outcome", "passed",
               "seconds", "text_format", "excluded"]  # fmt: skip
    found = export_checks()
    assert set(found["campaign"] + found["attribute"]) == {"ccoherence"}
    assert found[columns].astype(object).where(found[columns].notna(), None).values.tolist() == [
        ["i0", "training", "gamma", "alpha", 0, "gamma", "Ada", "a", 1, 2.5, "markdown", 0],
        ["i0", "gold", "alpha", "gamma", 1, None, "Ada", None, 0, None, "plain", 0],
        ["i1", "attention", "beta", "beta", 0, None, "Bo", "b", 0, None, None, 1],
    ]
    assert list(export_checks(judges=("Bo",))["role"]) == ["attention"]
    assert list(export_checks(systems=("alpha", "gamma"))["role"]) == ["training", "gold"]
