"""Columns that say something together: the parts of a prompt; and of both sides an object a side, a
list of two, flags of who won, and answers in both orders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..records import Outcome, TandemError, option_ref
from . import files
from .account import MOST, WATCHED, split_words
from .cells import Row
from .column_names import DRAWS, PAIRS, PROMPT_PARTS, SYNONYMS, normalise_name
from .source import Source
from .values import parse_json
from .winners import SIDES, WINNERS, meaning_of

LOOKED_AT = 20  # first rows in which an object shows its keys
LISTS = {
    "text": ("completions", "responses", "outputs", "answers", "generations", "candidates",
             "texts", "summaries", "replies", "text", "response"),
    "system": ("models", "systems", "generators", "model_names", "system_names", "model", "system"),
}  # fmt: skip
"""What a column may be called that lists a text, or the name of a system, for each side."""
NAMED = {"system": ("name",), "text": ("content", "message")}
"""What keys of objects may be called besides the names of columns."""
FLAG = re.compile(
    r"(?:is|has|does|did)?(?:(?:prefers?|prefer|better|won)(?P<last>.+)|"
    r"(?P<first>.+?)(?:is|was|has)?(?:wins?|won|better|best|preferred|chosen|selected))"
)
OWN_FLAGS = ("win", "wins", "won", "is_win", "is_winner", "has_won", "victory")
"""Flags about the first of two systems, where the other is its opponent."""
OWN_WORDS: dict[str, Outcome] = {
    **dict.fromkeys(("win", "wins", "won", "w"), Outcome.A),
    **dict.fromkeys(("loss", "loses", "lost", "l", "lose", "losses", "defeat"), Outcome.B),
}
"""Words that say of a system whether it won against its opponent."""
COMPARED_WORDS = {"candidate": Outcome.A, "baseline": Outcome.B}
YES_NO: dict[str, int] = {
    **dict.fromkeys(("true", "1", "yes", "y", "t"), 0),
    **dict.fromkeys(("false", "0", "no", "n", "f"), 1),
}
ORDERS = re.compile(
    r"[-_ ](?:(?P<second>ba|swap(?:ped)?|revers(?:ed|e)|flipped|backward)|"
    r"(?P<first>ab|original|normal|forward))(?:[-_ ]?order)?$",
    re.IGNORECASE,
)
"""How the name of an answer ends that was given in one of two orders."""


def split_columns(source: Source, column: str) -> list[str]:
    """Return the columns, or paths, that make a prompt together: all of A+B, or a lone one."""
    return [column] if column in source.columns else column.split("+")


def join_parts(parts: Iterable[str | None]) -> str:
    """Return a prompt that is made of several texts; empty ones are left out."""
    return "\n\n".join(filter(None, parts))


def list_prompt_parts(columns: Iterable[str]) -> list[str]:
    """Return the columns that make the prompt by their names, in the order they are shown in."""
    columns = list(columns)
    return [column for words in PROMPT_PARTS for column in columns if is_named(column, words)]


def is_named(column: str, words: Iterable[str]) -> bool:
    """Return whether a column is called by one of these words."""
    return normalise_name(column) in map(normalise_name, words)


def check_prompt(source: Source, column: str) -> None:
    """Check that at most one column of a sort was found for the prompt. Raises TandemError."""
    parts = [] if "context" in source.mapping else split_columns(source, column)
    for words in PROMPT_PARTS:
        alike = [part for part in parts if is_named(part, words)]
        if len(alike) > 1:
            raise TandemError(
                f"columns {' and '.join(map(repr, alike))} of {source.path.name} may each be the "
                f"prompt, or make it together: choose with {option_ref('map')} context={alike[0]}, "
                f"or {option_ref('map')} context={'+'.join(parts)}"
            )


@lru_cache(maxsize=64)
def comes_with_most(
    where: tuple[Path, str, str], column: str, others: tuple[str, ...], changed: tuple[int, int]
) -> bool:
    """Return whether each of a few values of a column comes with several of the `others`, and most
    of these with several values; cached until the file has `changed`.
    """
    path, encoding, sheet = where
    pairs, values = set[tuple[str, str]](), set[str]()
    for row in files.rows(path, encoding=encoding, sheet=sheet):
        if not isinstance(row, Row):
            continue
        values.add(str(row.cells.get(column)))
        pairs |= {(str(row.cells.get(column)), str(row.cells.get(other))) for other in others}
        if len(values) > MOST:
            return False
    by_value, by_other = (Counter(pair[place] for pair in pairs) for place in (0, 1))
    several = sum(number > 1 for number in by_other.values())
    return 1 < len(values) < len(by_other) < 2 * several and min(by_value.values()) > 1


def find_nested_sides(source: Source, by_name: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of two objects a row, one a side, such as `response_1` with its `model` and
    `text`; or of the two in a list, such as `completions`.
    """
    if {"system_a", "system_b", "text_a", "text_b", "systems"} & set(source.mapping):
        return {}
    for pair in PAIRS[1::-1]:
        sides = list(pair_columns(pair, by_name, set()).values())
        if sides and len(source.find_columns((side, _is_object) for side in sides)) == len(sides):
            return _open_sides(sides, [find_object(source, side) for side in sides])
    return _find_lists(source, by_name)


