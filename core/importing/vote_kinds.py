"""Kinds of rows in SQL: rows are of one kind if they are alike in all that decides what their votes
mean.

What a reader only checks is brought down to what the check looks at: whether a number is one,
whether an item is named, which side's text the winner repeats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .database import literal
from .layouts.votes import DECIDING, TURN, Votes
from .vote_tables import VoteTable
from .vote_words import FLAGS

WHITE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}]"  # as core.importing.names has it
SOMEBODY = "-"  # where it matters just that there is something
PLAIN = (*DECIDING, "judge_kind", "attribute")
"""Fields that are taken as they stand there."""
FINITE = "isfinite({value})"
COUNTED = "isfinite({value}) AND {value} >= 0 AND {value} = trunc({value})"
NUMBERS = {
    **dict.fromkeys(("strength", "confidence", "seconds"), FINITE),
    **dict.fromkeys(("sample_a", "sample_b"), COUNTED),
}
"""Fields that hold numbers of no consequence -> when one can be used."""


class RowKeys(NamedTuple):
    """Keys of a kind of row, in SQL: what a reader is shown of each column, and what is the same
    in all rows of the kind.
    """

    shown: dict[str, str]
    same: list[str]


def list_keys(
    table: VoteTable, reader: Votes, judges: Sequence[str], *, has_subsets: bool = False
) -> RowKeys:
    """List the keys that decide what the rows of a table mean.

    `judges` are those that matter by name, others are SOMEBODY; `has_subsets` is whether subsets
    distinguish items.
    """
    fields = table.fields
    plain = [*PLAIN, *reader.asked, *["subset"] * has_subsets]
    keys = {fields[name]: table.column(name) for name in plain if name in fields}
    if set(table.source.columns) >= TURN:
        keys["turn"] = table.column_sql("turn")
    reduced = {column: _render_side_sql(table, column) for column in reader.words.places}
    keys = {**reduced, **dict(_reduce_fields(table, judges)), **keys}
    keys |= {column: table.column_sql(column) for column in keys if table.is_nested(column)}
    probability = fields.get("prob_a", "")
    if not probability or probability in keys:
        return RowKeys(keys, [*keys.values()])
    cell = table.column("prob_a")  # the reader is shown an example of it
    return RowKeys(
        {**keys, probability: f"any_value({cell})"}, [*keys.values(), _sort_probability(cell)]
    )


def _reduce_fields(table: VoteTable, judges: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns that matter in part only, each with an expression for that part."""
    for name, column in table.fields.items():
        cell = table.column(name)
        if name in ("judge", "item"):
            yield column, _name(cell, judges)
        elif name in NUMBERS:
            is_fine = NUMBERS[name].format(value=f"TRY_CAST({cell} AS DOUBLE)")
            yield column, f"CASE WHEN {is_fine} THEN '0' ELSE {cell} END"
        elif name in ("text_a", "text_b") and {"text_a", "text_b", "winner"} <= set(table.fields):
            yield column, _render_repeat_case(table, name)
        elif name in ("context", "prob_a") and table.is_nested(column):
            yield column, cell


def _name(cell: str, wanted: Sequence[str]) -> str:
    """Return SQL for whether a cell has a name. It is the name itself if that is wanted, or may
    not be a name.
    """
    names = ", ".join(map(literal, ("", *wanted)))
    return (
        f"CASE WHEN {cell} IN ({names}) OR regexp_matches({cell}, '{CONTROL}') THEN {cell} "
        f"ELSE {literal(SOMEBODY)} END"
    )


def _sort_probability(cell: str) -> str:
    """Return SQL for the side of 1/2 that a probability is on, or that it is out of range.

    A cell that is not a number is kept unchanged.
    """
    value = f"TRY_CAST({cell} AS DOUBLE)"
    side = f"CASE WHEN {value} BETWEEN 0 AND 1 THEN sign({value} - 0.5) ELSE 2 END"
    return f"CASE WHEN isfinite({value}) THEN CAST({side} AS VARCHAR) ELSE {cell} END"


def _render_side_sql(table: VoteTable, column: str) -> str:
    """Return SQL for the text of a cell if it may say who stood where."""
    text = _trim(table.column_sql(column))
    names = [_trim(table.column(name)) for name in ("system_a", "system_b") if name in table.fields]
    said = ", ".join([*map(literal, [*sorted(FLAGS), *table.source.systems]), *names])
    both = f" OR contains({table.column('systems')}, {text})" if "systems" in table.fields else ""
    return f"CASE WHEN lower({text}) IN ({said}) OR {text} IN ({said}){both} THEN {text} END"


def _render_repeat_case(table: VoteTable, side: str) -> str:
    """Return the winner, where it repeats the text of this side and not of the other."""
    first, second, winner = map(table.column, ("text_a", "text_b", "winner"))
    return (
        f"CASE WHEN {_trim(winner)} <> '' AND {_trim(first)} <> {_trim(second)} "
        f"AND {_trim(winner)} = {_trim(table.column(side))} THEN {winner} END"
    )


def _trim(cell: str) -> str:
    return f"trim({cell}, {literal(WHITE)})"
