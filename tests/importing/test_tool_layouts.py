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
    sides: dict[str, Any] = {"accept": {"text": "s"}, "reject": {"text": "t"}}
    kinds = [("accept", {}), ("reject", {}), ("accept", {"mapping": swapped}), ("ignore", {})]
    rows = [
        {"input": f"q{n}", **sides, "answer": answer, **how}
        for n, (answer, how) in enumerate(kinds)
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


THIRD = [number % 3 == 0 for number in range(12)]  # rows that the first side wins: 4 of 12
TURNS = {side: [{"role": "assistant", "content": side}] for side in ("good", "bad")}
PUBLIC: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "OpenAI's preference format": (
        {
            "input": {"messages": [{"role": "user", "content": "Q{0}?"}], "tools": []},
            "preferred_output": TURNS["good"], "non_preferred_output": TURNS["bad"],
        },
        {"chosen": 12},
    ),
    "iqasimz/qz1.5B, preference_pairs": (
        {"dialogue": "Q{0}?", "response_preferred": "a{0}", "response_non_preferred": "b{0}"},
        {"chosen": 12},
    ),
    "iqasimz/qz1.5B, annotation_tasks_labeled": (
        {"pair_id": "p{0}", "dialogue": "Q{0}?", "reply_A": "a{0}", "reply_B": "b{0}",
         "better": ["A", "B"]},
        {"m1": 4, "m2": 8},
    ),
    "a duel's history with a flag for ties": (
        {"eval_question_id": "q{0}", "model_a": "m1", "model_b": "m2", "winner": ["m1", ""],
         "is_tie": [0, 1]},
        {"m1": 4, "tie": 8},
    ),
    "a benchmark's duels": (
        {"case_id": "c{0}", "model_a": "m1", "model_b": "m2", "winner": ["draw", "b"],
         "reasoning_effort_a": "high", "reasoning_effort_b": "low"},
        {"m2": 8, "tie": 4},
    ),
    "an app's duels in camel case": (
        {"leftModel": "m1", "rightModel": "m2", "vote": ["left", "right"], "question": "Q{0}?",
         "votedAt": "2026-01-01T10:00:{0:02}Z"},
        {"m1": 4, "m2": 8},
    ),
    "best-worst scaling": (
        {**{f"Item{n}": f"m{n}" for n in range(1, 5)}, "BestItem": ["m1", "m2"],
         "WorstItem": "m4"},
        {"m1": 20, "m2": 28, "m3": 12},
    ),
    "the Arena's buttons": (
        {"question": "Q{0}?", "pair": "m1 vs. m2",
         "vote": ["👈  A is better", "👎  Both are bad"]},
        {"m1": 4, "both_bad": 8},
    ),
}  # fmt: skip
"""Public layouts found in repositories in November 2026 -> a value a column, of two the first where
the first side wins, and the wins counted by hand.
"""


def _fill(value: Any, row: int) -> Any:
    """Return the value of a row: of two the one that it has, and texts with its number."""
    if isinstance(value, list) and len(value) == 2:
        value = value[not THIRD[row]]
    if isinstance(value, dict):
        return {name: _fill(each, row) for name, each in value.items()}
    if isinstance(value, list):
        return [_fill(each, row) for each in value]
    return value.format(row) if isinstance(value, str) else value


def test_public_layouts_of_duels_rankings_and_preferences(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (name, (columns, wins)) in enumerate(PUBLIC.items()):
        with subtests.test(name):
            rows = [{each: _fill(value, row) for each, value in columns.items()}
                    for row in range(12)]  # fmt: skip
            path = tmp_path / f"{number}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            store = open_store()
            named = {"systems": ("m1", "m2")} if "reply_A" in columns else {}
            report = load(store, path, **named)
            assert count_wins(store) == wins
            assert report.counts["items"] == 12
            contexts = set(store.datasets.items("d")["context"])
            asked = {f"Q{row}?" for row in range(12)}
            assert contexts == (asked if "Q{0}?" in json.dumps(columns) else {""})
            assert not report.skipped
            assert load(store, path, **named).added["judgements"] == 0


def test_a_flag_for_ties_beside_a_winner_is_a_contradiction(store: Store, tmp_path: Path) -> None:
    rows = "".join(f"q{row},m1,m2,m1,{int(row == 3)}\n" for row in range(12))
    path = write(tmp_path, "f.csv", f"item,model_a,model_b,winner,is_tie\n{rows}")
    report = load(store, path)
    assert [row["row"] for row in report.skipped] == [4]
    assert count_wins(store) == {"m1": 11}


def test_items_that_were_rows_stay_rows(store: Store, tmp_path: Path) -> None:
    """Where an older version did not know a column of items, nothing is added twice."""
    rows = "".join(f"c{row},m1,m2,m1\n" for row in range(12))
    path = write(tmp_path, "f.csv", f"case_id,model_a,model_b,winner\n{rows}")
    load(store, path, map={"item": ""})
    with pytest.raises(TandemError, match="case_id"):
        load(store, path)
    assert load(store, path, map={"item": ""}).added["judgements"] == 0


def test_objects_under_keys_are_rows_though_some_have_more_fields(
    store: Store, tmp_path: Path
) -> None:
    votes = {
        f"q{row}": {"model_a": "m1", "model_b": "m2", "winner": "AB"[row > 3]}
        | ({"note": "seen"} if row % 2 else {})
        for row in range(12)
    }
    load(store, write(tmp_path, "f.json", json.dumps(votes)))
    assert count_wins(store) == {"m1": 4, "m2": 8}


def test_scores_of_both_sides_are_no_answers(store: Store, tmp_path: Path) -> None:
    """One of them alone would say who won whatever the other is."""
    rows = "".join(f"q{row},m1,m2,{row % 7},{5 - row % 5}\n" for row in range(12))
    path = write(tmp_path, "f.csv", f"item,model_a,model_b,score_a,score_b\n{rows}")
    with pytest.raises(TandemError, match="winner"):
        load(store, path)


def test_a_third_system_of_a_row_is_not_dropped(store: Store, tmp_path: Path) -> None:
    for names in ("model_1,model_2,model_3", "System A,System B,System C"):
        header = f"item,{names},winner"
        rows = "".join(f"q{row},m1,m2,m3,m{row % 3 + 1}\n" for row in range(12))
        with pytest.raises(TandemError):
            load(store, write(tmp_path, "f.csv", f"{header}\n{rows}"))
