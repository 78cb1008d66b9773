"""The staging table: what all rows of the files say, before anything is decided or written.

A row lies in `entries` as the entries its layout's reader gave (`core.importing.entry`), or in
`skipped` with the reason. What a vote says of its two systems is kept once for all that say the
same: `kind` is its place among the `VoteKind`s of its file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from core.importing.cells import as_kind, as_mark, as_references, as_stated_time, as_text, as_whole
from core.importing.cells import digest_bytes as digest
from core.importing.database import Database
from core.importing.entry import DROPPED, IN_ORDER, ITEM, SCORE, TEXT, Entry
from core.importing.layout import Source
from core.importing.names import check_name
from core.importing.winners import WINNERS, side_key, word
from core.moments import date_parts, parse_moment
from core.records import Kind, Outcome

BATCH = 10_000  # entries, and
CHARACTERS = 4 * 2**20  # of texts, that wait in Python's memory
SMALL_FILES = 8 * 2**20  # bytes
LONG = 100  # characters of a text that is no word for a side
LONG_TEXT = "\ue000"
"""Stands for a winner that repeats a long text: no word, nor a system's name."""
SMALL = frozenset(("-1", "0", "1", "2"))  # numbers that people write for sides and ties
NOT_A_NUMBER = "not-a-number"

_TEXT, _WHOLE, _REAL, _BITS = pa.string(), pa.int64(), pa.float64(), pa.binary(16)
COLUMNS: Mapping[str, pa.DataType] = {
    "file": pa.int32(), "row": _WHOLE, "part": pa.int32(), "sort": _TEXT, "item": _TEXT,
    "context": _TEXT, "context_id": _BITS, "named_by": _TEXT, "fallback_item": _TEXT,
    "older_item": _TEXT, "reference": _TEXT, "subset": _TEXT, "system": _TEXT, "base": _TEXT,
    "text": _TEXT, "text_id": _BITS, "sample": _WHOLE, "text_b": _TEXT, "text_b_id": _BITS,
    "sample_b": _WHOLE, "kind": pa.int32(), "attribute": _TEXT, "judge": _TEXT,
    "judge_kind": _TEXT, "judge_model": _TEXT, "judge_prompt": _TEXT, "prob_a": _REAL,
    "strength": _REAL, "confidence": _REAL, "seconds": _REAL, "comment": _TEXT, "raw": _TEXT,
    "failure": _TEXT, "moment": _TEXT, "stated": _TEXT, "undecided": _TEXT, "times": _WHOLE,
    "ranking": _TEXT, "pending": pa.bool_(), "once": pa.bool_(), "unique": _TEXT,
    "value": _REAL, "trial": _WHOLE,
}  # fmt: skip
"""The columns of `entries`; `system`, `text` and `sample` of a vote are those of its first side."""


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


