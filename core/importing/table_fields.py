"""The columns of a table, matched by name to the fields they fill."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from ..records import Kind, TandemError, option_ref
from .account import split_words
from .answer_columns import find_answers, match_winner_and_loser
from .cells import as_bool, as_kind, as_mark, quote_value
from .column_names import ANSWER, PAIRS, SYNONYMS, VERSUS, normalise_name
from .joint_columns import (
    comes_with_most,
    find_flags,
    find_nested_sides,
    find_object,
    find_orders,
    has_opponent,
    holds_texts,
    is_named,
    list_prompt_parts,
    pair_columns,
    split_columns,
)
from .raters import MODEL, PERSON
from .source import Source
from .values import find_value, split_column

ECHO = 200  # characters of a header that a sentence repeats
LOOKED_AT = 20  # first rows in which a path must lead somewhere

PATTERNS = (
    "score:ATTRIBUTE", "score:RATER:ATTRIBUTE", "winner:JUDGE", "attribute:NAME", "system:NAME",
)  # fmt: skip
"""Fields that a mapping, or a column's own name, makes."""
OF_ITEM = ("item", "context", "reference", "subset", "family", "sample")
TEXTS = ("context", "text", "text_a", "text_b")
"""Fields that may hold a conversation."""


def match_columns(source: Source) -> dict[str, str]:
    """Return field -> column of this file: by the mapping, else by name or synonym.

    A field mapped to '' is absent, even if a column has its name. Raises TandemError when a mapping
    names a field or a column that does not exist.
    """
    _check_mapping(source)
    by_name = _index_columns(source)
    nested = find_nested_sides(source, by_name)
    if nested:
        sides = {path.rpartition(".")[0] for path in nested.values()}
        by_name = _open_objects(source, by_name, sides)
        lists = {split_column(path, source.columns)[0] for path in nested.values()}
        by_name = {name: column for name, column in by_name.items() if column not in lists}
    found = nested | {name: column for name, column in source.mapping.items() if column}
    unpaired = [pair for pair in PAIRS if not set(pair) & {*source.mapping, *nested}]
    for pair in unpaired:
        found.update(pair_columns(pair, by_name, set(found.values())))
    if _has_texts_alone(source, found):
        del found["system_a"], found["system_b"]
    if not {"system_a", "system_b", "text_a", "text_b"} & {*source.mapping, *nested}:
        found = _tell_texts(source, found)
    found.update(match_winner_and_loser(source, found, by_name))
    if (question := by_name.get("question")) and _asks_about_answers(source, found, by_name):
        found["attribute"] = question
    settled = {*found, *source.mapping, *chain(*unpaired)}
    if len(likely_winners(source)) > 1:
        settled.add("winner")  # which of them is for a person to say
    for name in SYNONYMS:
        taken = {part for column in found.values() for part in split_columns(source, column)}
        free = [each for each in _find_columns(name, by_name) if each not in taken]
        if name == "shown_first":  # left beside right holds a text of its own, say
            free = [each for each in free if not _has_right(each, by_name)]
        if name == "systems":  # a column `pair` may also number them
            lone = source.find_columns((each, _joins_none) for each in free if each != name)
            free = [each for each in free if each not in lone]
        if name == "context" and name not in settled:
            others = [by_name["text"]] if "text" in by_name and "text_a" in found else free
            parts = list_prompt_parts(free)  # where none has its name, a text that no side has
            free = ["+".join(parts)] if parts else others
        if free and name not in settled and (name != "wins_tie" or "wins_a" in found):
            found[name] = free[0]
    subset = found.get("subset")
    if subset and any(isinstance(row.get(subset), list | dict) for row in source.cells(LOOKED_AT)):
        del found["subset"]  # lists name no part of the data set
    found.update(_questions(source, found))  # before any of these is taken for the one answer
    found = _find_answers_of_sides(source, found, by_name)
    if len(answers := find_answers(source, found)) == 1:
        found = {name: column for name, column in found.items() if column not in answers}
        found |= find_orders(answers) or {"winner": answers[0]}
    taken = set(found.values())
    for column in source.columns:
        if column not in taken and re.match("(score|winner|attribute):.", column):
            found[column] = column
    if not any(name.startswith(("winner", "attribute")) for name in {*found, *source.mapping}):
        found.update(_find_judged(by_name))
    if any(name.startswith("winner:") for name in found) and "winner" not in source.mapping:
        found.pop("winner", None)  # it may sum up what each of them said
    optional = {
        column: name
        for name, column in found.items()
        if name in UNFIT and name not in source.mapping and (name, column) != ("prob_a", "prob_a")
    }
    unfit = source.find_columns((column, UNFIT[name]) for column, name in optional.items())
    for column, value in unfit.items():
        name = optional[column]
        del found[name]
        source.tally.notes[
            f"column {column[:ECHO]!r} is not used: {quote_value(value)} is no {name}; "
            f"{option_ref('map')} {name}={column} says that it is"
        ] = None
    return found


