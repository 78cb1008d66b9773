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
from core.importing.layouts.evaluation_runs import list_metrics
from core.importing.staged_file import read_entries
from core.records import LONGEST, TandemError
from core.store import Store
from tests.published import Study, check_skipped

GAMES = [{"score": "A>B"}, {"score": "B>A"}]


def read(layout: str, row: dict[str, Any], *more: str) -> list[Any]:
    source = Source(Path("file.jsonl"), (*row, *more))
    return list(LAYOUTS[layout].reader(source).entries(1, row))


def test_odd_parts_of_a_row_are_none_or_a_reason() -> None:
    """No baseline though others name one, a column too many, an epoch that no store can number,
    and what is no object, name or list.
    """
    games = {"uid": "u", "model": "m", "judge": "j", "games": GAMES, "baseline": None}
    inspect = {"id": 1, "epoch": 1, "input": "?", "eval": {"task": "t", "model": "m"}}
    for layout, row, error, reason in [
        ("arena-hard", games, ValueError, "field 'baseline' is empty"),
        ("sampled-texts", {"generated": ["a"], "more": 1}, TandemError, r"\b2 columns.*another format"),
        ("inspect", {**inspect, "epoch": 10**400}, ValueError, r"epoch.*0000000"),
    ]:  # fmt: skip
        with pytest.raises(error, match=reason):
            read(layout, row)
    [*_, text] = read("inspect", {**inspect, "output": {"choices": ["words"]}})
    assert text["text"] is None
    assert list_metrics({"metrics": [{"acc": 1}, "acc", ["f1"]], "acc": 1.0}) == ["acc"]
    for part in ["responses", "metadata", "suggestions"]:
        assert nest_record({"fields": {"a": "text"}, part: "words"})[part] == {}
    record = nest_record({"p": "text", "q.responses": ["a"], "q.responses.users": 7})
    assert record["responses"]["q"][0]["user_id"] is None


def test_a_sample_that_no_store_can_number_is_skipped(published: Study) -> None:
    told = {"system": "x", "text": "t"}
    rows = [{"item": f"i{n}", **told, "sample": 0} for n in range(6)]
    numbers = ["1e300", str(MOST * 4), "-1", "0.5"]
    odd = [{"item": f"j{number}", **told, "sample": number} for number in numbers]
    report = published.bring("g.csv", [*rows, *odd])
    check_skipped(report, dict.fromkeys((7, 8, 9, 10), "sample.*whole.*from 0"))


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