class Stage:
    """The staging tables of one import, and the kinds of vote of each file by their place."""

    def __init__(self, size: int) -> None:
        """`size` of the files in bytes: for small ones a second thread costs more than it helps."""
        self.database = Database(threads=1 if size < SMALL_FILES else None)
        self._waiting: list[dict[str, Any]] = []
        self._characters = 0
        self._skipped: list[tuple[int, int, str, bool, bool, bool]] = []
        self.sorts = set[str]()  # of entries
        self.filled = set[str]()  # columns in which some entry has a value
        self.lost: list[Counter[VoteKind]] = []  # kinds of vote in rows that are skipped
        self.kinds: list[dict[VoteKind, int]] = []
        self._last_context: tuple[str, bytes | None] = "", None
        empty = {name: pa.array([], type=kind) for name, kind in COLUMNS.items()}
        self.database.add_table("entries", empty)
        self.database.rows("CREATE MACRO quote(name) AS concat(chr(39), name, chr(39))")
        self.database.rows(
            "CREATE TABLE skipped (file INTEGER, row BIGINT, reason VARCHAR, contradicts BOOLEAN, "
            "whole BOOLEAN, late BOOLEAN)"
        )

    def close(self) -> None:
        self.database.close()

    def begin_file(self) -> int:
        """The number of the next file."""
        self.kinds.append({})
        self.lost.append(Counter())
        return len(self.kinds) - 1

    def drop_file(self, file: int) -> None:
        """Forget what a file says."""
        self.flush()
        for table in ("entries", "skipped"):
            self.database.rows(f"DELETE FROM {table} WHERE file = {file}")

    def add_row(self, file: int, row: int, source: Source, entries: list[Entry]) -> None:
        """Stage what a row says. Raises ValueError, with nothing staged, where it is no use."""
        rows = [
            values
            for part, entry in enumerate(entries)
            if entry["sort"] != DROPPED
            for values in [self._values(file, row, part, source, entry)]
        ]
        for entry in entries:
            if entry["sort"] == DROPPED:
                self._skipped.append((file, row, entry["reason"], False, False, False))
        self._waiting += rows
        self.sorts.update(values["sort"] for values in rows)
        if len(self._waiting) >= BATCH or self._characters >= CHARACTERS:
            self.flush()

    def skip_row(self, file: int, row: int, reason: str, lost: Iterable[Entry] = ()) -> None:
        """Note that a row is not used, why, and the votes that are lost with it."""
        self._skipped.append((file, row, reason, False, True, False))
        for entry in lost:
            kind = find_kind(entry)
            if kind.system_a != kind.system_b:
                self.lost[file][kind] += 1

    def flush(self) -> None:
        """Put what waits into the tables."""
        if self._waiting:
            rows, used = self._waiting, set[str]().union(*self._waiting)
            self.filled |= used
            columns = {
                name: pa.array([row.get(name) for row in rows], kind)
                if name in used
                else pa.nulls(len(rows), kind)
                for name, kind in COLUMNS.items()
            }
            self.database.append("entries", columns)
            self._waiting, self._characters = [], 0
        if self._skipped:
            names = ("file", "row", "reason", "contradicts", "whole", "late")
            self.database.append(
                "skipped",
                {
                    name: pa.array([row[place] for row in self._skipped])
                    for place, name in enumerate(names)
                },
            )
            self._skipped = []

    def _values(
        self, file: int, row: int, part: int, source: Source, entry: Entry
    ) -> dict[str, Any]:
        values = {"file": file, "row": row, "part": part, "sort": entry["sort"]}
        values |= self._about_item(entry)
        sort = entry["sort"]
        if sort == ITEM:
            return values
        if sort == TEXT:
            values |= {"system": name_of(entry, "system"), "base": entry.get("base") or ""}
            values |= self._side(entry, "", "")
            values["unique"] = entry.get("unique")
            return values
        if sort == SCORE:
            about = _about_judge(entry, source)
            return {**values, "system": name_of(entry, "system"), **about, **_score(entry)}
        return values | self._vote(file, source, entry)

    def _about_item(self, entry: Entry) -> dict[str, Any]:
        item, context = as_text(entry.get("item")) or "", as_text(entry.get("context")) or ""
        check_name(item)
        values: dict[str, Any] = {"item": item, "subset": _read_name(entry.get("subset"))}
        if "reference" in entry and (references := as_references(entry["reference"])):
            values["reference"] = json.dumps(references, ensure_ascii=False)
        if context:
            last, bits = self._last_context
            if context != last:  # rows of one item often follow each other
                bits = digest(context)
                self._last_context = context, bits
            self._characters += len(context)
            values |= {"context": context, "context_id": bits}
        for name in ("named_by", "fallback_item", "older_item"):
            if entry.get(name):
                values[name] = entry[name]
        return values

    def _side(self, entry: Mapping[str, Any], side: str, column: str) -> dict[str, Any]:
        """The text of a side and its sample; NULL where the text decides it."""
        text, given = as_text(entry.get(f"text{side}")), entry.get(f"sample{side}")
        sample = None if given is None or given == "" else given
        if sample is not None and sample != IN_ORDER:
            sample = as_whole(sample, f"sample{side}")
        values: dict[str, Any] = {f"sample{column}": 0 if text is None and not sample else sample}
        if text is not None:
            self._characters += len(text)
            values |= {f"text{column}": text, f"text{column}_id": digest(text)}
        return values

    def _vote(self, file: int, source: Source, entry: Entry) -> dict[str, Any]:
        values, kind = read_vote(source, entry)
        kinds = self.kinds[file]
        values["kind"] = kinds.setdefault(kind, len(kinds))
        return {**values, **self._side(entry, "_a", ""), **self._side(entry, "_b", "_b")}


def read_vote(source: Source, entry: Entry) -> tuple[dict[str, Any], VoteKind]:
    """What a vote says besides its texts, and its kind. Raises ValueError where it says nothing
    that can be stored.
    """
    first, second = name_of(entry, "system_a"), name_of(entry, "system_b")
    if first == second:
        raise ValueError(f"compares {first!r} with itself")
    values = _about_judge(entry, source)
    for name in ("prob_a", "strength", "confidence", "seconds"):
        if name in entry and (given := entry[name]) is not None and given != "":
            values[name] = given if isinstance(given, float) else as_mark(given, name)
    probability = values.get("prob_a")
    if probability is not None and not 0 <= probability <= 1:
        raise ValueError(f"the probability {probability} is not between 0 and 1")
    values |= _moment(entry.get("created_at"), source)
    for name in ("comment", "raw", "failure"):
        values[name] = (as_text(entry[name]) or "") if name in entry else ""
    if entry.get("times") is not None:
        values["times"] = as_whole(entry["times"], "times")
    for name in ("ranking", "pending", "once"):
        if name in entry:
            values[name] = entry[name]
    return values, _kind_of(entry, first, second)


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


def _about_judge(entry: Entry, source: Source) -> dict[str, Any]:
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


def _score(entry: Entry) -> dict[str, Any]:
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


def _moment(value: object, source: Source) -> dict[str, Any]:
    """When a vote was given, as far as its cell says that by itself."""
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
    winner, field = as_text(entry["winner"]) or "", entry.get("field", "winner")
    repeats, texts = "", None
    text_a, text_b = (as_text(entry.get(f"text_{side}")) for side in "ab")
    if text_a is not None and text_b is not None and field == "winner":
        said, one, two = winner.strip(), text_a.strip(), text_b.strip()
        if said and one != two and said in (one, two):
            repeats = "a" if said == one else "b"
            winner = winner if len(winner) <= LONG else LONG_TEXT
        names = {word(first), word(second)}
        texts = one if _may_be_word(one, names) else "", two if _may_be_word(two, names) else ""
    return VoteKind(
        field, winner, first, second, repeats, texts if texts and any(texts) else None,
        *shown, entry.get("place_hint") or "",
    )  # fmt: skip


def _may_be_word(text: str, names: set[str]) -> bool:
    """Whether a text may be read as a side or the name of a system, too."""
    if len(text) > LONG:
        return False
    return (key := side_key(text)) in WINNERS or key in SMALL or word(text) in names
