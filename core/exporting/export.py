"""Store -> files: judgements, generations, scores, leaderboards and answers to checks in columns of
our own, and judgements in the layouts of other tools.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from ..findings.judgements import (
    Selection,
    check_selection,
    find_judges,
    finding,
    keep_chosen_items,
    load_marks,
)
from ..findings.leaderboard import RankSettings
from ..findings.leaderboard import leaderboard as ranked
from ..output_files import write_output
from ..records import TandemError, option_ref
from ..scratch import scratch, temp_errors
from ..store import ChosenGenerations, Store
from .annotation_tools import ARGILLA, LABEL_STUDIO, POTATO
from .evaluation_tools import ALPACA_EVAL, ARENA_HARD, LANGSMITH, TRL, TRL_CHAT
from .layout import Document, Format, Row
from .pseudonyms import hide, record


class NothingError(TandemError):
    """There is nothing to write; what was there before stays."""


Portions = Iterator[pd.DataFrame]
"""Some rows at a time, in the same columns, so that a million need no more memory than a few; at
least one frame.
"""


def join_portions(portions: Portions) -> pd.DataFrame:
    """Return all rows in one frame."""
    return pd.concat(portions, ignore_index=True)


def judgements(store: Store, selection: Selection) -> Portions:
    """Yield all live judgements with their texts, or the lengths of these.

    Judgements of people who are excluded from statistics are among them; a column says so. `import`
    reads the file back as votes.
    """
    left_out = [] if _has_texts(store, selection) else ["text_a", "text_b"]
    left_out += [] if store.texts.has_lengths(selection.dataset) else ["length_a", "length_b"]
    for frame in _judgements(store, selection):
        yield frame.drop(columns=left_out)


def _has_texts(store: Store, selection: Selection) -> bool:
    # Without any, columns of texts are left out: an empty cell of a CSV would be an empty text.
    chosen = (selection.dataset, selection.systems, selection.subset, sys.maxsize)
    return store.texts.has_texts(ChosenGenerations(*chosen))


def _judgements(store: Store, selection: Selection) -> Portions:
    check_selection(store, selection)
    judges = None
    if selection.judges:
        judges = find_judges(store, selection, excluded=True)
    if judges is not None and judges["derived"].all():
        raise TandemError(
            f"{judges['judge'].iloc[0]!r} scores texts and has compared none: `describe` shows "
            "its scores"
        )
    answers = selection.provenance.answers(store, selection.dataset)
    for frame in store.judgement_frames.exported_portions(selection.dataset):
        frame = selection.provenance.of_judgements(frame, answers, "judge_kind")
        frame = frame.drop(columns="judgement")
        if judges is not None:
            frame = frame[frame["judge"].isin(judges["judge"])]
        if selection.attribute:
            frame = frame[frame["attribute"] == selection.attribute]
        yield _select_rows(store, selection, frame, "system_a", "system_b")


def generations(store: Store, selection: Selection) -> Portions:
    """Yield all texts with the contexts of their items; `import` reads them back as generations."""
    check_selection(store, selection)
    left_out = [] if _has_texts(store, selection) else ["text"]
    left_out += [] if store.datasets.has_families(selection.dataset, contexts=False) else ["family"]
    keys = store.datasets.keys(selection.dataset, selection.subset)
    for start in range(0, max(len(keys), 1), ITEMS):
        some = keys[start : start + ITEMS]
        items = store.datasets.items(selection.dataset, some)[["item", "context", "family"]]
        frame = store.texts.generations(selection.dataset, items=some)
        columns = ["item", "subset", "family", "context", "system", "sample", "text"]
        rows = _select_rows(store, selection, frame.merge(items, on="item")[columns], "system")
        yield rows.drop(columns=left_out)


def _select_rows(
    store: Store, selection: Selection, frame: pd.DataFrame, *sides: str
) -> pd.DataFrame:
    """Return the rows of the chosen items, subset and systems."""
    frame = keep_chosen_items(store, selection, frame)
    if selection.subset:
        frame = frame[frame["subset"] == selection.subset]
    if selection.systems:
        frame = frame[frame[list(sides)].isin(selection.systems).all(axis=1)]
    return frame


def scores(store: Store, selection: Selection) -> Portions:
    """Yield all scores of texts, one a row, or the reason for a missing one."""
    check_selection(store, selection)
    frame = load_marks(store, selection)
    columns = ["item", "subset", "system", "sample", "attribute", "rater", "kind", "trial"]
    yield frame[[*columns, "value", "failure"]].reset_index(drop=True)


def checks(store: Store, selection: Selection) -> Portions:
    """Yield all live answers to checks; a column says whose are excluded."""
    check_selection(store, selection)
    frame = store.checks.load_answers(selection.dataset)
    if selection.judges:
        frame = frame[frame[["judge", "kind"]].isin(selection.judges).any(axis=1)]
    if selection.attribute:
        frame = frame[frame["attribute"] == selection.attribute]
    rows = _select_rows(store, selection, frame, "better", "worse").drop(columns="kind")
    yield rows.reset_index(drop=True)


def leaderboard(store: Store, selection: Selection) -> Portions:
    """Yield the default leaderboard."""
    yield ranked(store, selection, RankSettings()).rows


EXPORTS: dict[str, Callable[[Store, Selection], Portions]] = {
    kind.__name__: kind for kind in (judgements, generations, scores, leaderboard, checks)
}


def export(
    store: Store, what: str, selection: Selection, *, who: str, names: bool = False
) -> Portions:
    """Export one of EXPORTS, written down in the audit log as by `who`.

    Annotators of this store are called person-1, person-2 ..., always the same in a store, unless
    their `names` are wanted.
    """
    pseudonyms = {} if names else store.people.pseudonyms()
    for number, frame in enumerate(EXPORTS[what](store, selection)):
        if number == 0:  # now the request has turned out to be a right one
            record(store, who, what, selection.dataset, names=names)
        yield hide(frame, pseudonyms)


TOOLS = (TRL, TRL_CHAT, LABEL_STUDIO, ARGILLA, POTATO, LANGSMITH, ARENA_HARD, ALPACA_EVAL)
FORMATS: dict[str, Format] = {format.name: format for format in TOOLS}
"""The layouts of other tools, by their names: to add one, declare it and name it here."""


@dataclass
class InFormat:
    """Judgements in another tool's layout; what it cannot tell is counted by reason."""

    format: Format
    documents: Iterator[Document]
    left_out: Counter[str]

    def describe_losses(self) -> str:
        """Count what was left out so far, in words; '' where that is nothing."""
        counts = ", ".join(f"{reason} {count:,}" for reason, count in self.left_out.items())
        return f"left out, as {self.format.title} cannot tell them: {counts}" if counts else ""