def _tell_texts(source: Source, found: dict[str, str]) -> dict[str, str]:
    sides = {name: found[name] for name in ("system_a", "system_b") if name in found}
    is_open = len(sides) == 2 and not {"text_a", "conversation_a"} & set(found)
    if not is_open or not all(holds_texts(source, column) for column in sides.values()):
        return found
    texts = {name.replace("system", "text"): column for name, column in sides.items()}
    return {name: column for name, column in found.items() if name not in sides} | texts


def _find_answers_of_sides(
    source: Source, found: dict[str, str], by_name: Mapping[str, str]
) -> dict[str, str]:
    sides = {"system_a", "text_a", "systems"} & set(found) or len(source.systems) == 2
    others = {"winner", "winner_a", "rank", "shown_first", "swapped"} & {*found, *source.mapping}
    if not sides or any(re.match("(winner|attribute):", name) for name in found):
        return found
    orders = find_orders(each for each in source.columns if ANSWER.search(split_words(each)))
    first = orders.get("winner")
    if first and others <= {"winner"} and found.get("winner") in (None, first):
        return found | (orders if "winner" not in source.mapping else {})
    flags = {} if others - {"shown_first", "swapped"} else find_flags(source, found)
    if "winner_a" in flags:
        found = {name: column for name, column in found.items() if not name.startswith("wins")}
    if has_opponent(found) and not flags and "wins" in by_name:  # those of the row's own system
        flags = {"wins_a": by_name["wins"]}
    return found if "wins_a" in found else found | flags


def find_older_prompt(source: Source) -> str:
    """Return the column that version 1.0 took for the whole prompt."""
    by_name = _index_columns(source)
    free = [
        each for each in _find_columns("context", by_name) if each not in source.mapping.values()
    ]
    return source.mapping.get("context", next(iter(free), ""))


def is_newly_asked(source: Source, column: str) -> bool:
    """Return whether version 1.0 did not take this column for the attribute."""
    is_said = "attribute" in source.mapping
    return not is_said and is_named(column, ("metric", "question"))


def _asks_about_answers(
    source: Source, found: Mapping[str, str], by_name: Mapping[str, str]
) -> bool:
    """Return whether the column `question` asks the judge, and is no part of the prompt."""
    is_said = {"attribute", "winner:"} & {*found, *(name[:7] for name in source.mapping)}
    if is_said or _find_columns("attribute", by_name) or not {"system_a", "text_a"} & set(found):
        return False
    question, mapped = by_name["question"], source.mapping
    names = {"prompt", "query", "item", *SYNONYMS["item"]} & set(by_name)
    keys = {*(by_name[name] for name in names), mapped.get("item"), mapped.get("context")}
    others = sorted(key for key in keys if key and key in source.columns)
    if not others or question in mapped.values() or not source.path.exists():
        return False
    changed = source.path.stat()
    where = source.path, source.encoding, source.sheet
    return comes_with_most(where, question, (*others,), (changed.st_mtime_ns, changed.st_size))


def _raises(read: Callable[[Any], object]) -> Callable[[Any], bool]:
    def is_unfit(value: object) -> bool:
        with suppress(ValueError):
            read(value)
            return False
        return True

    return is_unfit


def _joins_none(value: object) -> bool:
    return not re.search(VERSUS, str(value), re.IGNORECASE)


_is_no_number = _raises(as_mark)
_is_no_flag = _raises(lambda value: as_bool(value, ""))
UNFIT: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("strength", "confidence", "seconds", "sample_a", "sample_b"), _is_no_number),
    **dict.fromkeys(("swapped", "order_known", "winner_tie"), _is_no_flag),
    "prob_a": lambda value: _is_no_number(value) or not 0 < as_mark(value) < 1,
    "judge_kind": _raises(lambda value: as_kind(value, Kind.HUMAN)),
    "shown_first": lambda value: str(value).strip().isdigit(),
}
"""Optional fields -> whether a cell has another meaning, as a number is no side."""


