"""What an entry says, as values of the columns of `entries`. Each function reads some fields of an
entry, and raises ValueError where they say nothing that can be stored.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from core.importing.cells import as_kind, as_mark, as_references, as_stated_time, as_text, as_whole
from core.importing.cells import digest_bytes as digest
from core.importing.entry import IN_ORDER, ITEM, SCORE, TEXT, Entry
from core.importing.layout import Source
from core.importing.names import check_name
from core.importing.winners import WINNERS, side_key, word
from core.moments import date_parts, parse_moment
from core.records import Kind, Outcome

LONG = 100  # characters of a text that is no word for a side
LONG_TEXT = "\ue000"
"""Stands for a winner that repeats a long text: no word, nor a system's name."""
SMALL = frozenset(("-1", "0", "1", "2"))  # numbers that people write for sides and ties
NOT_A_NUMBER = "not-a-number"
NUMBERS = ("prob_a", "strength", "confidence", "seconds")
REMARKS = ("comment", "raw", "failure")


class VoteKind(NamedTuple):
    """What of a vote decides who won. `repeats` is the side whose text the winner repeats; of texts
    that are short enough to be words, `texts` has both.
    """

    field: str
    winner: str
    system_a: str
    system_b: str
    repeats: str = ""
    texts: tuple[str, str] | None = None
    shown_first: str = ""
    swapped: bool = False
    order_known: bool = True
    place_hint: str = ""
    outcome: Outcome | None = None  # where the layout says it
    strength: float | None = None


def read_values(entry: Entry, source: Source) -> dict[str, Any]:
    """All that an entry says; `kind` of a vote is its VoteKind."""
    sort = entry["sort"]
    values = {"sort": sort, **_read_about(entry)}
    if sort == ITEM:
        return values
    if sort == TEXT:
        values |= {"system": name_of(entry, "system"), "base": entry.get("base") or ""}
        values |= read_side(entry, "", "")
        values["unique"] = entry.get("unique")
        return values
    if sort == SCORE:
        about = read_judge(entry, source)
        return {**values, "system": name_of(entry, "system"), **about, **_read_score(entry)}
    vote, kind = read_vote(source, entry)
    sides = {**read_side(entry, "_a", ""), **read_side(entry, "_b", "_b")}
    return {**values, **vote, "kind": kind, **sides}


def _read_about(entry: Entry) -> dict[str, Any]:
    """Which item an entry is about."""
    values = {**read_item(entry), **read_subset(entry), **read_family(entry)}
    if "reference" in entry:
        values |= read_reference(entry)
    values |= read_context(entry)
    for name in ("named_by", "fallback_item", "older_item"):
        if entry.get(name):
            values[name] = entry[name]
    return values


def read_item(entry: Entry) -> dict[str, Any]:
    """The name of an item; '' where it has none."""
    item = as_text(entry.get("item")) or ""
    check_name(item)
    return {"item": item}


def read_subset(entry: Entry) -> dict[str, Any]:
    return {"subset": _read_name(entry.get("subset"))}


def read_family(entry: Entry) -> dict[str, Any]:
    return {"family": _read_name(entry.get("family"))}


def read_reference(entry: Entry) -> dict[str, Any]:
    """The references of an item as a list in JSON."""
    references = as_references(entry.get("reference"))
    return {"reference": json.dumps(references, ensure_ascii=False)} if references else {}


def read_context(entry: Entry) -> dict[str, Any]:
    context = as_text(entry.get("context")) or ""
    return {"context": context, "context_id": _digest_context(context)} if context else {}


_digest_context = lru_cache(1)(digest)  # rows of one item often follow each other


def read_side(entry: Entry, side: str, column: str) -> dict[str, Any]:
    """The text of a side and its sample; NULL where the text decides it."""
    text, given = as_text(entry.get(f"text{side}")), entry.get(f"sample{side}")
    sample = None if given is None or given == "" else given
    if sample is not None and sample != IN_ORDER:
        sample = as_whole(sample, f"sample{side}")
    values: dict[str, Any] = {f"sample{column}": 0 if text is None and not sample else sample}
    if text is not None:
        values |= {f"text{column}": text, f"text{column}_id": digest(text)}
    return values


def read_vote(source: Source, entry: Entry) -> tuple[dict[str, Any], VoteKind]:
    """What a vote says besides its texts, and its kind."""
    first, second = name_of(entry, "system_a"), name_of(entry, "system_b")
    if first == second:
        raise ValueError(f"compares {first!r} with itself")
    values = read_judge(entry, source) | read_numbers(entry) | read_time(entry, source)
    values |= read_remarks(entry)
    if entry.get("times") is not None:
        values["times"] = as_whole(entry["times"], "times")
    for name in ("ranking", "pending", "once"):
        if name in entry:
            values[name] = entry[name]
    return values, _kind_of(entry, first, second)


