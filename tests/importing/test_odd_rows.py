"""Rows that are nearly in their layout: each is used or skipped with its reason. Found by
`python -m tests.fuzz`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.importing.cells import MOST, Row
from core.importing.layout import Reader, Source
from core.importing.layouts import LAYOUTS
from core.importing.layouts.argilla import nest_record
from core.importing.layouts.lm_eval import list_metrics
from core.importing.staged_file import read_entries
from core.records import LONGEST, TandemError
from core.store import Store
from tests.published import Study, check_skipped

GAMES = [{"score": "A>B"}, {"score": "B>A"}]


def read(layout: str, row: dict[str, Any], *more: str) -> list[Any]:
    source = Source(Path("file.jsonl"), (*row, *more))
    return list(LAYOUTS[layout].reader(source).entries(1, row))


def test_a_row_without_the_baseline_that_others_name() -> None:
    row = {"uid": "u", "model": "m", "judge": "j", "games": GAMES, "baseline": None}
    with pytest.raises(ValueError, match="field 'baseline' is empty"):
        read("arena-hard", row)


def test_a_table_that_is_said_to_be_one_column_of_texts() -> None:
    with pytest.raises(TandemError, match=r"\b2 columns.*another format"):
        read("sampled-texts", {"generated": ["a"], "more": 1})


def test_metrics_that_are_no_names_are_none() -> None:
    assert list_metrics({"metrics": [{"acc": 1}, "acc", ["f1"]], "acc": 1.0}) == ["acc"]


def test_a_part_of_a_record_that_is_no_object_says_nothing(subtests: pytest.Subtests) -> None:
    for part in ["responses", "metadata", "suggestions"]:
        with subtests.test(part=part):
            assert nest_record({"fields": {"a": "text"}, part: "words"})[part] == {}


def test_users_that_are_no_list_are_not_known() -> None:
    record = nest_record({"p": "text", "q.responses": ["a"], "q.responses.users": 7})
    assert record["responses"]["q"][0]["user_id"] is None


def test_a_sample_that_no_store_can_number_is_skipped(
    published: Study, subtests: pytest.Subtests
) -> None:
    for number in ["1e300", str(MOST * 4), "-1", "0.5"]:
        with subtests.test(number=number), published.renewed() as study:
            rows = [
                {"item": f"i{n}", "system": system, "text": "t", "sample": 0}
                for n in range(3)
                for system in "xy"
            ]
            odd = {"item": "j", "system": "x", "text": "t", "sample": number}
            report = study.bring("g.csv", [*rows, odd])
            check_skipped(report, {7: "sample.*whole.*from 0"})


def test_an_epoch_that_no_store_can_number_is_no_epoch() -> None:
    row = {"id": 1, "epoch": 10**400, "input": "?", "eval": {"task": "t", "model": "m"}}
    with pytest.raises(ValueError, match=r"epoch.*0000000"):
        read("inspect", row)


class Odd(Reader):
    """A reader that meets what it never met."""

    def __init__(self, source: Source) -> None:
        pass

    def entries(self, number: int, cells: Any) -> Iterator[Any]:
        yield cells["name"].strip()


def test_what_a_reader_never_met_is_the_reason_to_skip_a_row(subtests: pytest.Subtests) -> None:
    for row in [{}, {"name": 7}, {"name": [1]}]:
        with subtests.test(row=row), pytest.raises(ValueError, match=r"layout.*compare.*rows"):
            read_entries(Odd(Source(Path("f.jsonl"), ())), Row(1, row))


def test_an_answer_of_inspect_that_is_no_object_is_none() -> None:
    row = {"id": 1, "epoch": 1, "input": "?", "eval": {"task": "t", "model": "m"}}
    [*_, text] = read("inspect", {**row, "output": {"choices": ["words"]}})
    assert text["text"] is None


def test_reasons_are_as_long_as_a_person_reads(store: Store, published: Study) -> None:
    rows = [{"item": f"i{n}", "system_a": "x", "system_b": "y", "winner": "a"} for n in range(3)]
    long = {"item": "j", "system_a": "z" * 5000, "system_b": "z" * 5000, "winner": "a"}
    [row] = published.bring("v.csv", [*rows, long]).skipped
    assert str(row["reason"]).startswith("compares 'zzz")
    assert len(str(row["reason"])) < 200


def test_a_refusal_is_one_line_that_commands_no_terminal(subtests: pytest.Subtests) -> None:
    for said, told in [
        ("the file\nx\x1b[2J\u202e is odd: mend it", "the file x\\x1b[2J\\u202e is odd: mend it"),
        (f"no {'x' * 5000}: name another", f"no {'x' * 80}… name another"),
        ("half \ud800 a pair", "half \\ud800 a pair"),
        ("a tie, das heißt ⟦tie⟧", "a tie, das heißt tie"),
    ]:
        with subtests.test(said=said):
            assert str(TandemError(said)) == told


def test_a_long_refusal_keeps_what_is_wrong_and_the_way_out() -> None:
    error = str(TandemError(f"what is wrong {'word ' * 1000}the way out"))
    assert error.startswith("what is wrong")
    assert error.endswith("the way out")
    assert len(error) <= LONGEST