def _open_sides(sides: list[str], objects: list[dict[str, object]]) -> dict[str, str]:
    keys = [key for key in objects[0] if key in objects[1]]
    return {
        f"{field}_{end}": f"{side}.{key}"
        for field, words in NAMED.items()
        for names in [(field, *SYNONYMS[field], *words)]
        for key in [key for word in names for key in keys if is_named(key, (word,))][:1]
        for end, side in zip("ab", sides, strict=True)
    }


def _find_lists(source: Source, by_name: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of columns that list two texts, or two systems, in each row."""
    columns = [(field, by_name[normalise_name(name)]) for field, names in LISTS.items()
               for name in names if normalise_name(name) in by_name]  # fmt: skip
    lists = source.find_columns((column, _is_pair) for _, column in columns)
    found: dict[str, str] = {}
    for field, column in columns:
        if column not in lists or f"{field}_a" in found or column in source.mapping.values():
            continue
        sides = [f"{column}.{place}" for place in (0, 1)]
        first = next(row[column] for row in source.cells() if row.get(column))
        pair: Any = parse_json(first) if isinstance(first, str) else first
        if all(map(_is_object, pair)):
            found |= _open_sides(sides, pair)
        else:
            found |= {f"{field}_{end}": side for end, side in zip("ab", sides, strict=True)}
    is_of_one = not any("system" in field for field in found) and any(
        normalise_name(name) in by_name for name in ("system", *SYNONYMS["system"])
    )
    return {} if is_of_one else found


def _is_pair(value: object) -> bool:
    value = parse_json(value) if isinstance(value, str) else value
    return isinstance(value, list) and len(value) == 2


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def find_object(source: Source, column: str) -> dict[str, object]:
    """Return the first object in a column, among the first rows; an empty one without any."""
    cells = (row.get(column) for row in source.cells(LOOKED_AT))
    return next((cell for cell in cells if isinstance(cell, dict)), {})


DRAWN = (*DRAWS, *SYNONYMS["wins_tie"])
_NEXT = {"b": "c", "1": "2", "2": "3"}
"""The last sign of the second of two columns -> that of a third one."""


def pair_columns(
    pair: tuple[str, str], by_name: Mapping[str, str], taken: set[str]
) -> dict[str, str]:
    """Return the columns of two fields that belong together: of one sort, such as model_a and
    model_b, since model_a and right may be of two minds.
    """
    for names in zip(*((name, *SYNONYMS[name]) for name in pair), strict=True):
        columns = [by_name[name] for name in map(normalise_name, names) if name in by_name]
        last = normalise_name(names[1])
        third = last[:-1] + _NEXT.get(last[-1], "")
        if len(columns) == 2 and not taken & set(columns) and third not in by_name:
            return dict(zip(pair, columns, strict=True))
    return {}


def has_opponent(found: Mapping[str, str]) -> bool:
    """Return whether the second system is the opponent of the first, which a row is about."""
    return normalise_name(found.get("system_b", "")).startswith("opponent")


def list_own_words(found: Mapping[str, str]) -> Mapping[str, Outcome]:
    """Return the words that say who won by what the second column is called: an opponent, or a
    baseline, as Vertex AI has them.
    """
    seconds = [found.get(name, "") for name in ("system_b", "text_b")]
    is_compared = any("baseline" in normalise_name(column) for column in seconds)
    return OWN_WORDS if has_opponent(found) else COMPARED_WORDS if is_compared else {}


def find_flag_side(column: str, found: Mapping[str, str]) -> Outcome | None:
    """Return the side that won where a flag says yes, by the name of its column, such as
    model_a_wins; None where it names none. `found` are the columns of the sides.
    """
    name = normalise_name(column)
    if has_opponent(found) and name in map(normalise_name, OWN_FLAGS):
        return Outcome.A
    sides = {
        normalise_name(found[f"{sort}_{end}"]): side
        for sort in ("system", "text")
        for end, side in zip("ab", SIDES, strict=True)
        if f"{sort}_{end}" in found
    }
    match = FLAG.fullmatch(name)
    side = {**WINNERS, **sides}.get(match["last"] or match["first"]) if match else None
    return side if isinstance(side, Outcome) and side in SIDES else None


def find_flags(source: Source, found: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of columns that say yes or no of a side: that it won. One alone is the
    winner, and its no is the other side.
    """
    named = {
        column: side
        for column in source.columns
        if (side := find_flag_side(column, found)) and column not in source.unused
    }
    flags = source.find_columns((column, _is_flag) for column in named)
    columns = {side: [each for each in flags if named[each] is side] for side in SIDES}
    numbers = [len(columns[side]) for side in SIDES]
    free = [each for each in source.columns if is_named(each, DRAWN)]
    ties = [*source.find_columns((each, _is_flag) for each in free)]
    fields = {"winner_tie": ties[0]} if ties else {}
    if numbers == [0, 0]:  # a tie may stand in the place of yes and no
        graded = source.find_columns((column, _is_graded_flag) for column in named)
        return {"winner": next(iter(graded))} if len(graded) == 1 else {}
    if numbers == [1, 1]:
        return fields | {"winner_a": columns[SIDES[0]][0], "winner_b": columns[SIDES[1]][0]}
    return fields | {"winner": next(iter(flags))} if sum(numbers) == 1 else {}


def _is_flag(value: object) -> bool:
    return str(value).strip().removesuffix(".0").casefold() in YES_NO


def _is_graded_flag(value: object) -> bool:
    meaning = meaning_of(str(value))
    return _is_flag(value) or (meaning is not None and meaning.outcome not in SIDES)


def holds_texts(source: Source, column: str) -> bool:
    """Return whether the first cells of a column are texts, and no names: most are different, and
    of several words.
    """
    cells = [str(row.get(column) or "").strip() for row in source.cells(WATCHED)]
    words = [len(cell.split()) for cell in cells if cell]
    return bool(words) and 2 * len(set(cells)) > len(cells) and sorted(words)[len(words) // 2] > 3


def find_orders(columns: Iterable[str]) -> dict[str, str]:
    """Return the fields of two answers about a pair: as its row has it, and with the second system
    shown first, or of the latter alone; nothing where several columns may be either.
    """
    found: dict[str, list[tuple[str, str]]] = {"winner": [], "winner_swapped": []}
    for column in columns:
        name = split_words(column)
        match = ORDERS.search(name)
        field = "winner_swapped" if match and match["second"] else "winner"
        found[field].append((normalise_name(ORDERS.sub("", name)), column))
    (stem, swapped), *others = found["winner_swapped"] or [("", "")]
    first = [column for each, column in found["winner"] if each == stem]
    if swapped and not (others or found["winner"]):
        return {"winner_swapped": swapped}
    return {} if others or len(first) != 1 else {"winner": first[0], "winner_swapped": swapped}
