"""Report of an import, for people and for scripts, and its rows in words, as they will be
stored. A person checks these before anything is written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..records import Attribute, Outcome, render_options
from .account import NOT_USED
from .attributes import OVERALL
from .cells import quote_value
from .codes import MEANINGS, Meaning
from .database import Database
from .layout import UNPARSED
from .staged_checks import USED
from .staged_file import StagedFile
from .table_fields import list_names

NAMES_IT = "the system it names"
MOST_VALUES = 100  # of winners that are listed
_ASKED = "item, attribute, system_a, sample_a, system_b, sample_b"
_CONTENTS = {
    "items": f"count(DISTINCT n.item) FROM named n JOIN entries e USING (nth) WHERE {USED}",
    "systems": f"count(DISTINCT system) FROM sides e WHERE {USED}",
    "generations": f"""count(DISTINCT (item, system, sample)) FROM sides e
        WHERE text_id IS NOT NULL AND {USED}""",
    "attributes": """count(DISTINCT attribute) FROM (
        SELECT attribute FROM votes UNION ALL SELECT attribute FROM scores)""",
    "scores": "count(DISTINCT (item, system, sample, attribute, judge, trial)) FROM scores",
    "judges": """count(DISTINCT judge) FROM (
        SELECT judge FROM votes WHERE NOT pending UNION ALL SELECT judge FROM scores)""",
    "comparisons": f"count(DISTINCT ({_ASKED})) FROM votes",
    "judgements": f"""count(*) FILTER (file NOT IN ({{once}}))
        + count(DISTINCT (judge, {_ASKED})) FILTER (file IN ({{once}}))
        FROM votes WHERE NOT pending""",
}
COUNTS = tuple(_CONTENTS)
"""What a data set holds, and an import counts."""


@dataclass(frozen=True)
class WinnerValue:
    """A value of a winner column: how often it is there, and what it means, None where that is not
    known. One that names a system, or repeats a text, means it in each row.
    """

    value: str
    times: int
    meaning: Meaning | None
    is_name: bool = False

    def document(self) -> dict[str, object]:
        """Return the value as a row of the report."""
        named = next((name for name, each in MEANINGS.items() if each == self.meaning), UNPARSED)
        meaning = NAMES_IT if self.is_name else named
        return {"value": self.value, "times": self.times, "meaning": meaning}


def list_winner_values(database: Database, files: Sequence[StagedFile]) -> list[WinnerValue]:
    """Return the values of a winner column, the most frequent first."""
    listed = database.rows(
        "SELECT file, kind, count(*) FROM entries WHERE kind IS NOT NULL GROUP BY ALL"
    )
    times = {(file, kind): number for file, kind, number in listed}
    counts = Counter[tuple[str, Meaning | None, bool]]()
    decided = ((file.number, *each) for file in files for each in enumerate(file.decided.items()))
    for number, place, (kind, said) in decided:
        meaning = said.outcome or (None if said.unknown else said.failure or None)
        is_name = bool(kind.repeats) or kind.winner in (kind.system_a, kind.system_b)
        if kind.field:
            key = kind.winner, None if is_name else meaning, is_name
            counts[key] += times.get((number, place), 0)
    return [
        WinnerValue(value, number, meaning, is_name)
        for (value, meaning, is_name), number in counts.most_common()
    ]


LISTED = 10_000  # rows of a file that are skipped and listed; more are counted
Noted = dict[str, object]
"""A row that is skipped, or a part of one: its place, and the reason."""


@dataclass(frozen=True)
class ImportReport:
    """Report of what an import found and did; `render_reasons` names settings in reasons."""

    dataset: str
    layouts: dict[str, str]
    counts: dict[str, int]
    added: dict[str, int]
    skipped: list[Noted]
    unlisted: int  # that are skipped, too, where they are too many to be listed
    left_out: list[dict[str, str]]
    alarms: list[str]  # what must be said first; among the warnings, too
    warnings: list[str]
    examples: list[str]
    rows: int
    columns: list[dict[str, str]] = field(default_factory=list)  # with what each is used for
    winners: list[dict[str, object]] = field(default_factory=list)  # with what each value means
    text_format: str = ""  # how the texts look, '' where there are none
    looks: str = ""  # that in a sentence, where it is not plain text

    def document(self) -> dict[str, object]:
        """Return the report as one document, for scripts."""
        names = (
            "added", "skipped", "unlisted", "layouts", "columns", "winners", "left_out", "warnings",
            "examples", "text_format",
        )  # fmt: skip
        shown = {name: getattr(self, name) for name in names}
        return {"dataset": self.dataset, **self.counts, **shown}

    def describe_unused(self) -> str:
        """Name the columns that are not used; '' without any."""
        unused = dict.fromkeys(
            quote_value(each["column"]) for each in self.columns if each["use"] == NOT_USED
        )
        return f"columns not used: {list_names(unused)}" if unused else ""

    def render_reasons(self, called: Callable[[str], str]) -> ImportReport:
        """Return the report with every setting in its reasons as `called` renders it."""

        def render(text: object) -> str:
            return render_options(str(text), called)

        return replace(
            self,
            skipped=[{**row, "reason": render(row["reason"])} for row in self.skipped],
            left_out=[{**file, "reason": render(file["reason"])} for file in self.left_out],
            alarms=[*map(render, self.alarms)],
            warnings=[*map(render, self.warnings)],
            looks=render(self.looks),
        )


def count_contents(
    database: Database, files: Sequence[StagedFile], known: Sequence[Attribute]
) -> dict[str, int]:
    """Count the contents of the files, each thing once; `known` are the data set's attributes."""
    once = ", ".join(str(file.number) for file in files if file.layout.is_answered_once) or "-1"
    queries = {name: f"SELECT {query.format(once=once)}" for name, query in _CONTENTS.items()}
    counts = {name: database.value(query) for name, query in queries.items()}
    if not counts["attributes"] and {attribute.name for attribute in known} <= {OVERALL}:
        counts["attributes"] = 1
    return counts


