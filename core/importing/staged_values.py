"""Values of the columns of `entries`, read from an entry. Each function reads some fields of an
entry. It raises ValueError if they say nothing that can be stored. What the numbers of its dates
mean, a column says as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import pyarrow as pa

from ..moments import DateOrder, date_parts, parse_moment, possible_orders, shared_orders
from ..records import Kind, Outcome, TandemError, TextFormat, has_control, option_ref
from .cells import as_kind, as_mark, as_references, as_stated_time, as_text, as_whole
from .cells import digest_bytes as digest
from .database import Database
from .entry import IN_ORDER, SCORE, TEXT, VOTE, Entry
from .layout import Source
from .winners import LONG, SMALL, WINNERS, side_key, word

LONG_TEXT = "\ue000"
"""Stands for a winner that repeats a long text: no word, nor a system's name."""
VOTERS = "voters"  # people whom nothing names
NOT_A_NUMBER = "not-a-number"
NUMBERS = ("prob_a", "strength", "confidence", "seconds")
REMARKS = ("comment", "raw", "failure")
OF_KIND = (
    "system_a", "system_b", "field", "winner", "outcome", "shown_first", "swapped", "order_known",
    "place_hint",
)  # fmt: skip
SCORED = ("text", "sample", "trial", "raw", "failure", "value")