def read_numbers(entry: Entry) -> dict[str, Any]:
    """The numbers of a vote that it has."""
    values: dict[str, Any] = {}
    for name in NUMBERS:
        if name in entry and (given := entry[name]) is not None and given != "":
            values[name] = given if isinstance(given, float) else as_mark(given, name)
    probability = values.get("prob_a")
    if probability is not None and not 0 <= probability <= 1:
        raise ValueError(f"the probability {probability} is not between 0 and 1")
    return values


def read_remarks(entry: Entry) -> dict[str, Any]:
    """The texts of a vote that are stored as they are; '' for one that it has not."""
    return {name: (as_text(entry[name]) or "") if name in entry else "" for name in REMARKS}


def find_kind(entry: Entry) -> VoteKind:
    """The kind of a vote, whatever else is wrong with it."""
    return _kind_of(entry, str(entry["system_a"]), str(entry["system_b"]))


def name_of(entry: Entry, field: str) -> str:
    """The name in a field. Raises ValueError where it is empty or has a control character."""
    name = _read_name(entry.get(field)).strip()
    if not name:
        raise ValueError(f"the {field.replace('_', ' ')} is empty")
    return name


def _read_name(value: object) -> str:
    """A cell as text without control characters. Raises ValueError where it has one."""
    return _check_once(as_text(value) or "")


@lru_cache(4096)
def _check_once(name: str) -> str:
    """A name that rows repeat: it is looked through once."""
    check_name(name)
    return name


def read_judge(entry: Entry, source: Source) -> dict[str, Any]:
    """Who judged what."""
    said = entry.get("judge_kind"), entry.get("judge"), entry.get("attribute"), source.kind
    try:
        values = _name_judge(*said).copy()
    except TypeError:  # of a cell that is a list
        values = _name_judge.__wrapped__(*said)
    for name in ("judge_model", "judge_prompt"):
        if entry.get(name):
            values[name] = entry[name]
    return values


@lru_cache(4096, typed=True)
def _name_judge(
    judge_kind: object, judge: object, attribute: object, usual: Kind
) -> dict[str, Any]:
    """Who judged what: the same in many rows."""
    kind = as_kind(judge_kind, usual)
    return {
        "attribute": _read_name(attribute) or "overall",
        "judge": _read_name(judge) or ("voters" if kind is Kind.HUMAN else kind.value),
        "judge_kind": kind.value,
    }


def _read_score(entry: Entry) -> dict[str, Any]:
    """A score with its number, or why there is none."""
    sample, trial = entry.get("sample"), entry.get("trial") or 0
    text = as_text(entry.get("text")) if sample is None else None
    values = {
        "sample": sample if sample == IN_ORDER else as_whole(sample or 0, "sample"),
        "trial": trial if trial == IN_ORDER else as_whole(trial, "trial"),
        "raw": as_text(entry.get("raw")) or "",
        "failure": as_text(entry.get("failure")) or "",
    }
    if text is not None:  # its own entry holds it
        values |= {"sample": None, "text_id": digest(text)}
    if not values["failure"]:
        try:
            values["value"] = as_mark(entry.get("value"))
        except ValueError:
            values |= {"failure": NOT_A_NUMBER, "raw": str(entry.get("value"))}
    return values


def read_time(entry: Entry, source: Source) -> dict[str, Any]:
    """When a vote was given, as far as its cell says that by itself."""
    value = entry.get("created_at")
    if value is None or value == "":
        return {}
    moment = parse_moment(value, zone=source.zone)
    values = {"moment": moment or None, "stated": as_stated_time(value)}
    if not moment and date_parts(value):
        values["undecided"] = str(value)
    return values


def _kind_of(entry: Entry, first: str, second: str) -> VoteKind:
    is_known = entry.get("order_known") is not False
    shown = as_text(entry.get("shown_first")) or "", bool(entry.get("swapped")), is_known
    if "winner" not in entry:
        return VoteKind("", "", first, second, "", None, *shown, outcome=entry.get("outcome"))
    kind = VoteKind(
        entry.get("field", "winner"), as_text(entry["winner"]) or "", first, second, "", None,
        *shown, entry.get("place_hint") or "",
    )  # fmt: skip
    return add_texts(kind, as_text(entry.get("text_a")), as_text(entry.get("text_b")))


def add_texts(kind: VoteKind, text_a: str | None, text_b: str | None) -> VoteKind:
    """The kind of a vote with what its texts change about who won."""
    if text_a is None or text_b is None or kind.field != "winner":
        return kind
    said, one, two = kind.winner.strip(), text_a.strip(), text_b.strip()
    if said and one != two and said in (one, two):
        winner = kind.winner if len(kind.winner) <= LONG else LONG_TEXT
        kind = kind._replace(repeats="a" if said == one else "b", winner=winner)
    texts = (one if _may_be_word(one, kind) else "", two if _may_be_word(two, kind) else "")
    return kind._replace(texts=texts) if any(texts) else kind


def _may_be_word(text: str, kind: VoteKind) -> bool:
    """Whether a text may be read as a side or the name of a system, too."""
    if len(text) > LONG:
        return False
    if (key := side_key(text)) in WINNERS or key in SMALL:
        return True
    return word(text) in (word(kind.system_a), word(kind.system_b))
