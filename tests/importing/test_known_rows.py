"""What imported votes are known by, who gave them, and odd rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.importing import Reading, Repeats, importer
from core.importing.cells import MOST, Row
from core.importing.layout import Reader, Source
from core.importing.layouts import LAYOUTS
from core.importing.layouts.annotation_tools import nest_record
from core.importing.raters import kind_of
from core.importing.staged_file import read_entries
from core.records import LONGEST, Dataset, Kind, TandemError
from core.store import Store
from tests.published import Study, check_skipped

FILE = """item,system_a,system_b,winner,judge,prob_a
1,x,y,a,Ada,0.25
1,x,y,a,Ada,0.25
row-7,x,y,tie,Zoë,
"""
SAID = (
    '["1", "x", "y", "Ada", "overall", true, "", "a", 0.25, ""]',
    '["1", "x", "y", "Ada", "overall", true, "", "a", 0.25, ""]',
    '["row-7", "x", "y", "Zo\\u00eb", "overall", true, "", "tie", null, ""]',
)
"""What tells each vote from others, by hand; stores hold 48 bits of it."""
EVERY = Reading(repeats=Repeats.ALL)


def test_what_a_vote_is_known_by_stays(store: Store, tmp_path: Path) -> None:
    """The mark of what it says; the same said again is another vote, and an item that is called
    like a row is known as one.
    """
    path = tmp_path / "votes.csv"
    path.write_text(FILE, encoding="utf-8")
    importer.load(store, [path], Dataset("d"), EVERY)
    marks = [int(hashlib.blake2b(said.encode(), digest_size=6).hexdigest(), 16) for said in SAID]
    places = store.connection.rows(
        """SELECT s.name, source_mark, source_occurrence, itemless FROM judgements j
        JOIN sources s ON s.id = j.source ORDER BY j.id"""
    )
    expected = zip(["d/votes.csv"] * 3, marks, [1, 2, 1], [0, 0, 1], strict=True)
    assert list(map(tuple, places)) == list(expected)


def test_a_file_under_another_name_adds_nothing(store: Store, tmp_path: Path) -> None:
    first, second = tmp_path / "votes.csv", tmp_path / "votes (1).csv"
    for path in (first, second):
        path.write_text(FILE, encoding="utf-8")
    assert importer.load(store, [first], Dataset("d"), EVERY).added["judgements"] == 3
    assert importer.load(store, [second], Dataset("d"), EVERY).added["judgements"] == 0
    second.write_text(FILE + "2,x,y,b,Ada,\n", encoding="utf-8")
    assert importer.load(store, [first], Dataset("d"), EVERY).added["judgements"] == 0


TABLE = (
    "item,system,text,score:ada:fluency,score:rouge1:overlap,score:judgelm:fluency\n"
    "i1,s1,One.,4,0.3,7\ni1,s2,Two.,5,0.4,8\n"
)


def test_metrics_are_known_by_their_names() -> None:
    for name, kind in [("rougeL", "baseline"), ("BLEU-4", "baseline"), ("BERTScore", "baseline"), ("ada", "human"),
     ("expert-1", "human"), ("", "human")]:  # fmt: skip
        assert kind_of(name, Source(Path("t.csv"), ())) == kind


def test_what_is_said_of_a_rater_counts(published: Study) -> None:
    path = published.folder / "t.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(TABLE)
    published.load(path, reading=Reading(kinds={"judgelm": Kind.LLM, "rouge1": Kind.HUMAN}))
    scores = published.store.scores.load_all("d")
    assert dict(zip(scores["rater"], scores["kind"], strict=True)) == {
        "ada": "human", "rouge1": "human", "judgelm": "llm",
    }  # fmt: skip


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    words = ["--store", str(tmp_path / "s.sqlite3"), "import", str(tmp_path / "t.csv")]
    assert main([*words, "--dataset", "d", "--kinds", "judgelm=llm", "--json"]) == 0
    capsys.readouterr()
    assert main([*words[:2], "describe", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]
    assert main([*words[:2], "export", "--what", "scores", "--to", str(tmp_path / "o.csv")]) == 0
    rows = (tmp_path / "o.csv").read_text().splitlines()
    assert {line.split(",")[5]: line.split(",")[6] for line in rows[1:]} == {
        "ada": "human", "rouge1": "baseline", "judgelm": "llm",
    }  # fmt: skip
    capsys.readouterr()
    assert main([*words, "--dataset", "e", "--kinds", "jugdelm=llm"]) == 2
    misspelt = "--kinds jugdelm: no column is score:jugdelm:ATTRIBUTE or winner:jugdelm; they are by ada, rouge1, judgelm"
    assert misspelt in capsys.readouterr().err
    assert main([*words, "--dataset", "e", "--kinds", "ada=person"]) == 2
    said = "--kinds ada=person should be RATER=KIND, such as --kinds bleu=baseline; kinds are human"
    assert said in capsys.readouterr().err


GAMES = [{"score": "A>B"}, {"score": "B>A"}]


def read(layout: str, row: dict[str, Any], *more: str) -> list[Any]:
    source = Source(Path("file.jsonl"), (*row, *more))
    return list(LAYOUTS[layout].reader(source).entries(1, row))


def test_odd_parts_of_a_row_are_none_or_a_reason() -> None:
    """No baseline though others name one, a column too many, and what is no object, name
    or list.
    """
    games = {"uid": "u", "model": "m", "judge": "j", "games": GAMES, "baseline": None}
    for layout, row, error, reason in [
        ("arena-hard", games, ValueError, "field 'baseline' is empty"),
        ("sampled-texts", {"generated": ["a"], "more": 1}, TandemError, r"\b2 columns.*another format"),
    ]:  # fmt: skip
        with pytest.raises(error, match=reason):
            read(layout, row)
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