def list_skipped(database: Database, files: Sequence[StagedFile]) -> tuple[list[Noted], int]:
    """Return the rows that are skipped, those of a file together, and how many more there are."""
    listed, unlisted = list[Noted](), 0
    for file in files:
        where = {"file": file.name} if len(files) > 1 else {}
        rows = database.rows(
            f"""SELECT row, reason, count(*) OVER () FROM (
                SELECT *, row_number() OVER (PARTITION BY row, whole ORDER BY rowid) AS nth
                FROM skipped WHERE file = {file.number})
            WHERE nth = 1 OR NOT whole ORDER BY row, whole LIMIT {LISTED}"""
        )
        listed += [{**where, "row": row, "reason": reason} for row, reason, _ in rows]
        unlisted += rows[0][-1] - len(rows) if rows else 0
    return listed, unlisted


LONG = 60  # characters of a text
PARTS = 4  # of what a row says


@dataclass(frozen=True)
class RowSample:
    """A row of a file: its number, and in words what it says or the reason why it is skipped.
    `is_odd` is a row that is shown as it is skipped, or the longest.
    """

    number: int
    sentence: str
    is_odd: bool


def sample_rows(database: Database, file: int, n: int = 3) -> list[RowSample]:
    """Return up to n rows of a file in words, such as "row 1: ann preferred *vicuna* to *alpaca*";
    of votes, rows with different outcomes first. Besides the first row that is skipped, and the
    longest.
    """
    first = _find_first_rows(database, file, n)
    size = "sum(coalesce(length(e.text), 0) + coalesce(length(e.text_b), 0))"
    found = database.rows(
        f"""SELECT row FROM entries e WHERE file = {file} AND {USED}
        GROUP BY row HAVING {size} > 0 ORDER BY {size} DESC, row LIMIT 1"""
    )
    longest = [row for (row,) in found if row not in first]
    samples = [
        RowSample(row, f"row {row:,}: {sentence}", row in longest)
        for row, sentence in _say_rows(database, file, [*first, *longest]).items()
    ]
    skipped = database.rows(
        f"""SELECT row, reason FROM skipped WHERE file = {file} AND whole
        ORDER BY row, late LIMIT 1"""
    )
    samples += [
        RowSample(row, f"row {row:,} is skipped: {reason}", True)
        for row, reason in skipped
        if row not in first
    ]
    return sorted(samples, key=lambda sample: sample.number)


