"""The same table with every winner swapped: the same rows are used, and the wins are mirrored. Or
both tables are refused alike. So nothing is dropped, merged or read otherwise because of who won.

Tables are drawn in every layout of votes, with rows that are odd in ways that do not depend on who
won. A layout that is not read yet is refused both ways.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.importing import USUAL, Codes, Reading, Repeats, count, importer
from core.records import Dataset, TandemError
from core.store import Store

FIRST, SECOND, TIE, BAD, NOTHING, UNKNOWN = "first", "second", "tie", "bad", "nothing", "unknown"
ANSWERS = (FIRST, SECOND, FIRST, SECOND, TIE, BAD, NOTHING, UNKNOWN)
LOST = {FIRST: SECOND, SECOND: FIRST}
"""What a vote becomes when the other one won; all else stays."""
NAMES = ("gpt", "koala", "A", "b", "tie", "N/A", "1", "model_a", "Koala")
PLAIN = ("gpt", "koala", "vicuna 13b")
ODD = ("no first", "no second", "itself", "control", "flag", "number", "kind", "context", "time")
"""What may be wrong with a row, whoever won."""
Cells = dict[str, object]
Seen = Counter[tuple[object, ...]]


@dataclass(frozen=True)
class Vote:
    """A row: two systems by name, who won (of each of two judges), and what is odd about it."""

    systems: tuple[str, str]
    said: str
    other: str  # what the second judge of the row said
    item: str
    judge: str
    is_shown_second: bool = False
    odd: str = ""
    number: int = 0  # in its table

    def swapped(self) -> Vote:
        return replace(
            self, said=LOST.get(self.said, self.said), other=LOST.get(self.other, self.other)
        )


@dataclass(frozen=True)
class Drawn:
    """A table to be: its votes, what words stand for the sides, the form of its file."""

    votes: tuple[Vote, ...]
    sides: tuple[str, str]
    end: str
    has_items: bool
    has_judges: bool

    def swapped(self) -> Drawn:
        return replace(self, votes=tuple(vote.swapped() for vote in self.votes))


@dataclass(frozen=True)
class Layout:
    """How a vote is written as rows, and how such a file is to be read.

    `is_ordered`: a row says who stood first. `names` are those that systems may have, `answers`
    what a row can say.
    """

    rows: Callable[[Vote, Drawn], list[Cells]]
    reading: Reading = USUAL
    is_ordered: bool = True
    names: tuple[str, ...] = NAMES
    answers: tuple[str, ...] = ANSWERS


def systems_of(vote: Vote) -> tuple[str, str]:
    first, second = vote.systems
    swaps = {"no first": ("", second), "no second": (first, ""), "itself": (first, first),
             "control": (f"{first}\x07", second)}  # fmt: skip
    return swaps.get(vote.odd, (first, second))


def about(vote: Vote, drawn: Drawn) -> Cells:
    """The cells that say nothing of who won."""
    cells: Cells = {"item": vote.item} if drawn.has_items else {}
    if drawn.has_judges:
        cells["judge"] = vote.judge
    odd = {one.odd for one in drawn.votes}
    for name, (column, wrong, right) in {
        "flag": ("order_known", "perhaps", "1"),
        "number": ("confidence", "often", "0.5"),
        "kind": ("judge_kind", "robot", "human"),
        "context": ("context", "Another question?", f"The question of {vote.item}?"),
        "time": ("created_at", "soon", "2024-01-02T03:04:05Z"),
    }.items():
        if name in odd:
            cells[column] = wrong if vote.odd == name else right
    return cells


def pair(vote: Vote, drawn: Drawn) -> Cells:
    first, second = systems_of(vote)
    return {**about(vote, drawn), "system_a": first, "system_b": second}


def word(said: str, sides: Sequence[object]) -> object:
    """What is written for an answer where `sides` stand for the two. A word for a tie that is also
    the name of a system says either, so it is another.
    """
    words = {FIRST: sides[0], SECOND: sides[1], TIE: "equal", BAD: "both_bad", NOTHING: "",
             UNKNOWN: "cannot tell"}  # fmt: skip
    return words[said]


def rows_with_sides(vote: Vote, drawn: Drawn) -> list[Cells]:
    return [{**pair(vote, drawn), "winner": word(vote.said, drawn.sides)}]


def rows_with_names(vote: Vote, drawn: Drawn) -> list[Cells]:
    return [{**pair(vote, drawn), "winner": word(vote.said, systems_of(vote))}]


def rows_with_texts(vote: Vote, drawn: Drawn) -> list[Cells]:
    """The winner repeats a text; the texts of a system on an item may differ."""
    texts = [f"{system} says {vote.judge}" for system in systems_of(vote)]
    cells: Cells = {**pair(vote, drawn), "text_a": texts[0], "text_b": texts[1]}
    return [{**cells, "winner": word(vote.said, texts)}]


def rows_with_graded_words(vote: Vote, drawn: Drawn) -> list[Cells]:
    sides = "A is much better", "B is slightly better"
    if vote.judge:
        sides = "[[A>>B]]", "[[B>>A]]"
    return [{**pair(vote, drawn), "winner": word(vote.said, sides)}]


def rows_with_codes(vote: Vote, drawn: Drawn) -> list[Cells]:
    codes = {FIRST: 1, SECOND: 2, TIE: 0, BAD: "both_bad", NOTHING: "", UNKNOWN: "cannot tell"}
    return [{**pair(vote, drawn), "winner": codes[vote.said]}]


def rows_with_numbers(vote: Vote, drawn: Drawn) -> list[Cells]:
    """Numbers of which nobody says what they mean."""
    numbers = {FIRST: 1, SECOND: -1, TIE: 0, BAD: 0, NOTHING: "", UNKNOWN: 9}
    return [{**pair(vote, drawn), "winner": numbers[vote.said]}]


def rows_with_probabilities(vote: Vote, drawn: Drawn) -> list[Cells]:
    of_first = {FIRST: 0.875, SECOND: 0.125, TIE: 0.5}
    cells: Cells = {**pair(vote, drawn), "winner": word(vote.said, drawn.sides)}
    return [{**cells, "prob_a": of_first.get(vote.said, "")}]


def rows_one_hot(vote: Vote, drawn: Drawn) -> list[Cells]:
    cells = pair(vote, drawn)
    for column, said in (("model_a", FIRST), ("model_b", SECOND), ("tie", TIE), ("both_bad", BAD)):
        cells[f"winner_{column}"] = int(vote.said == said)
    if vote.said == UNKNOWN:
        cells |= {"winner_model_a": 1, "winner_model_b": 1}
    return [cells]


def rows_with_flags(vote: Vote, drawn: Drawn) -> list[Cells]:
    flags = {FIRST: "yes", SECOND: "no", NOTHING: "", UNKNOWN: "cannot tell"}
    return [{**pair(vote, drawn), "system_a_wins": flags.get(vote.said, "tie")}]


def rows_with_lists(vote: Vote, drawn: Drawn) -> list[Cells]:
    """The place of the winner among the two of a list, from 0."""
    places = {FIRST: 0, SECOND: 1, UNKNOWN: 7}
    cells: Cells = {**about(vote, drawn), "models": json.dumps(systems_of(vote))}
    return [{**cells, "preferred_index": places.get(vote.said, "")}]


def rows_of_winners_and_losers(vote: Vote, drawn: Drawn) -> list[Cells]:
    first, second = systems_of(vote)
    won = {FIRST: (first, second), SECOND: (second, first)}.get(vote.said, (first, second))
    drawn_word = {FIRST: 0, SECOND: 0, UNKNOWN: "cannot tell"}.get(vote.said, 1)
    return [{**about(vote, drawn), "winner": won[0], "loser": won[1], "draw": drawn_word}]


def rows_with_judges(vote: Vote, drawn: Drawn) -> list[Cells]:
    """Two judges a row."""
    cells = {name: cell for name, cell in pair(vote, drawn).items() if name != "judge"}
    said = {"winner:ann": vote.said, "winner:bob": vote.other}
    return [cells | {name: word(each, drawn.sides) for name, each in said.items()}]


def rows_with_swapped(vote: Vote, drawn: Drawn) -> list[Cells]:
    """A word for a side is refused beside such a column: it may be a place."""
    odd = {"flag": "perhaps"}.get(vote.odd, int(vote.is_shown_second))
    return [{**pair(vote, drawn), "winner": word(vote.said, systems_of(vote)), "swapped": odd}]


def rows_with_shown_first(vote: Vote, drawn: Drawn) -> list[Cells]:
    odd = {"flag": "perhaps"}.get(vote.odd, systems_of(vote)[vote.is_shown_second])
    return [{**pair(vote, drawn), "winner": word(vote.said, systems_of(vote)), "shown_first": odd}]


def rows_with_places(vote: Vote, drawn: Drawn) -> list[Cells]:
    flag = int(vote.is_shown_second)
    return [{**pair(vote, drawn), "winner": word(vote.said, drawn.sides), "flipped": flag}]


def rows_with_both_in_one_column(vote: Vote, drawn: Drawn) -> list[Cells]:
    cells: Cells = {**about(vote, drawn), "systems": " vs ".join(systems_of(vote))}
    return [{**cells, "winner": word(vote.said, drawn.sides)}]


def rows_of_two_systems(vote: Vote, drawn: Drawn) -> list[Cells]:
    return [{**about(vote, drawn), "winner": word(vote.said, drawn.sides)}]


def rows_of_pairs(vote: Vote, drawn: Drawn) -> list[Cells]:
    """Texts, of which the chosen one won: `trl`, which knows no ties. Where a row does not name both
    models, its systems are `chosen` and `rejected`.
    """
    first, second = vote.systems if vote.odd.startswith("no ") else systems_of(vote)
    won = (second, first) if vote.said == SECOND else (first, second)
    cells: Cells = {"prompt": f"The question of {vote.item}?"}
    for name, system in zip(("chosen", "rejected"), won, strict=True):
        cells |= {name: f"{system} says so.", f"{name}_model": system}
    return [cells]


def ranks(said: str) -> tuple[object, object]:
    places = {FIRST: (1, 2), SECOND: (2, 1), NOTHING: ("", ""), UNKNOWN: ("high", "high")}
    return places.get(said, (1, 1))


def rows_of_ranks(vote: Vote, drawn: Drawn) -> list[Cells]:
    """A ranking of its own item in rows, a row a system: 1 is best."""
    told = {**about(vote, drawn), "item": f"{vote.item}{vote.number}"}
    return [
        {**told, "system": system, "rank": rank}
        for system, rank in zip(systems_of(vote), ranks(vote.said), strict=True)
    ]


def rows_with_ranks(vote: Vote, drawn: Drawn) -> list[Cells]:
    """A ranking a row."""
    first, second = ranks(vote.said)
    return [{**about(vote, drawn), "rank_gpt": first, "rank_koala": second}]


def rows_of_counts(vote: Vote, drawn: Drawn) -> list[Cells]:
    """Wins per pair."""
    wins: dict[str, tuple[object, object]] = {
        FIRST: (3, 1), SECOND: (1, 3), NOTHING: ("", ""), UNKNOWN: ("many", "many"),
    }  # fmt: skip
    first, second = systems_of(vote)
    of_first, of_second = wins.get(vote.said, (2, 2))
    return [{"player1": first, "player2": second, "win1": of_first, "win2": of_second}]


LAYOUTS = {
    "sides": Layout(rows_with_sides),
    "names": Layout(rows_with_names),
    "names that are said to be names": Layout(
        rows_with_names, Reading(codes=Codes(means="system"))
    ),
    "texts": Layout(rows_with_texts, names=PLAIN),
    "graded words": Layout(rows_with_graded_words),
    "codes": Layout(rows_with_codes, Reading(codes=Codes(("1",), ("2",), ("0",)))),
    "numbers": Layout(rows_with_numbers),
    "probabilities": Layout(rows_with_probabilities),
    "one-hot": Layout(rows_one_hot),
    "flags": Layout(rows_with_flags, answers=(FIRST, SECOND, TIE, NOTHING)),
    "lists": Layout(rows_with_lists, answers=(FIRST, SECOND, NOTHING)),
    "winners and losers": Layout(rows_of_winners_and_losers, is_ordered=False),
    "judges": Layout(rows_with_judges),
    "swapped": Layout(rows_with_swapped),
    "shown first": Layout(rows_with_shown_first),
    "places": Layout(rows_with_places),
    "both in one column": Layout(rows_with_both_in_one_column, names=PLAIN),
    "two systems": Layout(rows_of_two_systems, Reading(systems=("gpt", "koala"))),
    "pairs of texts": Layout(rows_of_pairs, is_ordered=False, names=PLAIN, answers=(FIRST, SECOND)),
    "ranks": Layout(rows_of_ranks, is_ordered=False),
    "ranks in columns": Layout(rows_with_ranks, is_ordered=False),
    "counts": Layout(rows_of_counts, is_ordered=False),
}


def write(folder: Path, layout: Layout, drawn: Drawn) -> Path:
    """The file of a table, in the form that its end says."""
    rows = [cells for vote in drawn.votes for cells in layout.rows(vote, drawn)]
    path = folder / f"votes{drawn.end}"
    if drawn.end == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif drawn.end == ".parquet":
        texts = {name: [str(row[name]) for row in rows] for name in rows[0]}
        pd.DataFrame(texts).to_parquet(path)
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return path


@dataclass
class Read:
    """What became of a file: the class of its refusal, or what was found in it."""

    refusal: str = ""
    facts: tuple[object, ...] = ()
    votes: Seen = field(default_factory=Counter)

    def swapped(self) -> Read:
        """The same if the other one had won each vote."""
        return replace(self, votes=Counter({mirrored(vote): n for vote, n in self.votes.items()}))


def mirrored(vote: tuple[object, ...]) -> tuple[object, ...]:
    *of, outcome = vote
    return (*of, {"a": "b", "b": "a"}.get(str(outcome), outcome))


def seen(frame: pd.DataFrame, columns: Sequence[str], is_ordered: bool) -> Seen:
    """How often each vote stands in a frame, its answer last; both orders of two systems are one
    where nobody knows who stood first.
    """
    found: Seen = Counter()
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        vote = *(row[name] for name in columns), row["outcome"] or row["failure"]
        if not is_ordered and row["system_a"] > row["system_b"]:
            row["system_a"], row["system_b"] = row["system_b"], row["system_a"]
            vote = *(row[name] for name in columns), mirrored(vote)[-1]
        found[vote] += int(row.get("times") or 1)
    return found


def read_by_import(path: Path, layout: Layout) -> Read:
    columns = ("item", "attribute", "judge", "trial", "order_known", "system_a", "system_b")
    with Store(path.with_name("store.sqlite3")) as store:
        try:
            reading = replace(layout.reading, repeats=Repeats.ALL)
            report = importer.load(store, [path], Dataset("d"), reading)
        except TandemError as error:
            assert store.datasets.names() == []
            return Read(type(error).__name__)
        skipped = [row["row"] for row in report.skipped]
        kept = ("items", "systems", "attributes", "judges", "scores", "judgements")
        facts = (skipped, report.rows, report.layouts, [report.counts[name] for name in kept])
        if not layout.is_ordered:
            columns = tuple(name for name in columns if name != "trial")
        frame = store.judgement_frames.load_all("d")
        return Read("", facts, seen(frame, columns, layout.is_ordered))


def read_by_count(path: Path, layout: Layout) -> Read:
    columns = ("attribute", "judge", "kind", "order_known", "system_a", "system_b")
    try:
        counts = count([path], reading=replace(layout.reading, repeats=Repeats.ALL))
    except TandemError as error:
        return Read(type(error).__name__)
    facts = (
        counts.skipped, counts.rows, counts.items, counts.has_unnamed_items, len(counts.of_items),
    )  # fmt: skip
    if not layout.is_ordered:
        facts = (sum(counts.skipped.values()), *facts[1:4])
    return Read("", facts, seen(counts.votes, columns, layout.is_ordered))


def check(name: str, drawn: Drawn) -> None:
    layout = LAYOUTS[name]
    for read in (read_by_import, read_by_count):
        with TemporaryDirectory() as folder:
            both = [Path(folder, name) for name in ("as it is", "swapped")]
            for each in both:
                each.mkdir()
            found = read(write(both[0], layout, drawn), layout)
            other = read(write(both[1], layout, drawn.swapped()), layout)
        assert other == found.swapped()


def tables(layout: Layout) -> st.SearchStrategy[Drawn]:
    answers, system = st.sampled_from(layout.answers), st.sampled_from(layout.names)
    vote = st.builds(
        Vote,
        st.tuples(system, system).filter(lambda both: both[0] != both[1]),
        answers,
        answers,
        st.sampled_from(("q1", "q2", "q3", "")),
        st.sampled_from(("ann", "bob", "")),
        st.booleans(),
        st.sampled_from(("",) * 12 + ODD),
    )
    sides = (("a", "b"), ("A", "B"), ("left", "right"), ("model_a", "model_b"), ("[[A]]", "[[B]]"))
    return st.builds(
        Drawn,
        st.lists(vote, min_size=1, max_size=8).map(
            lambda votes: tuple(replace(one, number=n) for n, one in enumerate(votes))
        ),
        st.sampled_from(sides),
        st.sampled_from((".csv", ".parquet", ".jsonl")),
        st.booleans(),
        st.booleans(),
    )


def check_tables(name: str, examples: int) -> None:
    """In tables drawn by chance; those that failed before first."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(drawn=tables(LAYOUTS[name]))
    def check_drawn(drawn: Drawn) -> None:
        check(name, drawn)

    check_drawn()


def test_with_winners_swapped_the_counts_are_mirrored(subtests: pytest.Subtests) -> None:
    for name in LAYOUTS:
        with subtests.test(name):
            check_tables(name, examples=8)


@pytest.mark.slow
def test_in_many_tables_the_counts_are_mirrored(subtests: pytest.Subtests) -> None:
    for name in LAYOUTS:
        with subtests.test(name):
            check_tables(name, examples=400)