def _open_objects(
    source: Source, by_name: Mapping[str, str], sides: Collection[str]
) -> dict[str, str]:
    """Return the columns by their names, and what objects hold by its keys; columns go first."""
    objects = {name: value for name in source.columns if (value := find_object(source, name))}
    inside = {
        normalise_name(key): f"{name}.{key}"
        for name in objects
        if name not in sides
        for key in objects[name]
    }
    return inside | {name: each for name, each in by_name.items() if each not in objects}


def _find_judged(by_name: Mapping[str, str]) -> dict[str, str]:
    for answer in map(normalise_name, ("winner", "pref", *SYNONYMS["winner"])):
        ends = [each for each in by_name if each.startswith(answer) or each.endswith(answer)]
        judges = {each.removeprefix(answer).removesuffix(answer): by_name[each] for each in ends}
        if any(map(PERSON.fullmatch, judges)) and any(map(MODEL.fullmatch, judges)):
            return {f"winner:{judge}": column for judge, column in judges.items() if judge}
    return {}


def _index_columns(source: Source) -> dict[str, str]:
    """Return the columns by their normalised names; of two that are alike, the plainer one. MTurk
    puts `Input.` or `Answer.` before each name that the requester gave.
    """
    columns = sorted(source.columns, key=lambda column: (column == column.casefold(), column))
    names = {normalise_name(column): column for column in columns}
    if "hitid" not in names:
        return names
    own = {re.sub(r"^(input|answer)\.", "", column.casefold()): column for column in columns}
    return {**{normalise_name(name): column for name, column in own.items()}, **names}


def _questions(source: Source, found: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that answer a question each, as PKU-SafeRLHF has them."""
    said = {"winner", "attribute"} & {name.split(":")[0] for name in source.mapping}
    if said or (found.get("text_a"), found.get("text_b")) != ("response_0", "response_1"):
        return {}
    answers = (re.fullmatch(r"(\w+)_response_id", column) for column in source.columns)
    return {f"attribute:{match[1]}": match[0] for match in answers if match}


def _has_texts_alone(source: Source, found: Mapping[str, str]) -> bool:
    """Return whether a table has only two systems' texts, and nobody chose between them."""
    pair = {found.get("system_a"), found.get("system_b")}
    if None in pair or {"system_a", "system_b"} & set(source.mapping):
        return False
    others = {normalise_name(column) for column in source.columns if column not in pair}
    names = {normalise_name(each) for name in OF_ITEM for each in (name, *SYNONYMS[name])}
    return bool(others) and others <= names and not source.systems


def likely_winners(source: Source) -> list[str]:
    """Return the columns that may name the winner by what they are called, where none says it
    plainly and no mapping does.
    """
    by_name = _index_columns(source)
    if "winner" in by_name or "winner" in source.mapping:
        return []
    mapped = {*source.mapping.values(), *source.unused}
    return [column for column in _find_columns("winner", by_name) if column not in mapped]


def _check_mapping(source: Source) -> None:
    patterns = "|".join({pattern.partition(":")[0] for pattern in PATTERNS})
    for name, column in source.mapping.items():
        if name not in SYNONYMS and not re.match(f"({patterns}):.", name):
            raise TandemError(
                f"{option_ref('map')} names an unknown field {name!r}; the fields are "
                f"{', '.join((*SYNONYMS, *PATTERNS))}"
            )
        parts = split_columns(source, column) if name == "context" else [column]
        lost = [
            part for part in filter(None, parts)
            if part not in source.columns
            and all(find_value(cells, part) is None for cells in source.cells(LOOKED_AT))
        ]  # fmt: skip
        if lost:
            raise TandemError(
                f"{option_ref('map')} {name}={lost[0]}: {source.path.name} has no such column; it "
                f"has {list_names(source.columns)}"
            )


def _find_columns(name: str, by_name: Mapping[str, str]) -> list[str]:
    names = dict.fromkeys(map(normalise_name, (name, *SYNONYMS[name])))
    return [by_name[each] for each in names if each in by_name]


def _has_right(column: str, by_name: Mapping[str, str]) -> bool:
    name = normalise_name(column)
    return "left" in name and name.replace("left", "right") in by_name


def list_names(names: Iterable[str]) -> str:
    """Join names for a sentence: as many as fit into ECHO characters, at least one, cut there."""
    every = list(names)
    shown = 1
    while shown < min(12, len(every)) and len(", ".join(every[: shown + 1])) <= ECHO:
        shown += 1
    text = ", ".join(every[:shown])
    cut = text if len(text) <= ECHO else text[:ECHO] + "..."
    return cut + (f" and {len(every) - shown} more" if len(every) > shown else "")