def _find_first_rows(database: Database, file: int, n: int) -> list[int]:
    """Return the first rows with votes, each outcome once first; else with scores, or texts."""
    for query in (
        f"""FROM (SELECT row, arg_min(coalesce(outcome, ''), nth) AS outcome FROM votes
                WHERE file = {file} AND copy = 0 GROUP BY row)
            ORDER BY row_number() OVER (PARTITION BY outcome ORDER BY row) > 1, row""",
        f"FROM (SELECT DISTINCT row FROM scores WHERE file = {file}) ORDER BY row",
        f"FROM (SELECT DISTINCT row FROM {_texts_of(file)}) ORDER BY row",
    ):
        if rows := database.rows(f"SELECT row {query} LIMIT {n}"):
            return [row for (row,) in rows]
    return []


def _texts_of(file: int) -> str:
    return (
        f"entries e JOIN named n USING (nth) WHERE file = {file} AND sort = 'text' "
        f"AND text IS NOT NULL AND {USED}"
    )


_VOTE = ("system_a", "system_b", "judge", "attribute", "raw", "item", "times", "pending", "outcome")
_SCORE = ("judge", "system", "value", "attribute", "item")


def _say_rows(database: Database, file: int, rows: Sequence[int]) -> dict[int, str]:
    listed = f"row IN ({', '.join(map(str, rows)) or -1})"
    of = f"file = {file} AND {listed}"

    def find(columns: Sequence[str], table: str, most: int) -> dict[int, list[tuple[Any, ...]]]:
        found = defaultdict[int, list[tuple[Any, ...]]](list)
        for row, *cells in database.rows(
            f"""SELECT row, {", ".join(columns)} FROM {table}
            QUALIFY row_number() OVER (PARTITION BY row ORDER BY nth) <= {most} ORDER BY nth"""
        ):
            found[row].append(tuple(cells))
        return found

    said = {
        row: f"{'; '.join(map(_say_vote, votes))}{_say_item(votes[0][_VOTE.index('item')])}"
        for row, votes in find(_VOTE, f"votes WHERE {of} AND copy = 0", PARTS).items()
    }
    if len(said) < len(rows):
        scores = find(_SCORE, f"scores WHERE {of}", 1)
        said = {row: _say_score(*of_row[0]) for row, of_row in scores.items()} | said
    if len(said) < len(rows):
        shown = "system", f"left(text, {LONG + 1})", "n.item"
        texts = find(shown, f"{_texts_of(file)} AND {listed}", 1)
        said = {row: _say_text(*of_row[0]) for row, of_row in texts.items()} | said
    return said


def _say_score(judge: str, system: str, value: float | None, attribute: str, item: str) -> str:
    mark = "no number" if value is None else f"{value:g}"
    return f"{judge} gave *{system}* {mark} for {attribute}{_say_item(item)}"


def _say_text(system: str, text: str, item: str) -> str:
    cut = " ".join(text[:LONG].split()) + " …" * (len(text) > LONG)
    return f"*{system}* wrote “{cut}”{_say_item(item)}"


_SAID = {
    Outcome.A: "preferred {0} to {1}",
    Outcome.B: "preferred {1} to {0}",
    Outcome.TIE: "found {0} and {1} equally good",
    Outcome.BOTH_BAD: "found {0} and {1} both bad",
    None: "gave no answer about {0} and {1}",
}


def _say_vote(cells: Sequence[Any]) -> str:
    vote = dict(zip(_VOTE, cells, strict=True))
    first, second = f"*{vote['system_a']}*", f"*{vote['system_b']}*"
    attribute = f" for {vote['attribute']}" if vote["attribute"] != OVERALL else ""
    times = f" {vote['times']:,} times" if vote["times"] > 1 else ""
    if vote["pending"]:
        return f"{first} and {second} are to be compared{attribute}"
    said = _SAID[vote["outcome"]].format(first, second)
    raw = f": “{vote['raw'][:LONG]}”" if vote["raw"] and not vote["outcome"] else ""
    return f"{vote['judge']} {said}{attribute}{raw}{times}"


def _say_item(key: str) -> str:
    is_made_up = key.startswith("context-") and len(key) == len("context-") + 32
    return "" if is_made_up else f" (item {key if len(key) <= LONG else key[:LONG] + '…'})"
