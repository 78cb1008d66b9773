"""Rows of a file in words, as they would be read: what a person checks before they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.importing import files
from core.importing.cells import Row, Skipped
from core.importing.layout import Layout, Record, Source, records_of
from core.importing.tally import Tally
from core.records import Generation, Item, Outcome, Score, Vote

LOOKED_AT = 200  # rows among which those that say different things are looked for
LONG = 60  # characters of a text


def rows_in_words(layout: Layout, source: Source, n: int = 3) -> list[str]:
    """Up to n rows of a file, each in a sentence such as "row 1: ann preferred *vicuna* to
    *alpaca*"; of votes, rows with different outcomes first.

    Rows that cannot be used are passed over. Raises TandemError where the file cannot be read so.
    """
    told: dict[int, tuple[str, str]] = {}
    for number, records in _read(layout, source):
        if said := _told(records):
            told[number] = said
    seen, apart = set[str](), list[int]()
    for number, (sort, _) in told.items():
        if sort not in seen:
            seen.add(sort)
            apart.append(number)
    chosen = sorted([*apart, *(number for number in told if number not in apart)][:n])
    return [f"row {number:,}: {told[number][1]}" for number in chosen]


@dataclass(frozen=True)
class RowSample:
    """A row in a sentence, and why it is shown: "first", "tie", "skipped" or "longest"."""

    number: int
    cells: Mapping[str, object]
    sentence: str
    why: str


def sample_rows(layout: Layout, source: Source, limit: int | None = None) -> list[RowSample]:
    """The first three rows, the first tie, the first that is skipped, and the longest."""
    items: dict[str, str] = {}
    reader = layout.reader(replace(source, item_of=items.get, tally=Tally()))
    read, shown, longest = list[RowSample](), dict[str, RowSample](), 0
    for row in islice(files.rows(source.path), limit or LOOKED_AT):
        cells = row.cells if isinstance(row, Row) else {}
        sort, said = "skipped", row.reason if isinstance(row, Skipped) else ""
        if isinstance(row, Row):
            try:
                records = records_of(reader, row.number, row.cells)
            except ValueError as error:
                said = str(error)
            else:
                sort, said = _told(records) or ("", "")
                for each in records:
                    if isinstance(each, Item) and each.context:
                        items.setdefault(each.context, each.key)
        if not said:
            continue
        skipped = " is skipped" if sort == "skipped" else ""
        sample = RowSample(row.number, cells, f"row {row.number:,}{skipped}: {said}", "first")
        if sort in ("tie", "skipped"):
            shown.setdefault(sort, replace(sample, why=sort))
        if not skipped:
            read += [sample] if len(read) < 3 else []
            if (size := sum(len(str(cell)) for cell in cells.values())) > longest:
                longest, shown["longest"] = size, replace(sample, why="longest")
    every = {sample.number: sample for sample in (*shown.values(), *read)}
    return [every[number] for number in sorted(every)]


def _read(layout: Layout, source: Source) -> Iterator[tuple[int, Sequence[Record]]]:
    items: dict[str, str] = {}
    reader = layout.reader(replace(source, item_of=items.get))
    for row in islice(files.rows(source.path), LOOKED_AT):
        if isinstance(row, Row):
            try:
                records = records_of(reader, row.number, row.cells)
            except ValueError:  # skipped with its reason when the file is read
                continue
            for record in records:
                if isinstance(record, Item) and record.context:
                    items.setdefault(record.context, record.key)
            yield row.number, records


def _told(records: Sequence[Record]) -> tuple[str, str] | None:
    """What a row says, and of what sort that is: of a vote, who won."""
    for record in records:
        if isinstance(record, Vote):
            outcome = record.answer.outcome
            return (str(outcome) if outcome else "none"), _vote(record)
    for record in records:
        if isinstance(record, Score):
            mark = "no number" if record.value is None else f"{record.value:g}"
            what = f"{record.judge} gave *{record.system}* {mark} for {record.attribute}"
            return "score", f"{what} ({_item(record.item)})"
    for record in records:
        if isinstance(record, Generation) and record.text is not None:
            text = record.text if len(record.text) <= LONG else record.text[:LONG].rstrip() + " …"
            return "text", f"*{record.system}* wrote “{text}” ({_item(record.item)})"
    return None


def _vote(vote: Vote) -> str:
    first, second, judge = f"*{vote.system_a}*", f"*{vote.system_b}*", vote.judge
    attribute = f" for {vote.attribute}" if vote.attribute != "overall" else ""
    match vote.answer.outcome:
        case Outcome.A:
            said = f"{judge} preferred {first} to {second}{attribute}"
        case Outcome.B:
            said = f"{judge} preferred {second} to {first}{attribute}"
        case Outcome.TIE:
            said = f"{judge} found {first} and {second} equally good{attribute}"
        case Outcome.BOTH_BAD:
            said = f"{judge} found {first} and {second} both bad{attribute}"
        case _:
            raw = f" “{vote.answer.raw[:LONG]}”" if vote.answer.raw else ""
            said = f"{judge} gave no answer about {first} and {second}{attribute}:{raw}".rstrip(":")
    return f"{said} ({_item(vote.item)})"


def _item(key: str) -> str:
    return f"item {key if len(key) <= LONG else key[:LONG] + '…'}"
