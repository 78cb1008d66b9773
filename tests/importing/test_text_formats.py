"""How texts are meant to be read, as an import finds it."""

from __future__ import annotations

import json
from pathlib import Path

from core.importing import find_format, importer, split_turns
from core.importing.conversations import join_turns, transcript
from core.records import Dataset, TextFormat
from core.store import Store

TURNS = [
    {"role": "user", "content": "Hi.\n\nNote: two lines"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "Bye"},
]
SAID = [("User", "Hi.\n\nNote: two lines"), ("Assistant", "Hello"), ("User", "Bye")]


def test_a_conversation_is_read_however_it_is_written() -> None:
    for text in [
        transcript(TURNS),
        json.dumps(TURNS),
        json.dumps({"model": "x", "messages": TURNS}),
        json.dumps([{"from": turn["role"], "value": turn["content"]} for turn in TURNS]),
        json.dumps(
            [{**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in TURNS]
        ),
    ]:
        assert split_turns(text) == SAID


def test_turns_without_roles_and_those_of_hh_rlhf() -> None:
    assert split_turns(join_turns(["one", "two\n\nlines"])) == [
        ("Turn 1", "one"),
        ("Turn 2", "two\n\nlines"),
    ]
    assert split_turns("\n\nHuman: a?\n\nAssistant: b.") == [("Human", "a?"), ("Assistant", "b.")]


def test_what_is_no_conversation() -> None:
    for text in ["", "User: one turn alone", "A user: said\n\nthat", "[1, 2]", "{}", "[", '[{"role": "user"}]',
     "before\n\nUser: a\n\nAssistant: b", "[" * 100_000]:  # fmt: skip
        assert split_turns(text) == []


def test_the_format_is_found_in_the_texts() -> None:
    for texts, found in [
        (["Prose.", "More prose, 2 * 3 * 4, snake_case."], TextFormat.PLAIN),
        (["- one alone", "# ", "$5 and $6", "a | b"], TextFormat.PLAIN),
        (["**bold** words", *["Prose."] * 5], TextFormat.MARKDOWN),
        (["**bold** words", *["Prose."] * 50], TextFormat.PLAIN),
        (["1. one\n2. two"], TextFormat.MARKDOWN),
        (["```\ncode\n```"], TextFormat.MARKDOWN),
        (["| a | b |\n|---|---|\n| 1 | 2 |"], TextFormat.MARKDOWN),
        ([r"so \(x\)"], TextFormat.MARKDOWN),
        ([json.dumps(TURNS), "Prose."], TextFormat.CONVERSATION),
        ([], TextFormat.PLAIN),
    ]:
        assert find_format([], texts).text_format is found
    talk = find_format([transcript(TURNS)], ["Prose."])  # contexts that are conversations
    assert (talk.text_format, talk.text) == (TextFormat.CONVERSATION, "Prose.")


def import_texts(store: Store, folder: Path, name: str, *texts: str) -> importer.ImportReport:
    file = folder / f"{name}.jsonl"
    rows = [{"item": f"{name}-{n}", "x": text, "y": "Prose."} for n, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return importer.load(store, [file], Dataset("d"))


def test_an_import_keeps_what_it_finds_and_later_ones_change_nothing(
    store: Store, tmp_path: Path
) -> None:
    report = import_texts(store, tmp_path, "first", "**bold** words")
    assert report.text_format == TextFormat.MARKDOWN
    assert store.datasets.text_format("d") is TextFormat.MARKDOWN
    assert import_texts(store, tmp_path, "second", "Prose.").text_format == TextFormat.PLAIN
    assert store.datasets.text_format("d") is TextFormat.MARKDOWN


def test_how_texts_of_a_vote_were_shown_is_read_back(store: Store, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text(
        "item,model_a,model_b,winner,text_format\nq1,x,y,x,markdown\nq2,x,y,y,\nq3,x,y,x,pdf\n"
    )
    assert importer.load(store, [votes], Dataset("d")).added["judgements"] == 3
    rows = store.connection.rows("SELECT text_format FROM judgements ORDER BY id")
    assert [text_format for (text_format,) in rows] == ["markdown", "", ""]


def test_texts_that_come_after_their_votes_are_looked_at(store: Store, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("item,model_a,model_b,winner\nfirst-0,x,y,model_a\n")
    assert importer.load(store, [votes], Dataset("d")).text_format == ""
    assert store.datasets.text_format("d") is TextFormat.PLAIN
    import_texts(store, tmp_path, "first", "**bold** words")
    assert store.datasets.text_format("d") is TextFormat.MARKDOWN


def test_published_data_sets(datasets: Path, store: Store) -> None:
    formats = {"summeval": "plain", "faireval": "markdown", "mtbench_pairwise": "conversation"}
    for name, found in formats.items():
        survey = importer.survey(store, [datasets / name], Dataset("d"))
        survey.stage.close()
        assert survey.report.text_format == found
