"""Exports of tools, in the layouts that their makers give them, and variations of them: other
spellings, orders of columns and rows, empty cells, one row, several files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from openpyxl import Workbook

from core.importing import importer, preview
from core.importing.reading import USUAL, with_settings
from core.importing.vote_tables import are_counted
from core.records import Dataset, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore, count_wins

VOTES = pd.DataFrame(
    [[f"q{n}", "m1", "m2", "model_a" if n < 8 else "model_b"] for n in range(12)],
    columns=["item", "model_a", "model_b", "winner"],
)
RIGHT = {"m1": 8, "m2": 4}


def load(store: Store, *paths: Path, **settings: Any) -> importer.ImportReport:
    return importer.load(store, paths, Dataset("d"), with_settings(USUAL, settings))


def write(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_text(content)
    return folder / name


def write_sheets(path: Path, sheets: dict[str, pd.DataFrame]) -> Path:
    book = Workbook()
    book.remove(book.active)
    for name, table in sheets.items():
        sheet = book.create_sheet(name)
        for row in [list(table.columns), *table.values.tolist()]:
            sheet.append(row)
    book.save(path)
    return path


def test_each_sheet_with_the_same_columns_is_an_annotator(
    open_store: OpenStore, tmp_path: Path
) -> None:
    notes = pd.DataFrame({"read": ["me"], "first": ["!"]})
    other = VOTES[["winner", "model_b", "item", "model_a"]].set_axis(
        ["WINNER", "Model B", "Item", "model.a"], axis=1
    )
    found = []
    for number, sheets in enumerate(
        (
            {"anna": VOTES, "ben": other, "notes": notes},
            {"notes": notes, "ben": other, "anna": VOTES},
        )
    ):
        store, path = open_store(), write_sheets(tmp_path / f"{number}.xlsx", sheets)
        report = load(store, path)
        assert count_wins(store) == {"m1": 16, "m2": 8}
        assert sum("'notes'" in warning for warning in report.warnings) == 1
        frame = store.judgement_frames.load_exported("d")
        found.append(sorted(zip(frame["judge"], frame["item"], frame["winner"], strict=True)))
        assert load(store, path).added["judgements"] == 0
        seen = preview(store, path, Dataset("d"), USUAL)
        assert sum(value.times for value in seen.winners) == 24
    assert found[0] == found[1]
    assert {judge for judge, *_ in found[0]} == {"anna", "ben"}
    load(one := open_store(), path, sheet="ben")
    assert count_wins(one) == RIGHT


def test_an_item_named_once_for_as_many_rows_holds_for_them(
    open_store: OpenStore, tmp_path: Path
) -> None:
    rows = [["a", "anna"], ["", "ben"], ["b", "anna"], ["", "ben"]]
    for extra, items in (([], 2), ([["c", "anna"]], 5), ([["", "anna"]], 5)):
        table = pd.DataFrame([*rows, *extra], columns=["item", "judge"])
        table = table.assign(model_a="m1", model_b="m2", winner="A")
        path = tmp_path / "t.csv"
        table.to_csv(path, index=False)
        report = load(open_store(), path)
        assert (report.counts["items"], len(report.warnings)) == (items, 1)


def test_names_of_columns_differ_in_how_they_are_written_only(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """The 41 public studies of comparative judgement name them in these ways."""
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    for header in (
        "candidate_chosen,candidate_not_chosen", "Candidate.Chosen,Candidate.Not.Chosen",
        "CANDIDATE CHOSEN,CANDIDATE NOT CHOSEN", "chosenId,notChosenId", "Preferred,Non-Preferred",
        "Script Selected,Script Not Selected", "not_chosen,chosen",
    ):  # fmt: skip
        turned = header.startswith("not")
        lines = [",".join(pair[::-1] if turned else pair) for pair in pairs]
        path = write(tmp_path, "cj.csv", "\n".join([header, *lines]) + "\n")
        with subtests.test(header):
            load(store := open_store(), path)
            assert count_wins(store) == {"a": 2, "b": 1}


def test_columns_of_another_meaning_are_not_used(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, values in {
        "confidence": ["high", "low"], "kind": ["qa", "summ"], "p": ["P1", "P2"], "order": [1, 2],
        "flip": ["left", "book"], "seconds": ["fast", ""], "probability": [3, 4],
    }.items():  # fmt: skip
        path = tmp_path / "t.csv"
        VOTES.assign(**{name: values * 6}).to_csv(path, index=False)
        with subtests.test(name):
            report = load(store := open_store(), path)
            assert count_wins(store) == RIGHT
            assert sum(f"'{name}'" in warning for warning in report.warnings) == 1
    # A number of the order may say who stood where, and the winner may be a place.
    path = tmp_path / "t.csv"
    VOTES.assign(order=[1, 2] * 6, winner="A").to_csv(path, index=False)
    with pytest.raises(TandemError, match="order"):
        load(open_store(), path)
    VOTES.assign(confidence=[*["high"] * 11, "0.5"]).to_csv(path, index=False)
    with pytest.raises(TandemError, match="confidence"):
        load(open_store(), path)


def test_shapes_of_pandas_json(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for orient in ("columns", "index", "split", "records", "table"):
        for frame in (VOTES, VOTES.iloc[::-1], VOTES.iloc[:1]):
            path = tmp_path / "t.json"
            frame.to_json(path, orient=orient, indent=2 if orient == "index" else 0)
            with subtests.test(orient, rows=len(frame)):
                load(store := open_store(), path)
                assert count_wins(store) == (RIGHT if len(frame) > 1 else {"m1": 1})
    VOTES.to_json(path, orient="values")
    with pytest.raises(TandemError, match="records"):
        load(open_store(), path)


def test_a_model_beside_a_person_in_one_row(open_store: OpenStore, tmp_path: Path) -> None:
    for names in (("human_pref", "judge_pref"), ("label.gpt-4", "Label Human"), ("x", "y")):
        table = VOTES.rename(columns={"winner": names[0]}).assign(**{names[1]: "model_a"})
        table.to_csv(path := tmp_path / "t.csv", index=False)
        said = {"map": {"winner:ann": "x", "winner:j": "y"}, "kinds": {"j": "llm"}}
        load(store := open_store(), path, **(said if names[0] == "x" else {}))
        frame = store.judgement_frames.load_exported("d")
        assert sorted(frame["judge_kind"].value_counts().items()) == [("human", 12), ("llm", 12)]
    with pytest.raises(TandemError, match="winner:z"):
        load(open_store(), path, map=said["map"], kinds={"z": "llm"})


def test_mturk_qualtrics_and_forms(open_store: OpenStore, tmp_path: Path) -> None:
    batch = write(
        tmp_path,
        "b.csv",
        "HITId,WorkerId,Input.model_a,Input.model_b,Answer.choice,Answer.more,Approve,Reject\n"
        'H0,W0,gpt,llama,a,"[{""best"": {""A"": false, ""B"": true}}]"\n'
        'H1,W1,gpt,llama,a,"[{""best"": {""A"": true, ""B"": false}}]",x,\n',
    )
    load(store := open_store(), batch)
    assert count_wins(store) == {"gpt": 2}
    load(store := open_store(), batch, map={"winner": "Answer.more[0].best"})
    assert count_wins(store) == {"gpt": 1, "llama": 1}
    ids = '"{""ImportId"":""x""}"'
    survey = write(
        tmp_path,
        "q.csv",
        f"model_a,model_b,winner\nSystem 1,System 2,Which?\n{ids},{ids},{ids}\ngpt,llama,A\n",
    )
    load(store := open_store(), survey)
    assert count_wins(store) == {"gpt": 1}
    assert not are_counted([survey], USUAL)
    form = write(
        tmp_path, "f.csv", "Timestamp,1. Which one?,2. And here?,Age?\n3/1/2024,Text A,Both,7\n"
    )
    with pytest.raises(TandemError, match="systems"):
        load(open_store(), form)
    load(store := open_store(), form, systems=("x", "y"))
    assert count_wins(store) == {"x": 1, "tie": 1}


def test_prodigy_and_conversations(open_store: OpenStore, tmp_path: Path) -> None:
    """Prodigy's `compare` says by `mapping` which text is of A; `answer` is a key."""
    options = [{"id": "x", "text": "one"}, {"id": "y", "text": "two"}]
    answers = [(["x"], "accept"), (["x"], "reject"), (["y"], "ignore"), ([], "accept")]
    rows = [
        {"text": f"q{n}", "options": options[:: 1 - 2 * (n % 2)], "accept": said, "answer": answer}
        for n, (said, answer) in enumerate(answers)
    ]
    path = write(tmp_path, "p.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    load(store := open_store(), path)
    assert count_wins(store) == {"x": 1, "none": 3}
    swapped = {"A": "reject", "B": "accept"}
    rows = [
        {
            "input": f"q{n}",
            "accept": {"text": "s"},
            "reject": {"text": "t"},
            "answer": answer,
            **how,
        }
        for n, (answer, how) in enumerate(
            [("accept", {}), ("reject", {}), ("accept", {"mapping": swapped}), ("ignore", {})]
        )
    ]
    path = write(tmp_path, "c.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    load(store := open_store(), path, systems=("m1", "m2"))
    assert count_wins(store) == {"m1": 1, "m2": 2, "none": 1}
    talk = [[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": t}] for t in "st"]
    row = {"model_a": "m1", "model_b": "m2", "winner": "model_b"}
    for as_is in (json.dumps, list):
        said = {"messages_a": as_is(talk[0]), "messages_b": as_is(talk[1])}
        path = write(tmp_path, "m.jsonl", json.dumps({**row, **said}) + "\n")
        report = load(store := open_store(), path)
        assert (count_wins(store), report.counts["generations"]) == ({"m2": 1}, 2)
