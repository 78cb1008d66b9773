"""The columns that say who won, by their names and by what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .account import MOST, WATCHED, are_answers, split_words
from .cells import Cells
from .codes import decimal
from .column_names import ANSWER, CHOSEN, DRAWS, WINNERS_LOSERS, normalise_name
from .joint_columns import list_own_words, split_columns
from .source import Source
from .values import find_value


def find_answers(source: Source, found: Mapping[str, str]) -> list[str]:
    """Return the columns that are named like answers and hold words for sides or the systems of
    their rows, or numbers. Of texts and references that are named so, too.
    """
    asked = {name.partition(":")[0] for name in found}
    sides = {"system_a", "text_a", "systems"} & asked or len(source.systems) == 2
    if {"winner", "winner_a", "wins_a", "rank", "attribute", "failure"} & asked or not sides:
        return []
    free = _list_free(source, found)
    sided = {column for pair in _list_sided(source) for column in pair}
    named = [
        column for column in free if ANSWER.search(split_words(column)) and column not in sided
    ]
    rows = list(source.cells(WATCHED)) if named else []
    return [column for column in named if _hold_answers(source, found, column, rows)]


def find_words(source: Source, found: Mapping[str, str]) -> list[str]:
    """Return the columns, whatever they are called, that hold words for sides or the systems of
    their rows: those of several people or questions, where no column names the winner.
    """
    rows = list(source.cells(WATCHED))
    return [
        column
        for column in _list_free(source, found)
        if not all(decimal(str(row.get(column) or "0")) is not None for row in rows)
        and _hold_answers(source, found, column, rows)
    ]


def _list_free(source: Source, found: Mapping[str, str]) -> list[str]:
    taken = {
        part
        for name, column in found.items()
        if name not in ("text", "reference")
        for part in split_columns(source, column)
    }
    return [column for column in source.columns if column not in {*taken, *source.unused}]


def _list_sided(source: Source) -> Iterator[tuple[str, str]]:
    """Yield columns that hold the same of either side; a third one is of several people."""
    by_name = source.by_name
    for name, column in by_name.items():
        for first, second, third in ("abc", "123"):
            others = [by_name.get(name[:-1] + end) for end in (second, third)]
            if name.endswith(first) and others[0] and not others[1]:
                yield column, others[0]


def _hold_answers(
    source: Source, found: Mapping[str, str], column: str, rows: Iterable[Cells]
) -> bool:
    sides = [found[name] for name in ("system_a", "system_b", "text_a", "text_b") if name in found]
    cells = [(row, str(row[column]).strip()) for row in rows if row.get(column) not in (None, "")]
    numbers = {decimal(value) for _, value in cells}
    if None not in numbers:
        return 1 < len(numbers) <= MOST and all(map(float.is_integer, filter(None, numbers)))
    own = list_own_words(found)
    return bool(cells) and all(
        value.casefold() in own
        or are_answers(
            [value], [*sides, *source.systems, *(str(find_value(row, side)) for side in sides)]
        )
        for row, value in cells
    )


def match_winner_and_loser(
    source: Source, found: Mapping[str, str], by_name: Mapping[str, str]
) -> dict[str, str]:
    """Return the fields of a table whose columns are the winner and the loser, which are its
    systems; and of the winner where a mapping named these columns as the systems.
    """
    mapped, systems = source.mapping, ("system_a", "system_b")
    texts = {"text_a", "text_b", "conversation_a", "conversation_b"} & set(found)
    negated = (
        (name, CHOSEN.sub(rf"{no}\g<0>", name))
        for name in sorted(filter(CHOSEN.search, by_name))
        for no in ("not", "non", "un", "dis")
    )
    pairs = [
        (by_name[winner], by_name[loser])
        for winner, loser in (*WINNERS_LOSERS, *negated)
        if winner in by_name and loser in by_name
    ]
    named = {found[name] for name in systems if name in found}
    if named or {*systems, "systems"} & set(mapped):
        pairs = [pair for pair in pairs if set(pair) == named]
    elif texts or "systems" in by_name:
        pairs = []
    else:
        pairs = [pair for pair in pairs if mapped.get("winner") in (None, pair[0])]
    if not pairs or any(name.startswith("winner:") for name in mapped):
        return {}
    fields = {"winner": pairs[0][0], **dict(zip(systems, pairs[0], strict=True))}
    draws = [by_name[name] for name in map(normalise_name, DRAWS) if name in by_name]
    if draws:
        fields["winner_tie"] = draws[0]
    kept = {*mapped, *(systems if named else ())}
    return {name: column for name, column in fields.items() if name not in kept}