def convert_to_format(
    store: Store, name: str, selection: Selection, *, who: str, names: bool = False
) -> InFormat:
    """Export all judgements but those of excluded judges in one of FORMATS.

    It is written down in the audit log as by `who`; people have names as in `export`.
    """
    format, left_out = FORMATS[name], Counter[str]()
    pseudonyms = {} if names else store.people.pseudonyms()
    frames = _judgements(store, selection)
    first = next(frames)  # now the request has turned out to be a right one
    record(store, who, name, selection.dataset, names=names)
    marks = _marks(store, selection)

    def rows() -> Iterator[Row]:
        asked = dict[str, None]()
        for frame in chain([first], frames):
            counted = hide(frame[frame["excluded"] == 0], pseudonyms)
            for row in finding.list_records(counted):
                asked[row["attribute"]] = None
                if format.one_attribute and len(asked) > 1:
                    raise TandemError(
                        f"{format.title} does not say what was asked, and these answers are about "
                        f"{' and '.join(asked)}: choose one with {option_ref('attribute')}"
                    )
                if reason := format.reason(row):
                    left_out[reason] += 1
                else:
                    yield {**row, **_find_marks(row, marks)}

    return InFormat(format, format.documents(rows()), left_out)


def _marks(store: Store, selection: Selection) -> dict[tuple[Any, ...], float]:
    """(item, system, sample, attribute) -> mark, where one rater alone has given any; of several,
    whose scales may differ, none.
    """
    frame = store.scores.load_all(selection.dataset).dropna(subset=["value"])
    if selection.judges:
        frame = frame[frame["rater"].isin(selection.judges) | frame["kind"].isin(selection.judges)]
    if frame["rater"].nunique() != 1:
        return {}
    keys = ["item", "system", "sample", "attribute"]
    means = frame.groupby(keys)["value"].mean().reset_index()
    return {tuple(key): float(mark) for *key, mark in means.itertuples(index=False)}


def _find_marks(row: Row, marks: Mapping[tuple[Any, ...], float]) -> dict[str, float]:
    """Return the marks of both texts of a judgement, where both have one."""
    found = {
        f"mark_{side}": marks.get(
            (row["item"], row[f"system_{side}"], row[f"sample_{side}"], row["attribute"])
        )
        for side in "ab"
    }
    return {name: mark for name, mark in found.items() if mark is not None}


def save_in_format(told: InFormat, path: Path) -> int:
    """Write judgements in another tool's layout: one file, or a zip of several. Says how many
    records that were. Raises TandemError as `save` does, with what the layout cannot tell.
    """
    if path.suffix not in told.format.suffixes:
        raise TandemError(
            f"{told.format.title} is written as {' or '.join(told.format.suffixes)}, and "
            f"{path.name!r} is not: name the file so"
        )
    try:
        if path.suffix in WRITERS:
            return save(_frames(told.documents), path)
        with write_output(path) as part:
            write = _write_zip if path.suffix == ".zip" else _json_list
            return _require_rows(write(part, told.documents))
    except NothingError as error:
        said = filter(None, (error.sentence, told.describe_losses()))
        raise NothingError(". ".join(said)) from None


