"""Judgements in the layouts of other tools, and what comes back when they are imported."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.exporting import FORMATS, export
from core.findings.judgements import Selection
from core.importing import Reading, importer
from core.records import (
    Answer,
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Score,
    TandemError,
)  # fmt: skip
from core.store import Store
from tests.findings.tables import load
from tests.study import add_texts
from tests.votes import Vote, add_votes

A, B, TIE, BAD = Outcome
ANSWERS = [
    Answer(A, comment="Clear.\nAnd short.", seconds=2.5), Answer(B), Answer(TIE), Answer(BAD),
    Answer(failure="skipped", raw="Skip!"), Answer(failure="no-answer"),
]  # fmt: skip


def of_model(answer: Answer) -> Answer:
    """The same without what only people give: a comment, their time, a skip."""
    failure = "no-answer" if answer.failure else ""
    return replace(answer, comment="", seconds=None, failure=failure)


@pytest.fixture
def voted(store: Store) -> Store:
    """Three systems on two items; ann has given each sort of answer to x and y in both orders, and
    gpt the same about x and z; of one of ann's nobody knows who was shown first.
    """
    items = [Item(f"i{i}", f"Prompt {i}") for i in range(6)]
    texts = [Generation(f"i{i}", s, 0, f"{s} “{i}”\n=1") for i in range(6) for s in "xyz"]
    add_texts(store, "d", texts, items=items)
    store.judges.add([JudgeSpec("ann", Kind.HUMAN), JudgeSpec("gpt/4", Kind.LLM)])
    store.people.annotate("ann", store.judges.id_of("ann"))
    votes = [
        Vote(
            f"i{i}", first, second, name, answer if kind is Kind.HUMAN else of_model(answer), kind=kind, created_at=f"2024-05-0{1 + i}T10:00:00",
            order_known=(name, i, first) != ("ann", 0, "y"),
        )
        for i, answer in enumerate(ANSWERS)
        for name, kind, other in (("ann", Kind.HUMAN, "y"), ("gpt/4", Kind.LLM, "z"))
        for first, second in (("x", other), (other, "x"))
    ]  # fmt: skip
    add_votes(store, "d", votes)
    return store


def written(
    store: Store, name: str, folder: Path, *, names: bool = False, **chosen: Any
) -> tuple[Path, Counter[str]]:
    """The export, unpacked where it is a zip, and what it left out."""
    told = export.convert_to_format(store, name, Selection("d", **chosen), who="test", names=names)
    path = folder / f"{name}{FORMATS[name].suffixes[0]}"
    count = export.save_in_format(told, path)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / name)
        path = folder / name
        lines = [file.read_text().splitlines() for file in path.rglob("*.jsonl")]
        assert count == sum(map(len, lines))
    return path, told.left_out


Votes = Counter[tuple[Any, ...]]
COLUMNS = ("item", "system_a", "system_b", "winner", "order_known", "judge", "judge_kind",
           "comment", "created_at", "raw", "seconds")  # fmt: skip
MIRRORED = {"a": "b", "b": "a"}


def votes(store: Store) -> list[dict[str, Any]]:
    """Every vote by COLUMNS; the winner is the failure where there is none."""
    frame = store.judgement_frames.load_exported("d").astype(object)
    frame["winner"] = frame["winner"].where(frame["winner"].notna(), frame["failure"])
    frame["seconds"] = frame["seconds"].where(frame["seconds"].notna(), None)
    return [{str(name): row[name] for name in COLUMNS} for row in frame.to_dict("records")]


def read_langsmith(path: Path) -> list[dict[str, Any]]:
    """The votes of its feedback, of which each has two entries, and of the runs."""
    runs, entries = (
        [json.loads(line) for line in (path / f"{name}.jsonl").read_text().splitlines()]
        for name in ("runs", "feedback")
    )
    by_id = {run["id"]: run for run in runs}
    found = []
    for pair in zip(entries[::2], entries[1::2], strict=True):
        first, second = (by_id[entry["run_id"]] for entry in pair)
        said, source = pair[0], pair[0]["feedback_source"]
        assert said["feedback_group_id"] == pair[1]["feedback_group_id"]
        scores = tuple(entry["score"] for entry in pair)
        extra = said["extra"] or {}
        found.append({
            "item": first["extra"]["metadata"]["item"], "order_known": 0,
            "system_a": first["session_name"], "system_b": second["session_name"],
            "winner": {(1, 0): "a", (0, 1): "b", (0.5, 0.5): "tie"}.get(scores) or extra["failure"],
            "judge": source.get("user_name") or source["metadata"]["model"],
            "judge_kind": "human" if source["type"] == "app" else "llm",
            "comment": said["comment"] or "", "created_at": said["created_at"],
            "raw": extra.get("raw", ""),
        })  # fmt: skip
    return found


def unordered(vote: dict[str, Any]) -> dict[str, Any]:
    """The vote without who was shown first: the systems by name."""
    first, second = vote["system_a"], vote["system_b"]
    turned = {"system_a": second, "system_b": first,
              "winner": MIRRORED.get(vote["winner"], vote["winner"])}  # fmt: skip
    return {**vote, **(turned if first > second else {}), "order_known": 0}


def counted(every: list[dict[str, Any]], columns: tuple[str, ...]) -> Votes:
    return Counter(tuple(vote[name] for name in columns) for vote in every)


# What each layout tells (all of COLUMNS but these), what an answer that is none comes back as, and
# of the 24 votes (ties, both bad: 4 each; without an answer: 8) those it cannot tell.
@dataclass(frozen=True)
class Told:
    left_out: dict[str, int]
    hides: tuple[str, ...] = ()
    unanswered: str = ""


UNSAID = ("judge_kind", "comment", "created_at", "raw", "seconds")
DECISIVE = {"ties": 4, "both bad": 4, "without an answer": 8}
TOLD = {
    "trl": Told(DECISIVE, ("raw", "seconds")),
    "trl-chat": Told(DECISIVE, ("raw", "seconds")),
    "label-studio": Told({}),
    "argilla": Told({"without an answer": 8}, ("order", "created_at", "raw", "seconds")),
    "potato": Told({"both bad": 4}, ("judge_kind",)),
    "langsmith": Told({"both bad": 4}, ("order", "seconds")),
    "arena-hard": Told({"both bad": 4, "without a known order": 1}, UNSAID, "unparsed"),
    "alpaca-eval": Told({"both bad": 4}, ("order", "item", *UNSAID), "unparsed"),
}
GONE = {"ties": ("tie",), "both bad": ("both_bad",), "without an answer": ("skipped", "no-answer")}


def test_the_votes_come_back_as_far_as_the_layout_tells_them(voted: Store, tmp_path: Path) -> None:
    for name in FORMATS:
        path, left_out = written(voted, name, tmp_path, names=True)
        told = TOLD[name]
        assert dict(left_out) == told.left_out
        gone = {winner for reason in told.left_out for winner in GONE.get(reason, ())}
        sent = [vote for vote in votes(voted) if vote["winner"] not in gone]
        if name == "arena-hard":
            sent = [vote for vote in sent if vote["order_known"]]
        for vote in sent:
            if vote["winner"] in ("skipped", "no-answer") and told.unanswered:
                vote["winner"] = told.unanswered
        if name == "langsmith":  # read again by a recipe alone
            found = read_langsmith(path)
        else:
            with Store(tmp_path / f"{name}.sqlite3") as fresh:
                assert importer.load(fresh, [path], Dataset("d")).skipped == []
                found = votes(fresh)
        if "order" in told.hides:
            sent, found = [list(map(unordered, each)) for each in (sent, found)]
        columns = tuple(name for name in COLUMNS if name not in told.hides)
        assert counted(found, columns) == counted(sent, columns)


def test_who_annotates_here_stands_in_it_as_a_number(voted: Store, tmp_path: Path) -> None:
    for name in FORMATS:
        path, _ = written(voted, name, tmp_path)
        files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
        everything = "".join(f"{file}\n{file.read_text()}" for file in files)
        inside = everything.replace(str(tmp_path), "")
        assert 'ann"' not in inside
        assert "/ann/" not in inside
        assert "person-1" in inside


def test_marks_of_a_lone_rater_go_with_the_pairs(voted: Store, tmp_path: Path) -> None:
    voted.judges.add([JudgeSpec("expert", Kind.HUMAN)])
    voted.scores.add("d", [Score("i0", system, "overall", "expert", mark)
                           for system, mark in (("x", 4.0), ("y", 2.5))])  # fmt: skip
    path, _ = written(voted, "trl", tmp_path)
    first = json.loads(path.read_text().splitlines()[0])
    names = ("chosen_model", "rejected_model", "score_chosen", "score_rejected", "shown_first")
    assert [first[name] for name in names] == ["x", "y", 4.0, 2.5, "chosen"]
    # Left out are those who are excluded.
    voted.exclusions.add("d", "ann", reason="clicks", by="test")
    path, _ = written(voted, "trl", tmp_path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["judge"] for row in rows] == ["gpt/4"] * 4


def test_arena_hard_has_both_orders_in_a_row(voted: Store, tmp_path: Path) -> None:
    path, _ = written(voted, "arena-hard", tmp_path, judges=("gpt/4",))
    [file] = path.rglob("*.jsonl")
    assert file.relative_to(path) == Path("model_judgment/gpt%2F4/z.jsonl")
    first = json.loads(file.read_text().splitlines()[0])
    # gpt preferred whom it saw first, in both orders.
    assert (first["baseline"], first["model"], first["uid"]) == ("x", "z", "i0")
    assert [game["score"] for game in first["games"]] == ["A>B", "A>B"]


def test_a_file_of_another_suffix_is_refused(voted: Store, tmp_path: Path) -> None:
    told = export.convert_to_format(voted, "potato", Selection("d"), who="test")
    with pytest.raises(TandemError, match=r"Potato .*\.zip.*'p\.json'"):
        export.save_in_format(told, tmp_path / "p.json")
    # A layout without attributes wants one.
    voted.datasets.add_attributes("d", [Attribute("fluency")])
    fluent = Vote("i0", "x", "y", "gpt/4", ANSWERS[0], kind=Kind.LLM, attribute="fluency")
    add_votes(voted, "d", [fluent])
    with pytest.raises(TandemError, match=r"overall .*fluency: choose"):
        written(voted, "alpaca-eval", tmp_path)
    path, _ = written(voted, "alpaca-eval", tmp_path, attribute="fluency")
    assert [row["preference"] for row in json.loads(path.read_text())] == [1.0]


def test_without_texts_there_is_nothing_to_choose(store: Store, tmp_path: Path) -> None:
    load(store, "left,right,winner\nx,y,a\n")
    (tmp_path / "trl.jsonl").write_text("an earlier export")
    said = "nothing to export: no file was written. left out, as TRL cannot tell them: without"
    with pytest.raises(TandemError, match=said):
        written(store, "trl", tmp_path)
    assert (tmp_path / "trl.jsonl").read_text() == "an earlier export"


def test_votes_of_people_stay_votes_of_people_if_it_is_said(voted: Store, tmp_path: Path) -> None:
    """These layouts do not say who voted; a model, unless somebody says otherwise."""
    for name in ["arena-hard", "alpaca-eval"]:
        path, _ = written(voted, name, tmp_path, judges=("ann",), names=True)
        for kind, expected in ((None, "llm"), (Kind.HUMAN, "human")):
            with Store(tmp_path / f"{name}-{expected}.sqlite3") as fresh:
                importer.load(fresh, [path], Dataset("d"), reading=Reading(kind=kind))
                assert {vote["judge_kind"] for vote in votes(fresh)} == {expected}


# ---- The tools' own readers. They are not among the requirements: with them installed,
# `pip install datasets trl langsmith`, these run.


def needs(package: str) -> pytest.MarkDecorator:
    is_missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(is_missing, reason=f"not installed: pip install {package}")


def read_dataset(sort: str, file: Path) -> Any:
    import datasets

    cache = str(file.parent / "cache")
    return datasets.load_dataset(sort, data_files=str(file), split="train", cache_dir=cache)


@needs("datasets")
def test_datasets_reads_preferences(voted: Store, tmp_path: Path) -> None:
    for name in ["trl", "trl-chat"]:
        told = export.convert_to_format(voted, name, Selection("d"), who="test")
        export.save_in_format(told, tmp_path / "p.parquet")
        path, _ = written(voted, name, tmp_path)
        for sort, file in (("json", path), ("parquet", tmp_path / "p.parquet")):
            rows = read_dataset(sort, file)
            assert len(rows) == 8
            assert {"prompt", "chosen", "rejected"} <= set(rows.column_names)


@needs("trl")
def test_trl_reads_preferences(voted: Store, tmp_path: Path) -> None:
    from trl import is_conversational, maybe_extract_prompt

    path, _ = written(voted, "trl-chat", tmp_path)
    rows = read_dataset("json", path)
    assert is_conversational(rows[0])
    read = maybe_extract_prompt(rows[0])
    assert read["prompt"] == [{"role": "user", "content": "Prompt 0"}]
    assert read["chosen"] == [{"role": "assistant", "content": "x “0”\n=1"}]


@needs("langsmith")
def test_langsmith_reads_runs_and_feedback(voted: Store, tmp_path: Path) -> None:
    from langsmith.schemas import Feedback, Run

    path, _ = written(voted, "langsmith", tmp_path)
    runs = [json.loads(line) for line in (path / "runs.jsonl").read_text().splitlines()]
    entries = [json.loads(line) for line in (path / "feedback.jsonl").read_text().splitlines()]
    assert len({Run(**run).id for run in runs}) == 15
    assert len({Feedback(**entry).feedback_group_id for entry in entries}) == 20
