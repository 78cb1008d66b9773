"""What people bring in tables (../shared/cases), by the importer and on the command line. The right
values were computed outside Tandem (choix, scipy, pandas, by hand).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.importing import importer
from core.importing.codes import Codes
from core.importing.reading import Reading
from core.records import Dataset, TandemError
from core.store import Store
from tests.paths import CASES

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CASES.is_dir(), reason=f"the cases are not here: {CASES}"),
]
Import = Callable[..., None]


def import_by_call(path: Path, files: Sequence[str], words: dict[str, Any]) -> None:
    codes = Codes(*(words.pop(name, ()) for name in ("first_wins", "second_wins", "tie")))
    reading = Reading(**words, codes=codes)
    with Store(path) as store:
        importer.load(store, [CASES / file for file in files], Dataset("d"), reading)


def import_by_command(path: Path, files: Sequence[str], words: dict[str, Any]) -> None:
    said = ["import", *(str(CASES / file) for file in files), "--dataset", "d"]
    for name, value in words.items():
        option = {"mapping": "--map", "layout": "--format"}.get(name, f"--{name.replace('_', '-')}")
        given = [f"{key}={of}" for key, of in value.items()] if isinstance(value, dict) else value
        listed = [given] if isinstance(given, str) else list(given)
        said += [f"{option}={listed[0]}"] if len(listed) == 1 else [option, *listed]
    assert main(["--store", str(path), *said]) == 0


class Case:
    """A store that a case was imported into."""

    def __init__(self, path: Path, door: Callable[..., None]) -> None:
        self.path, self.door = path, door

    def load(self, *files: str, **words: Any) -> None:
        self.door(self.path, files, words)

    def start_over(self) -> None:
        """With a new store."""
        self.path = self.path.with_name(f"next-{self.path.name}")

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        with Store(self.path) as store:
            return [tuple(row) for row in store.connection.rows(query)]

    def votes(self) -> Counter[tuple[Any, ...]]:
        """How often which answer was given: attribute, winner, loser; of others the outcome."""
        rows = self.sql(
            """SELECT t.name, coalesce(j.outcome, j.failure), a.name, b.name FROM judgements j
            JOIN comparisons c ON c.id = j.comparison JOIN attributes t ON t.id = c.attribute
            JOIN systems a ON a.id = c.system_a JOIN systems b ON b.id = c.system_b"""
        )
        sides = {"a": (0, 1), "b": (1, 0)}
        return Counter(
            (
                attribute,
                *((pair[sides[said][0]], pair[sides[said][1]]) if said in sides else (said,)),
            )
            for attribute, said, *pair in rows
        )

    def strengths(self) -> list[float | None]:
        return [strength for (strength,) in self.sql("SELECT strength FROM judgements ORDER BY id")]

    def texts(self) -> list[tuple[Any, ...]]:
        """Item, system, text."""
        return self.sql(
            """SELECT i.key, s.name, g.text FROM generations g JOIN items i ON i.id = g.item
            JOIN systems s ON s.id = g.system ORDER BY i.id, s.name"""
        )

    def planned(self) -> int:
        return int(self.sql("SELECT count(*) FROM campaign_pairs")[0][0])

    def rank(self, *words: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
        capsys.readouterr()
        assert main(["--store", str(self.path), "rank", "--dataset", "d", *words, "--json"]) == 0
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document


def ratings(document: dict[str, Any]) -> dict[str, float]:
    return {row["system"]: row["rating"] for row in document["rows"]}


@pytest.fixture(params=[import_by_call, import_by_command], ids=["call", "command"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return Case(tmp_path / "store.sqlite3", request.param)


RANKED = {("A", "B"): 2, ("B", "A"): 1, ("A", "C"): 3, ("B", "C"): 2, ("C", "B"): 1}


def test_rankings_give_their_pairs(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("council_str.csv", "council_wide.csv", "council_long.csv"):
        case.start_over()
        case.load(f"rankings/{form}")
        assert case.votes() == {("overall", *pair): count for pair, count in RANKED.items()}
        assert case.sql("SELECT count(*) FROM judges") == [(3,)]
        found = ratings(case.rank("--method", "win-ratio", capsys=capsys))
        assert found == pytest.approx({"A": 5 / 6, "B": 1 / 2, "C": 1 / 6})


def test_ranked_answers_in_lists_keep_their_texts(case: Case) -> None:
    case.load("rankings/nectar.jsonl")
    assert case.votes() == {
        ("overall", "gpt-4", "claude"): 3,
        ("overall", "gpt-4", "llama"): 3,
        ("overall", "claude", "llama"): 3,
    }
    assert [text for _, _, text in case.texts()][:3] == ["A2 0", "A1 0", "A3 0"]
    judges = "SELECT name, kind FROM judges"
    assert case.sql(judges) == [("gpt-4", "llm")]


def test_marks_may_be_better_the_lower_they_are(
    case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    case.load("rankings/marks.csv", lower_is_better=("rank",))
    words = ["--method", "win-ratio", "--judges", "r1", "r2", "r3"]
    found = ratings(case.rank(*words, capsys=capsys))
    assert found == pytest.approx({"A": 5 / 6, "B": 1 / 2, "C": 1 / 6})
    values = "SELECT count(*) FROM scores WHERE value IN (1, 2, 3)"
    assert case.sql(values) == [(9,)]  # as they were given


def test_marks_called_ranks_are_noted(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite3") as store:
        marks = [CASES / "rankings/marks.csv"]
        plain = importer.load(store, marks, Dataset("plain"))
        assert any("'rank'" in each for each in plain.warnings)
        lower = importer.load(store, marks, Dataset("d"), Reading(lower_is_better=("rank",)))
        assert not any("'rank'" in each for each in lower.warnings)
        again = importer.load(store, marks, Dataset("d"))  # the attribute remembers
        assert not any("'rank'" in each for each in again.warnings)
        with pytest.raises(TandemError):
            importer.load(store, marks, Dataset("e"), Reading(lower_is_better=("speed",)))


def test_wins_per_pair_are_votes(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    case.load("counts/citations.csv")
    assert sum(case.votes().values()) == 3727
    assert case.votes()["overall", "Biometrika", "Comm Statist"] == 730
    rows = case.rank("--method", "bradley-terry", "--bootstrap", "0", capsys=capsys)["rows"]
    elo = {row["system"]: row["rating"] for row in rows}
    abilities = {
        name: (elo[name] - elo["Biometrika"]) * math.log(10) / 400
        for name in ("JRSS-B", "JASA", "Comm Statist")
    }
    # BradleyTerry2's vignette
    assert abilities == pytest.approx(
        {"JRSS-B": 0.26895, "JASA": -0.47957, "Comm Statist": -2.94907}, abs=1e-4
    )


def test_pairs_without_votes_are_asked_about(case: Case, tmp_path: Path) -> None:
    """Of pairs without names the sides are asked for."""
    for file in ("pairs.csv", "pairs_emptywinner.csv"):
        case.start_over()
        case.load(f"pairs-to-annotate/{file}")
        assert (case.planned(), case.votes()) == (3, {})
        assert {system for _, system, _ in case.texts()} == {"gpt", "claude", "llama"}
        assert case.sql("SELECT count(*) FROM judges") == [(0,)]
    for file, pairs in (("test.csv", 2), ("potato.jsonl", 3)):
        case.start_over()
        case.load(f"pairs-to-annotate/{file}", systems=("new", "old"))
        assert case.planned() == pairs
        with Store(tmp_path / "o.sqlite3") as store, pytest.raises(TandemError, match="systems"):
            importer.load(store, [CASES / "pairs-to-annotate" / file], Dataset("d"))


def test_several_questions_of_a_row_are_attributes(
    case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    case.load("two-questions/pku.jsonl")
    rates = {
        attribute: ratings(
            case.rank("--method", "win-ratio", "--attribute", attribute, capsys=capsys)
        )
        for attribute in ("better", "safer")
    }
    assert rates["better"]["Alpaca3-8B"] == 0.5
    assert rates["safer"]["Alpaca3-8B"] == pytest.approx(5 / 6)
    assert sum(case.votes().values()) == 12


def test_questions_can_be_named(case: Case) -> None:
    case.load(
        "two-questions/pku.jsonl",
        mapping={"attribute:good": "better_response_id", "attribute:safe": "safer_response_id"},
    )
    votes = case.votes()
    assert votes["good", "Alpaca3-8B", "Alpaca-7B"] == 3
    assert votes["safe", "Alpaca3-8B", "Alpaca-7B"] == 5


def test_published_comparisons_are_read_as_they_are(case: Case) -> None:
    """Steps are strengths."""
    for file, first, second, times in [
        ("webgpt.jsonl", "answer_0", "answer_1", (3, 1, 2)),
        ("helpsteer3.jsonl", "response1", "response2", (4, 2, 4)),
    ]:
        case.start_over()
        case.load(f"nested/{file}")
        sorts = [("overall", first, second), ("overall", "tie"), ("overall", second, first)]
        assert case.votes() == dict(zip(sorts, times, strict=True))
        assert all(text for _, _, text in case.texts())
    assert case.strengths()[:4] == pytest.approx([1, 2 / 3, 1 / 3, None])


def test_summaries_with_feedback(case: Case) -> None:
    case.load("nested/batch3.json")
    wins = Counter(winner for _, winner, _ in case.votes().elements())
    seen = Counter(name for _, *both in case.votes().elements() for name in both)
    assert {name: (wins[name], seen[name]) for name in seen} == {
        "sup4": (3, 4), "ref": (2, 4), "sup1": (1, 4),
    }  # fmt: skip


def test_completions_with_ratings(case: Case) -> None:
    case.load("nested/ultrafeedback.jsonl")
    assert len(case.texts()) == 12
    names = "SELECT DISTINCT a.name FROM scores s JOIN attributes a ON a.id = s.attribute"
    assert case.sql(names) == [("helpfulness",)]  # N/A is no score
    missing = "SELECT count(*) FROM scores WHERE value IS NULL"
    assert case.sql(missing) == [(0,)]


def test_paths_reach_inside(case: Case) -> None:
    case.load(
        "nested/batch3.json",
        mapping={
            "item": "info.id", "context": "info.post", "judge": "worker", "winner": "choice",
            **{f"text_{side}": f"summaries.{n}.text" for n, side in enumerate("ab")},
            **{f"system_{side}": f"summaries[{n}].policy" for n, side in enumerate("ab")},
        },
        first_wins=("0",),
        second_wins=("1",),
    )  # fmt: skip
    assert case.votes()["overall", "sup4", "ref"] == 1
    contexts = "SELECT DISTINCT context FROM items ORDER BY 1"
    assert case.sql(contexts)[0] == ("Post text 0",)
    assert len(case.texts()) == 12


def test_a_list_of_messages_is_a_context(case: Case) -> None:
    case.load(
        "nested/helpsteer3.jsonl",
        mapping={
            "context": "context",
            "text_a": "response1",
            "text_b": "response2",
            "winner": "overall_preference",
        },
        systems=("one", "two"),
        first_wins=("-3..-1",),
        second_wins=("1..3",),
        tie=("0",),
    )
    assert case.votes()["overall", "one", "two"] == 4
    first = "SELECT context FROM items ORDER BY id LIMIT 1"
    assert case.sql(first) == [("Question 0?",)]


CONTROLLED = ("--method", "bradley-terry-controlled", "--control", "lists", "--bootstrap", "0")


def test_turns_in_cells_are_as_their_texts(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    for file in ("plain.csv", "json.csv"):
        case.start_over()
        case.load(f"json-lists/{file}")
        assert case.texts()[0][2].startswith("- one\n- two")
        found = ratings(case.rank(*CONTROLLED, capsys=capsys))
        assert found == pytest.approx({"m1": 1052.6, "m3": 978.1, "m2": 969.3}, abs=0.06)


def test_turns_of_a_conversation(case: Case) -> None:
    case.load("json-lists/kaggle.csv")
    texts = {(system, text) for _, system, text in case.texts()}
    assert ("gpt-4-1106-preview", "[Turn 1]\nNo\n\nBecause\n\n[Turn 2]\nYes") in texts
    assert ("llama-2-13b-chat", None) in texts  # null is not available
    assert ("koala-13b", "") in texts  # an empty reply is one
    contexts = {context for (context,) in case.sql("SELECT context FROM items")}
    asked = "[Turn 1]\nIs it morally right?é\n\n[Turn 2]\nand then?"
    assert asked in contexts
    assert 'a "quoted" one' in contexts
    assert sum(case.votes().values()) == 5  # half of a sign does not cost a vote
    assert ("koala-13b", "broken \ufffd") in texts


STEPS = [1.0, 0.5, None, 0.5, 1.0]


def test_five_steps_are_outcomes_with_strengths(case: Case) -> None:
    case.load("graded-words/potato5.csv")
    assert case.votes() == {
        ("overall", "web", "noweb"): 4, ("overall", "tie"): 2, ("overall", "noweb", "web"): 4,
    }  # fmt: skip
    assert case.strengths() == STEPS * 2


def test_words_of_forms(case: Case) -> None:
    case.load("graded-words/neither.csv")
    assert case.votes() == {
        ("overall", "web", "noweb"): 4,
        ("overall", "noweb", "web"): 2,
        ("overall", "tie"): 5,
        ("overall", "both_bad"): 2,
        ("overall", "no-answer"): 1,
    }


def test_a_table_of_one_row_holds_texts(case: Case) -> None:
    case.load("wide-texts/docexample.csv")
    assert [tuple(row) for row in case.texts()] == [
        ("doc-1", "model-x", "Its summary ..."),
        ("doc-1", "model-y", "Another summary ..."),
    ]
    assert case.planned() == 1
