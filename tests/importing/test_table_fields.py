"""The fields of tables: paths into nested values, turns in cells, texts without votes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from core.importing.reading import Reading
from core.records import TandemError
from tests.published import Study, reasons

CHAT = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]


def load(published: Study, name: str, rows: Sequence[Any], **words: object) -> None:
    published.load(published.write(name, list(rows)), reading=Reading(**words))  # type: ignore[arg-type]


def test_paths_lead_into_objects_and_lists(published: Study) -> None:
    rows = [{"q": {"text": "Why?"}, "out": [{"by": "x", "say": "one"}], "messages": CHAT}]
    mapping = {"context": "q.text", "system": "out.0.by", "text": "messages[-1].content"}
    load(published, "t.jsonl", rows, mapping=mapping)
    assert [row[1:] for row in published.texts()] == [["x", "Hello."]]
    assert published.store.datasets.items("d")["context"].tolist() == ["Why?"]


def test_a_path_that_leads_nowhere_is_refused(published: Study) -> None:
    rows = [{"q": {"text": "Why?"}, "out": [{"by": "x"}], "text": "t"}]
    for path in ["q.word", "q.text.0", "out.1.by", "nothing.text"]:
        with pytest.raises(TandemError, match=rf"system={re.escape(path)}.*t\.jsonl.*column"):
            load(published, "t.jsonl", rows, mapping={"context": "q.text", "system": path})


def test_a_column_called_as_a_path_goes_first(published: Study) -> None:
    rows = [{"a.b": "flat", "a": {"b": "nested"}, "model": "x", "text": "t"}]
    load(published, "t.jsonl", rows, mapping={"item": "a.b"})
    assert [row[0] for row in published.texts()] == ["flat"]


def vote(context: object, text: object) -> dict[str, object]:
    return {
        "prompt": context, "model_a": "x", "model_b": "y", "response_a": text, "response_b": "no",
        "winner": "model_a",
    }  # fmt: skip


def test_messages_are_a_transcript(published: Study) -> None:
    published.bring("v.jsonl", [vote(CHAT[:1], "yes"), vote(CHAT, "yes")])
    assert published.store.datasets.items("d")["context"].tolist() == [
        "Hi?",
        "User: Hi?\n\nAssistant: Hello.",
    ]


def test_lists_of_turns_are_one_text(published: Study, subtests: pytest.Subtests) -> None:
    """The whole column decides whether cells are turns."""
    turns = [["one"], ["one", "two"], [None], [""]]
    texts = ["one", "[Turn 1]\none\n\n[Turn 2]\ntwo", None, ""]
    for name, cells, expected in [
        ("v.csv", [json.dumps(each) for each in turns], texts),
        ("v.jsonl", turns, texts),
        ("w.csv", ['["one"]', "[see below]"], ['["one"]', "[see below]"]),
    ]:
        with subtests.test(name), published.renewed() as study:
            study.bring(name, [vote(f"q{n}", cell) for n, cell in enumerate(cells)])
            assert [text for _, system, text in study.texts() if system == "x"] == expected


def test_half_a_surrogate_pair_costs_no_vote(published: Study) -> None:
    rows = [vote("q", '["one"]'), vote("r", '["broken \\ud83d"]'), vote("s", '["\\ud83d\\ude00"]')]
    report = published.bring("v.csv", rows)
    assert reasons(report) == []
    assert "broken \ufffd" in [text for _, _, text in published.texts()]
    assert "😀" in [text for _, _, text in published.texts()]


def test_systems_beside_items_alone_are_texts(published: Study) -> None:
    published.bring("w.csv", [{"item": "1", "model-x": "Its text.", "model-y": "Another one."}])
    assert [row[1:] for row in published.texts()] == [
        ["model-x", "Its text."],
        ["model-y", "Another one."],
    ]


def test_names_of_systems_are_no_texts(published: Study) -> None:
    rows = [{"item": str(n), "model_a": "gpt-4", "model_b": "claude-2"} for n in range(6)]
    with pytest.raises(TandemError):
        published.bring("w.csv", rows)


def test_a_number_of_an_answer_names_its_column(published: Study) -> None:
    row = {
        "prompt": "q", "response_0": "zero", "response_1": "one", "response_0_source": "x",
        "response_1_source": "y", "kinder_response_id": 1, "longer_response_id": 0,
    }  # fmt: skip
    published.bring("pku.jsonl", [row])
    assert published.votes("attribute", "system_a", "outcome") == [
        ["kinder", "x", "b"],
        ["longer", "x", "a"],
    ]