class VoteKind(NamedTuple):
    """Fields of a vote that decide who won. `repeats` is the side whose text the winner repeats.
    `texts` has both texts if they are short enough to be words.
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

    @property
    def systems(self) -> tuple[str, str]:
        """Both systems, the first one first."""
        return self.system_a, self.system_b


Values = dict[str, Any]
"""Column of `entries` -> value."""
ReadPart = Callable[[Entry], Values]
"""What reads some fields of an entry."""
Parts = dict[tuple[str, ...], ReadPart]
"""The fields of an entry that say something together, and what reads them."""


def list_parts(sort: str, source: Source) -> Parts:
    """Return the parts of an entry of this sort; `kind` is the VoteKind of a vote."""
    about: Parts = {
        ("item",): lambda entry: {"item": _read_name(entry.get("item"))},
        **{(name,): partial(_read_group, name) for name in ("subset", "family")},
        ("reference",): _read_reference,
        ("context",): _read_context,
        **_copy_fields("named_by", "fallback_item", "older_item"),
    }
    if sort == TEXT:
        of_text: ReadPart = partial(_read_side, side="", column="")
        return {**about, ("system",): _read_system, **_copy_fields("base"),
                ("text", "sample"): of_text,
                ("unique",): lambda entry: {"unique": entry.get("unique")}}  # fmt: skip
    if sort == SCORE:
        return {**about, ("system",): _read_system, **_read_judge_by(source), SCORED: _read_score}
    if sort == VOTE:
        sides: Parts = {
            ("text_a", "sample_a"): partial(_read_side, side="_a", column=""),
            ("text_b", "sample_b"): partial(_read_side, side="_b", column="_b"),
            ("length_a",): partial(_read_length, source, field="length_a", column="length"),
            ("length_b",): partial(_read_length, source, field="length_b", column="length_b"),
        }
        of_vote: Parts = {
            **_read_judge_by(source),
            **{(name,): partial(_read_number, name) for name in NUMBERS},
            ("created_at",): partial(_read_time, source=source),
            REMARKS: _read_remarks,
            ("times",): lambda entry: (
                {} if entry.get("times") is None else {"times": as_whole(entry["times"], "times")}
            ),
            ("text_format",): _read_format,
            **_copy_fields("ranking", "pending", "once"),
        }
        return {**about, OF_KIND: _read_kind, **of_vote, **sides}
    return about


def _copy_fields(*names: str) -> Parts:
    return {names: lambda entry: {name: entry[name] for name in names if entry.get(name)}}


def _read_group(field: str, entry: Entry) -> Values:
    return {field: name} if (name := _read_name(entry.get(field))) else {}


def _read_system(entry: Entry) -> Values:
    return {"system": _read_needed(entry, "system")}


def _read_reference(entry: Entry) -> Values:
    references = as_references(entry.get("reference"))
    return {"reference": json.dumps(references, ensure_ascii=False)} if references else {}


def _read_context(entry: Entry) -> Values:
    context = as_text(entry.get("context")) or ""
    return {"context": context, "context_id": digest(context)} if context else {}


def _read_side(entry: Entry, side: str, column: str) -> Values:
    text, given = as_text(entry.get(f"text{side}")), entry.get(f"sample{side}")
    sample = None if given is None or given == "" else given
    if sample is not None and sample != IN_ORDER:
        sample = as_whole(sample, f"sample{side}")
    values: Values = {f"sample{column}": 0 if text is None and not sample else sample}
    if text is not None:
        values |= {f"text{column}": text, f"text{column}_id": digest(text)}
    return values


def _read_length(source: Source, entry: Entry, field: str, column: str) -> Values:
    """A vote counts even if the field holds no number of characters: that is then not known."""
    if (given := entry.get(field)) is None or given == "":
        return {}
    try:
        return {column: as_whole(given, field)}
    except ValueError as error:
        notes = source.tally.notes
        if not any(note.startswith(f"a {field} is") for note in notes):
            notes[f"a {error}: such lengths are not known"] = None
        return {}


def _read_kind(entry: Entry) -> Values:
    first, second = _read_needed(entry, "system_a"), _read_needed(entry, "system_b")
    if first == second:
        raise ValueError(f"compares {first!r} with itself")
    return {"kind": _kind_of(entry, first, second)}


def _read_number(name: str, entry: Entry) -> Values:
    if (given := entry.get(name)) is None or given == "":
        return {}
    number = given if isinstance(given, float) else as_mark(given, name)
    if name == "prob_a" and not 0 <= number <= 1:
        raise ValueError(f"the probability {number} is not between 0 and 1")
    return {name: number}


def _read_format(entry: Entry) -> Values:
    given = as_text(entry.get("text_format"))
    return {"text_format": given} if given in list(TextFormat) else {}


def _read_remarks(entry: Entry) -> Values:
    return {name: (as_text(entry[name]) or "") if name in entry else "" for name in REMARKS}


def find_kind(entry: Entry) -> VoteKind:
    """Return the kind of a vote, even if something else is wrong with it."""
    kind = _kind_of(entry, str(entry["system_a"]), str(entry["system_b"]))
    return add_texts(kind, as_text(entry.get("text_a")), as_text(entry.get("text_b")))


def _read_needed(entry: Entry, field: str) -> str:
    name = _read_name(entry.get(field)).strip()
    if not name:
        raise ValueError(f"the {field.replace('_', ' ')} is empty")
    return name


def _read_name(value: object) -> str:
    name = as_text(value) or ""
    _check_control(name)
    return name


@lru_cache(4096)  # of names that rows repeat
def _check_control(name: str) -> None:
    if has_control(name):
        raise ValueError(f"a control character in the name {name[:60]!a}")


def _read_judge_by(source: Source) -> Parts:
    def read(entry: Entry) -> Values:
        kind = as_kind(entry.get("judge_kind"), source.kind)
        return {
            "attribute": _read_name(entry.get("attribute")) or "overall",
            "judge": _read_name(entry.get("judge"))
            or source.rater
            or (VOTERS if kind is Kind.HUMAN else kind.value),
            "judge_kind": kind.value,
        }

    of_judge: Parts = {("judge", "judge_kind", "attribute"): read}
    return of_judge | _copy_fields("judge_model", "judge_prompt")


def _read_score(entry: Entry) -> Values:
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


def _read_time(entry: Entry, source: Source) -> Values:
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
    return VoteKind(
        entry.get("field", "winner"), as_text(entry["winner"]) or "", first, second, "", None,
        *shown, entry.get("place_hint") or "",
    )  # fmt: skip


def add_texts(kind: VoteKind, text_a: str | None, text_b: str | None) -> VoteKind:
    """Return the kind of a vote with what its texts change about who won."""
    if text_a is None or text_b is None or kind.field != "winner":
        return kind
    said, one, two = kind.winner.strip(), text_a.strip(), text_b.strip()
    if said and one != two and said in (one, two):
        winner = kind.winner if len(kind.winner) <= LONG else LONG_TEXT
        kind = kind._replace(repeats="a" if said == one else "b", winner=winner)
    texts = (one if _may_be_word(one, kind) else "", two if _may_be_word(two, kind) else "")
    return kind._replace(texts=texts) if any(texts) else kind


def _may_be_word(text: str, kind: VoteKind) -> bool:
    if len(text) > LONG:
        return False
    if (key := side_key(text)) in WINNERS or key in SMALL:
        return True
    return word(text) in map(word, kind.systems)


class UncertainDatesError(TandemError):
    """Dates that may be read in several `orders`, or none that fits them all."""

    def __init__(self, sentence: str, orders: Sequence[DateOrder]) -> None:
        super().__init__(sentence)
        self.orders = tuple(orders)


def decide_times(database: Database, file: int, source: Source) -> DateOrder | None:
    """Read the dates of a file that say by the whole column only what comes first in them, and
    return that; None where no date leaves it open.

    Raises UncertainDatesError where the column leaves that open.
    """
    texts = [
        text
        for (text,) in database.rows(
            f"""SELECT undecided FROM entries WHERE file = {file} AND undecided IS NOT NULL
            GROUP BY undecided ORDER BY min(row)"""
        )
    ]
    if not texts:
        return None
    order = source.dates or _decide_order(source.path.name, texts)
    moments = [(text, parse_moment(text, order, source.zone) or None) for text in texts]
    database.add_table("moments", {"undecided": pa.string(), "moment": pa.string()}, moments)
    database.rows(
        f"""UPDATE entries SET moment = m.moment FROM moments m
        WHERE entries.file = {file} AND m.undecided = entries.undecided"""
    )
    return order


def _decide_order(file: str, texts: Sequence[str]) -> DateOrder | None:
    dates = {parts: None for text in texts if (parts := date_parts(text))}
    possible = [parts for parts in dates if possible_orders(parts)]
    orders = shared_orders(possible)
    if len(orders) == 1 or not possible:
        return orders[0] if orders else None
    by_order = {min(possible_orders(parts)): "/".join(parts) for parts in possible}
    shown = " and ".join(by_order.values())
    what = "is not certain" if orders else "differs from row to row"
    choices = orders or [DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST]
    ways = " or ".join(f"{option_ref('dates')} {order}" for order in choices)
    raise UncertainDatesError(
        f"{file}: what comes first in its dates {what} ({shown}); say {ways}", choices
    )
