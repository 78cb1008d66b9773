"""Rows of a file in words, as they will be stored: what a person checks before anything is
written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from core.importing.database import Database
from core.importing.staged_checks import USED
from core.records import Outcome

LONG = 60  # characters of a text
PARTS = 4  # of what a row says
FIRST, TIE, SKIPPED, LONGEST = "first", "tie", "skipped", "longest"


@dataclass(frozen=True)
class RowSample:
    """A row of a file: its number, in words what it says or the reason why it is skipped, and why
    it is shown: FIRST, TIE, SKIPPED or LONGEST.
    """

    number: int
    sentence: str
    why: str


def sample_rows(database: Database, file: int, n: int = 3) -> list[RowSample]:
    """Up to n rows of a file in words, such as "row 1: ann preferred *vicuna* to *alpaca*"; of
    votes, rows with different outcomes first. Besides the first row that is skipped, and the
    longest.
    """
    shown = _first_rows(database, file, n)
    others = [*_first_skipped(database, file), *_longest(database, file)]
    numbers = {sample.number for sample in shown}
    return sorted(
        [*shown, *(sample for sample in others if sample.number not in numbers)],
        key=lambda sample: sample.number,
    )


def _first_skipped(database: Database, file: int) -> list[RowSample]:
    rows = database.rows(
        f"""SELECT row, reason FROM skipped WHERE file = {file} AND whole
        ORDER BY row, late LIMIT 1"""
    )
    return [RowSample(row, f"row {row:,} is skipped: {reason}", SKIPPED) for row, reason in rows]


def _longest(database: Database, file: int) -> list[RowSample]:
    """The row with most text in it, where rows differ in that."""
    size = "sum(coalesce(length(e.text), 0) + coalesce(length(e.text_b), 0))"
    rows = database.rows(
        f"""SELECT row, {size} AS size FROM entries e WHERE file = {file} AND {USED}
        GROUP BY row HAVING size > 0 ORDER BY size DESC, row LIMIT 1"""
    )
    samples = (_first_rows(database, file, 1, f"AND row = {row}") for row, _ in rows)
    return [replace(sample, why=LONGEST) for several in samples for sample in several]


def _first_rows(database: Database, file: int, n: int, of: str = "") -> list[RowSample]:
    votes = database.rows(
        f"""SELECT row, {", ".join(_VOTE)} FROM votes WHERE file = {file} AND copy = 0 {of}
            AND part = (SELECT min(part) FROM votes v WHERE v.file = {file} AND v.row = votes.row)
        QUALIFY row_number() OVER (
            PARTITION BY coalesce(outcome, '') ORDER BY row, part) <= {n} ORDER BY row, part"""
    )
    if votes:
        return _of_votes(database, file, [(row, outcome) for row, *_, outcome in votes], n)
    scores = database.rows(
        f"""SELECT row, judge, system, value, attribute, item FROM scores WHERE file = {file} {of}
        QUALIFY row_number() OVER (PARTITION BY row ORDER BY part) = 1 ORDER BY row LIMIT {n}"""
    )
    if scores:
        return [RowSample(row, _say_score(row, *rest), FIRST) for row, *rest in scores]
    texts = database.rows(
        f"""SELECT e.row, e.system, left(e.text, {LONG + 1}), n.item FROM entries e
        JOIN named n USING (file, row, part)
        WHERE e.file = {file} AND e.sort = 'text' AND e.text IS NOT NULL AND {USED}
            {of.replace("row", "e.row")}
        QUALIFY row_number() OVER (PARTITION BY e.row ORDER BY e.part) = 1
        ORDER BY e.row LIMIT {n}"""
    )
    return [
        RowSample(row, f"row {row:,}: *{system}* wrote “{_cut(text)}” ({_item(item)})", FIRST)
        for row, system, text, item in texts
    ]


_VOTE = ("system_a", "system_b", "judge", "attribute", "raw", "item", "times", "pending", "outcome")


def _of_votes(
    database: Database, file: int, votes: list[tuple[int, str | None]], n: int
) -> list[RowSample]:
    """Rows with different outcomes first, in the order of the file, with all that they say."""
    first = {outcome: row for row, outcome in reversed(votes)}
    wanted = list(dict.fromkeys([*sorted(first.values()), *(row for row, _ in votes)]))[:n]
    samples = []
    for row in sorted(wanted):
        parts = database.rows(
            f"""SELECT {", ".join(_VOTE)} FROM votes
            WHERE file = {file} AND row = {row} AND copy = 0 ORDER BY part LIMIT {PARTS}"""
        )
        said = [dict(zip(_VOTE, part, strict=True)) for part in parts]
        why = TIE if said[0]["outcome"] == Outcome.TIE else FIRST
        sentence = "; ".join(map(_say_vote, said))
        samples.append(RowSample(row, f"row {row:,}: {sentence} ({_item(said[0]['item'])})", why))
    return samples


def _say_vote(vote: dict[str, Any]) -> str:
    first, second, judge = f"*{vote['system_a']}*", f"*{vote['system_b']}*", vote["judge"]
    attribute = f" for {vote['attribute']}" if vote["attribute"] != "overall" else ""
    times = f" {vote['times']:,} times" if vote["times"] > 1 else ""
    if vote["pending"]:
        return f"{first} and {second} are to be compared{attribute}"
    match vote["outcome"]:
        case Outcome.A:
            said = f"{judge} preferred {first} to {second}{attribute}"
        case Outcome.B:
            said = f"{judge} preferred {second} to {first}{attribute}"
        case Outcome.TIE:
            said = f"{judge} found {first} and {second} equally good{attribute}"
        case Outcome.BOTH_BAD:
            said = f"{judge} found {first} and {second} both bad{attribute}"
        case _:
            raw = f" “{vote['raw'][:LONG]}”" if vote["raw"] else ""
            said = f"{judge} gave no answer about {first} and {second}{attribute}:{raw}".rstrip(":")
    return said + times


def _say_score(
    row: int, judge: str, system: str, value: float | None, attribute: str, item: str
) -> str:
    mark = "no number" if value is None else f"{value:g}"
    return f"row {row:,}: {judge} gave *{system}* {mark} for {attribute} ({_item(item)})"


def _cut(text: str) -> str:
    return text if len(text) <= LONG else text[:LONG].rstrip() + " …"


def _item(key: str) -> str:
    return f"item {key if len(key) <= LONG else key[:LONG] + '…'}"
