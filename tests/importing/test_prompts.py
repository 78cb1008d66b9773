"""What makes an item: a prompt of several columns, a pair of texts, or a row of its file. The right
values are counted by hand in the rows below.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import Reading, importer, staged_items
from core.importing.preview import preview
from core.records import Dataset, Kind, TandemError
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