def _frames(documents: Iterator[Document]) -> Portions:
    """Yield the records of a single file, some rows at a time."""
    first = True
    while (rows := [record for _, record in islice(documents, ITEMS)]) or first:
        yield pd.DataFrame(rows)
        first = False


def _json_list(path: Path, documents: Iterator[Document]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, (_, record) in enumerate(documents, start=1):
            file.write("[\n" if count == 1 else ",\n")
            file.write(json.dumps(record, ensure_ascii=False))
        file.write("\n]\n" if count else "[]\n")
    return count


def _write_zip(path: Path, documents: Iterator[Document]) -> int:
    """Return a zip of JSON lines, each file in one piece."""
    count = 0
    with scratch() as folder, ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for count, (name, record) in enumerate(documents, start=1):  # noqa: B007
            file = Path(folder) / name
            with temp_errors():
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(record, ensure_ascii=False) + "\n")
        for file in sorted(Path(folder).rglob("*.jsonl")):
            archive.write(file, file.relative_to(folder))
    return count


ITEMS = 2000  # whose texts are read at a time

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(e[+-]?\d+)?%?", re.IGNORECASE)


def for_spreadsheets(frame: pd.DataFrame, *, header: bool = True) -> str:
    """Return a frame as CSV for a program that takes what begins with = + - @ for a formula and
    runs it: such texts, each of a list, and names of columns come behind an apostrophe. Numbers
    stay numbers.
    """
    texts = frame.select_dtypes(exclude=["number", "bool"])
    quoted = frame.assign(**{str(column): texts[column].map(_quote_cell) for column in texts})
    # With these line ends a lone carriage return in a text is quoted too, and begins no new row.
    named = quoted.rename(columns=_quote_cell)
    return str(named.to_csv(index=False, header=header, lineterminator="\r\n"))


def _quote_cell(cell: object) -> object:
    if isinstance(cell, tuple):
        return "; ".join(str(_quote_cell(each)) for each in cell)
    formula = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if formula else cell


def as_csv(frame: pd.DataFrame, *, header: bool = True) -> str:
    """Return a frame as CSV with every text as it is. pandas quotes no lone carriage return, at
    which a reader begins a new row.
    """
    frame = finding.join_tuples(frame)
    texts = frame.select_dtypes(exclude=["number", "bool"])
    returns = any(texts[column].astype(str).str.contains("\r").any() for column in texts)
    quoting: Any = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    return str(frame.to_csv(index=False, header=header, quoting=quoting))


def _as_json_lines(frame: pd.DataFrame, *, header: bool) -> str:
    """By json, which writes numbers in full; pandas rounds them."""
    rows = finding.list_records(frame)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _text_file(path: Path, portions: Portions, text: Callable[..., str]) -> int:
    rows = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, frame in enumerate(portions):
            file.write(text(frame, header=number == 0))
            rows += len(frame)
    return rows


def _parquet(path: Path, portions: Portions) -> int:
    rows, first = 0, pa.Table.from_pandas(next(portions), preserve_index=False)
    # A column without a value so far may get texts later; numbers have their type from the start.
    types = [pa.large_string() if pa.types.is_null(each) else each for each in first.schema.types]
    schema = pa.schema(list(zip(first.schema.names, types, strict=True)))
    with parquet.ParquetWriter(path, schema) as file:
        for table in chain([first], map(pa.Table.from_pandas, portions)):
            file.write_table(table.select(schema.names).cast(schema))
            rows += len(table)
    return rows


WRITERS: dict[str, Callable[[Path, Portions], int]] = {
    ".csv": partial(_text_file, text=as_csv),
    ".jsonl": partial(_text_file, text=_as_json_lines),
    ".parquet": _parquet,
}
"""What writes a file, by its suffix, and says how many rows that were."""


def save(portions: Portions, path: Path, *, spreadsheet: bool = False) -> int:
    """Write rows as the file's suffix says, `for_spreadsheets` or with every text as it is, so that
    `import` reads it back: how many. Raises TandemError for another suffix or a folder that is not
    there; as `write_output` does, with the file that was there before, when the disk is full;
    NothingError where there are no rows.
    """
    if path.suffix not in WRITERS:
        raise TandemError(
            f"{path.name!r} does not say its format: let it end in {', '.join(WRITERS)}"
        )
    if spreadsheet and path.suffix != ".csv":
        raise TandemError(
            f"{option_ref('for_spreadsheets')} is about .csv, and {path.name!r} is not: leave it "
            "out"
        )
    with write_output(path) as part:
        if spreadsheet:
            return _require_rows(_text_file(part, portions, for_spreadsheets))
        return _require_rows(WRITERS[path.suffix](part, portions))


def _require_rows(rows: int) -> int:
    """Return the number of rows. Raises NothingError if nothing was written."""
    if not rows:
        raise NothingError("there is nothing to export: no file was written")
    return rows
