"""What an item is: names, prompts of several columns, pairs of texts, and rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import ItemsAre, Reading, importer, staged_items
from core.importing.cells import short_digest
from core.importing.importer import preview
from core.records import Dataset, Item, Kind, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore

Row = dict[str, str]
VOTE = {"model_a": "m1", "model_b": "m2", "annotator": "ann"}


def make_rows(**columns: str) -> list[Row]:
    """Twelve votes of which m1 wins eight; `{row}`, `{half}` and `{turn}` number them."""
    return [
        {name: text.format(row=row, half=row // 6, turn=row % 3) for name, text in columns.items()}
        | VOTE | {"winner": "model_a" if row < 8 else "model_b"}
        for row in range(12)
    ]  # fmt: skip


KINDS = {  # the columns of a public data set's kind -> what fills the context
    "JudgeBench": (make_rows(source="set-{turn}", question="Question {row}?"), "question"),
    "SQuAD": (make_rows(context="Passage {half}.", question="Question {row}?"), "context+question"),
    "RAG": (make_rows(passage="P {half}.", query="Q {row}?", category="c"), "passage+query"),
    "Alpaca": (make_rows(instruction="Do {turn}.", input="This {row}."), "instruction+input"),
    "Dolly": (make_rows(instruction="Do {row}.", context="Of {half}."), "instruction+context"),
    "translation": (make_rows(source="Satz {row}."), "source"),
}


def write_rows(path: Path, rows: list[Row]) -> Path:
    if path.suffix == ".csv":
        lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def count_wins(store: Store) -> tuple[int, int, int]:
    """Count items, votes, and those for m1."""
    votes = store.judgement_frames.load_exported("d")
    first = (votes["winner"] == "a") == (votes["system_a"] == "m1")
    return votes["item"].nunique(), len(votes), int(first.sum())


def test_a_prompt_is_made_of_all_its_columns(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """In whatever order the rows and columns are, and however their names are written."""
    ways = [
        (1, 1, str, ".csv"), (-1, 1, str.upper, ".csv"), (1, -1, str.title, ".jsonl"),
        (-1, -1, str, ".jsonl"),
    ]  # fmt: skip
    for name, (rows, prompt) in KINDS.items():
        contexts = set[frozenset[str]]()
        for order, place, spell, suffix in ways:
            with subtests.test(f"{name} {order} {place} {suffix}"):
                turned = [
                    {spell(key): row[key] for key in list(row)[::place]} for row in rows[::order]
                ]
                store, path = open_store(), write_rows(tmp_path / f"v{suffix}", turned)
                importer.load(store, [path], Dataset("d"))
                assert count_wins(store) == (12, 12, 8)
                found = store.texts.portions("d", "context, subset", 100)
                every = [row for portion in found for row in portion]
                contexts.add(frozenset(context for context, _ in every))
        assert len(contexts) == 1
        path = write_rows(tmp_path / "p.csv", rows)
        board = rank_votes([path], Selection("votes"), RankSettings())
        assert board.rows.set_index("system")["wins"].to_dict() == {"m1": 8, "m2": 4}
        seen = preview(open_store(), path, Dataset("d"), Reading()).reading.mapping["context"]
        assert seen == prompt


def test_a_row_in_words_is_one_line_without_made_up_names(store: Store, tmp_path: Path) -> None:
    """An item that is named by its context has no name here."""
    path = tmp_path / "texts.jsonl"
    path.write_text(json.dumps({"prompt": "Say 1.", "system": "m", "text": "# A\n\n1"}))
    [sample] = preview(store, path, Dataset("d"), Reading()).samples
    assert sample.sentence == "row 1: *m* wrote “# A 1”"


def test_what_cannot_be_told_is_asked(store: Store, tmp_path: Path) -> None:
    """Each refusal names a way out, which works."""
    for rows, out, items in (
        (make_rows(prompt="P {row}", question="Q {half}"), "prompt+question", 12),
        (make_rows(source="Satz {row}.", instruction="Do {turn}."), "instruction+source", 12),
        (make_rows(language="l-{half}", prompt="P {turn}"), "prompt+language", 6),
    ):
        path = write_rows(tmp_path / "v.csv", rows)
        for ask in (
            lambda path=path: importer.load(store, [path], Dataset("d")),
            lambda path=path: rank_votes([path], Selection("votes"), RankSettings()),
        ):
            with pytest.raises(TandemError, match=f"context={out}".replace("+", r"\+")):
                ask()
        report = importer.load(store, [path], Dataset(out), Reading(mapping={"context": out}))
        assert report.counts["items"] == items
    with pytest.raises(TandemError, match="context=langage"):
        importer.load(store, [path], Dataset("d"), Reading(mapping={"context": "prompt+langage"}))


def test_a_question_to_the_judge_is_an_attribute(open_store: OpenStore, tmp_path: Path) -> None:
    """Six prompts with two questions each; the same person answers all."""
    for names in (("prompt", "metric"), ("prompt", "question"), ("item", "question")):
        rows = [
            {names[0]: f"P{row // 2}", names[1]: f"which {row % 2}?", **VOTE, "winner": "ab"[row % 2]}
            for row in range(12)
        ]  # fmt: skip
        path, store = write_rows(tmp_path / "v.csv", rows), open_store()
        report = importer.load(store, [path], Dataset("d"))
        assert (report.counts["attributes"], count_wins(store)) == (2, (6, 12, 6))
        assert importer.load(store, [path], Dataset("d")).added["judgements"] == 0
    odd = [{"kriterium" if key == names[1] else key: row[key] for key in row} for row in rows]
    report = importer.load(open_store(), [write_rows(path, odd)], Dataset("d"))
    assert report.counts["judgements"] == 6
    assert "kriterium" in report.alarms[0] == report.warnings[0]


def test_rows_without_a_prompt_are_items_of_their_file(store: Store, tmp_path: Path) -> None:
    weeks = [write_rows(tmp_path / f"week{n}.csv", make_rows()) for n in (1, 2)]
    report = importer.load(store, weeks, Dataset("d"))
    assert [len([w for w in report.warnings if path.name in w]) for path in weeks] == [1, 1]
    assert count_wins(store) == (24, 24, 16)
    for paths in (weeks[::-1], weeks[:1]):
        assert importer.load(store, paths, Dataset("d")).added["judgements"] == 0


def test_a_pair_of_texts_is_the_same_item_in_every_file(store: Store, tmp_path: Path) -> None:
    """A model sees each pair of scripts the other way round than the people."""
    pairs = [(a, b) for a in range(4) for b in range(a)]
    people, model = (
        [
            {"judge": who, "left": f"s{a}", "right": f"s{b}", "text_left": f"Text {a}",
             "text_right": f"Text {b}", "winner": "left"}
            for who in judges for a, b in (pair[::order] for pair in pairs)
        ]
        for judges, order in ((("P1", "P2"), 1), (("gpt",), -1))
    )  # fmt: skip
    importer.load(store, [write_rows(tmp_path / "people.csv", people)], Dataset("d"))
    path = write_rows(tmp_path / "model.csv", model)
    report = importer.load(store, [path], Dataset("d"), Reading(kind=Kind.LLM))
    assert (report.added["items"], report.added["judgements"]) == (0, 6)
    assert count_wins(store)[:2] == (6, 18)


def test_what_version_1_0_read_is_known_or_asked_about(
    open_store: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rows, older in ((KINDS["JudgeBench"][0], "source"), (KINDS["Alpaca"][0], "input")):
        store, path = open_store(), write_rows(tmp_path / "v.csv", rows)
        before = Reading(mapping={"context": older})
        importer.load(store, [path], Dataset("d"), before)
        held = count_wins(store)
        with pytest.raises(TandemError, match=f"context={older}"):
            importer.load(store, [path], Dataset("d"))
        write_rows(path, [*rows, rows[-1] | {"annotator": "ben"}])
        assert importer.load(store, [path], Dataset("d"), before).added["judgements"] == 1
        assert held[1] + 1 == count_wins(store)[1]
    asked = make_rows(prompt="P{row}", metric="fluency")
    store, path = open_store(), write_rows(tmp_path / "v.csv", asked)
    importer.load(store, [path], Dataset("d"), Reading(mapping={"attribute": ""}))
    with pytest.raises(TandemError, match="attribute="):
        importer.load(store, [path], Dataset("d"))
    store, rows = open_store(), make_rows(text_a="A{row}", text_b="B{row}")
    path = write_rows(tmp_path / "rows.csv", rows)
    with monkeypatch.context() as patch:
        patch.setattr(staged_items, "find_row_names", lambda *_, **__: ("", True))
        importer.load(store, [path], Dataset("d"))
    write_rows(path, [*rows, rows[0] | {"text_a": "new", "annotator": "ben"}])
    assert importer.load(store, [path], Dataset("d")).added["judgements"] == 1


HEAD = "id,prompt,model_a,model_b,winner\n"
ROWS = ["1,P,x,y,a", "2,P,x,z,b", "3,Q,x,y,a", "4,P,y,z,a"]


def load(store: Store, folder: Path, rows: list[str], **how: Any) -> importer.ImportReport:
    path = folder / "v.csv"
    path.write_text(HEAD + "\n".join(rows) + "\n")
    return importer.load(store, [path], Dataset("d"), **how)


def items(store: Store) -> list[str]:
    return [str(item) for item in store.judgement_frames.load_exported("d")["item"]]


def test_names_or_prompts_are_the_items(open_store: OpenStore, tmp_path: Path) -> None:
    """Prompts, where ids number rows, or pairs of answers by several people; ids of different
    prompts; and what somebody says.
    """
    twice, named = [*ROWS, "4,P,x,y,b"], Reading(mapping={"item": "id"})
    apart = ["1,P,x,y,a", "2,Q,x,y,b", "3,R,x,y,a"]
    for rows, reading, expected, warnings in (
        (ROWS, Reading(), ["1", "1", "3", "1"], 1),
        (twice, Reading(), ["1", "1", "3", "1", "1"], None),
        (twice, Reading(items=ItemsAre.NAMES), ["1", "2", "3", "4", "4"], None),
        (apart, Reading(), ["1", "2", "3"], 0),
        (ROWS, named, ["1", "2", "3", "4"], None),
    ):
        store = open_store()
        report = load(store, tmp_path, rows, reading=reading)
        assert items(store) == expected
        assert warnings in (None, len(report.warnings))
        if reading.items:
            assert store.datasets.items_are("d") == "names"
        if rows is ROWS and warnings:
            said = r"^v\.csv: .*\b2 different contexts\b.*\b4 names\b"
            assert re.search(said, report.warnings[0])
            again = load(store, tmp_path, [*ROWS, "5,Q,y,z,b"])
            assert again.added["judgements"] == 1
            assert items(store) == ["1", "1", "3", "1", "3"]
        if reading is named:  # items of an earlier import stay
            assert load(store, tmp_path, ROWS).added["judgements"] == 0


def test_a_long_table_of_texts_with_numbered_rows(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("id,prompt,model,output\n1,P,x,a\n2,P,y,b\n3,Q,x,c\n4,Q,y,d\n")
    importer.load(store, [path], Dataset("d"))
    frame = store.texts.generations("d")
    assert frame[["item", "system", "text"]].to_numpy().tolist() == [
        ["1", "x", "a"], ["1", "y", "b"], ["3", "x", "c"], ["3", "y", "d"],
    ]  # fmt: skip


def test_a_conversation_is_its_question(open_store: OpenStore, tmp_path: Path) -> None:
    """The Arena numbers its votes, MT-Bench its questions."""
    path = tmp_path / "v.jsonl"
    for numbers, item in ([0, 1], "0"), ([81, 81], "81"):
        rows = [
            {
                "question_id": number, "model_a": "x", "model_b": other, "winner": "model_a",
                "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "by x"}],
                "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": f"by {other}"}],
            }
            for number, other in zip(numbers, "yz", strict=True)
        ]  # fmt: skip
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        store = open_store()
        importer.load(store, [path], Dataset("d"))
        assert items(store) == [item, item]
        assert store.datasets.items("d")["context"].tolist() == ["Q"]
        assert set(store.texts.generations("d")["text"]) == {"by x", "by y", "by z"}


def test_rows_in_words_name_the_items_they_will_have(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text(HEAD + "\n".join(ROWS[:2]) + "\n")
    assert importer.examples(store, path, Dataset("d")) == [
        "row 1: voters preferred *x* to *y* (item 1)",
        "row 2: voters preferred *z* to *x* (item 1)",
    ]


COLLIDING = "Summarise article 996664.", "Summarise article 20870443."
"""The 48 bits by which items without a name were once called are the same for both."""
VOTES = "context,system_a,system_b,text_a,text_b,winner,judge\n" + "".join(
    f"{context},x,y,x on {context},y on {context},a,Ada\n" for context in COLLIDING
)


def test_two_contexts_are_two_items(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    report = importer.load(store, [path], Dataset("d"))
    assert (report.added["items"], report.added["generations"]) == (2, 4)
    assert report.skipped == []
    frame = store.judgement_frames.load_exported("d")
    assert frame["context"].tolist() == list(COLLIDING)
    assert frame["text_a"].tolist() == [f"x on {context}" for context in COLLIDING]


def test_items_of_older_stores_meet_their_texts(store: Store, tmp_path: Path) -> None:
    """A store from before 128 bits called the first context by 48 bits of it; the second, whose 48
    bits are the same, is another item.
    """
    older = f"context-{short_digest(COLLIDING[0])}"
    path = tmp_path / "votes.csv"
    path.write_text(VOTES.replace("context,", "item,context,", 1).replace("\nS", f"\n{older},S", 1)
                    .rpartition("\nS")[0] + "\n")  # fmt: skip
    assert importer.load(store, [path], Dataset("d")).added["judgements"] == 1
    path.write_text(VOTES)
    report = importer.load(store, [path], Dataset("d"))
    assert (report.added["items"], report.added["judgements"]) == (1, 1)
    assert store.datasets.items("d")["context"].tolist() == list(COLLIDING)
    assert store.datasets.items("d")["item"][0] == older
    assert importer.load(store, [path], Dataset("d")).added["judgements"] == 0


def test_an_export_with_items_of_older_stores_comes_back_whole(
    store: Store, tmp_path: Path
) -> None:
    older = f"context-{short_digest(COLLIDING[0])}"
    store.datasets.add(Dataset("d"))
    store.datasets.add_items("d", [Item(older, COLLIDING[0])])
    out = tmp_path / "votes.csv"
    out.write_text(f"item,context,system_a,system_b,winner\n{older},{COLLIDING[0]},x,y,a\n")
    assert importer.load(store, [out], Dataset("d")).added["items"] == 0


def test_names_that_pandas_wrote_as_floats_meet_their_texts(store: Store, tmp_path: Path) -> None:
    """A column of whole numbers with a gap in it; one name of another sort leaves all as they are."""
    texts, votes = tmp_path / "t.csv", tmp_path / "v.csv"
    texts.write_text("question_id,model,text\n81,x,one\n81,y,two\n82,x,three\n82,y,four\n")
    votes.write_text("question_id,model_a,model_b,winner\n81.0,x,y,a\n82.0,x,y,b\n")
    importer.load(store, [texts], Dataset("d"))
    assert importer.load(store, [votes], Dataset("d")).added["items"] == 0
    votes.write_text("question_id,model_a,model_b,winner\n81.0,x,y,a\nB-2,x,y,b\n")
    report = importer.load(store, [votes], Dataset("d"))
    assert report.added["items"] == 2
    assert any(re.search(r"none .*\b2 items\b", warning) for warning in report.warnings)


def test_the_same_items_whichever_file_comes_first(tmp_path: Path) -> None:
    """Several people's votes name each pair twice, a model's once; both say the prompt."""
    head = "id,prompt,left,right,winner"
    pairs = [(n, f"P{n // 3}", "xyz"[n % 3], "yzx"[n % 3]) for n in range(9)]
    crowd, model = tmp_path / "crowd.csv", tmp_path / "model.csv"
    crowd.write_text(
        f"{head},worker\n"
        + "".join(f"{n},{p},{a},{b},left,{who}\n" for n, p, a, b in pairs for who in ("ann", "bob"))
    )
    model.write_text(f"{head}\n" + "".join(f"{n},{p},{a},{b},right\n" for n, p, a, b in pairs))
    counts = []
    for files in ([crowd, model], [model, crowd]):
        with Store(":memory:") as store:
            for path in files:
                importer.load(store, [path], Dataset("d"))
            assert store.datasets.items_are("d") == "contexts"
            counts.append(
                [
                    store.connection.value(f"SELECT count(*) FROM {table}")
                    for table in ("items", "comparisons", "judgements")
                ]
            )
    assert counts == [[3, 9, 27]] * 2


def test_names_alone_are_refused_where_contexts_tell_items_apart(
    store: Store, tmp_path: Path
) -> None:
    load(store, tmp_path, ROWS)
    bare = tmp_path / "bare.csv"
    bare.write_text("id,left,right,winner\n1,x,y,a\n2,x,y,b\n")
    with pytest.raises(TandemError, match=r"\b1 of 2 .*bare\.csv"):
        importer.load(store, [bare], Dataset("d"))
    assert (
        importer.load(store, [bare], Dataset("d"), Reading(items=ItemsAre.NAMES)).added["items"]
        == 1
    )


def test_contexts_that_repeat_are_said(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    rows = [("1", "你好"), ("2", "中文"), ("3", "你好!"), ("4", "中文")]
    path.write_text(
        "item,context,system,text\n"
        + "".join(f"{i},{c},{s},t{i}{s}\n" for i, c in rows for s in "xy")
    )
    report = importer.load(store, [path], Dataset("d"))
    assert "4 items have 3 different contexts" in report.warnings


def test_names_that_votes_came_with_are_not_made_one_item_unasked(
    store: Store, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("id,left,right,winner\n1,x,y,a\n2,x,z,b\n3,y,z,b\n")
    importer.load(store, [bare], Dataset("d"))
    with pytest.raises(TandemError, match="3 names in v"):
        load(store, tmp_path, ROWS[:3])
    load(store, tmp_path, ROWS[:3], reading=Reading(items=ItemsAre.NAMES))
    assert set(store.datasets.items("d")["item"]) == {"1", "2", "3"}


def test_votes_in_files_are_about_the_items_that_import_makes(
    open_store: OpenStore, tmp_path: Path
) -> None:
    for items in (None, *ItemsAre):
        store, reading = open_store(), Reading(items=items)
        load(store, tmp_path, [*ROWS, "4,P,x,y,b"], reading=reading)
        expected = 4 if items is ItemsAre.NAMES else 2
        assert len(store.datasets.items("d")) == expected
        board = rank_votes([tmp_path / "v.csv"], Selection(""), RankSettings(), reading=reading)
        assert board.facts["items"] == expected


def test_a_family_is_kept_from_texts_and_from_votes(store: Store, tmp_path: Path) -> None:
    """By column of votes and by row of texts; a later file fills in what an earlier lacked."""
    votes, texts = tmp_path / "v.csv", tmp_path / "t.csv"
    votes.write_text("item,family,model_a,model_b,winner\n1,f,x,y,a\n2,f,x,y,b\n3,,x,y,a\n")
    texts.write_text("item,template_id,context,system,text\n3,g,P,x,t\n1,other,P!,x,t\n")
    importer.load(store, [votes], Dataset("d"))
    named = store.datasets.items("d").set_index("item")["family"].to_dict()
    assert named == {"1": "f", "2": "f", "3": ""}
    importer.load(store, [texts], Dataset("d"))
    known = store.datasets.families("d").set_index("item")
    assert known["family"].to_dict() == {"1": "f", "2": "f", "3": "g"}
    assert known.loc["1", "wording"] == known.loc["3", "wording"] != 0
    assert known.loc["2", "wording"] == 0
