"""Choice of the files to read and of the layout of each, before any row counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..records import TandemError, option_ref
from . import files
from .cells import UnrecognisedError
from .layout import Source
from .layouts import LAYOUTS
from .raters import check_kinds, raters_of
from .reading import USUAL, Reading
from .recipes import TOOLS, check_recipe, refuse_tool
from .staged_file import StagedFile
from .table_fields import list_names
from .tally import Tally

Progress = Callable[[str, int, int], None]
"""`progress(stage, rows done, of)` is called as an import goes; `of` is 0 when not known."""


def ignore_progress(stage: str, done: int, of: int) -> None:
    """Ignore the progress of an import."""


UNSETTLED = ("item", "prob_a")
"""Fields that are left as they are recognised: they may number rows, or be of the winner."""


@dataclass(frozen=True)
class RecognisedFile:
    """A recognized file: its layout, and for a table the column that fills each field."""

    source: Source
    layout: str
    fields: Mapping[str, str]


def recognise(path: Path, reading: Reading = USUAL) -> RecognisedFile:
    """Return the layout and fields that `load` would use for a file. Raises TandemError if the file
    fits no layout, the layout is unknown, or a setting does not fit.
    """
    return recognise_sheets(path, reading)[0][0]


def recognise_sheets(path: Path, reading: Reading) -> tuple[list[RecognisedFile], list[str]]:
    """Return the sheets of a workbook that are of one layout with the same fields, most of all
    sheets, and notes on those left out. Of another file, or a named sheet, return just that.
    """
    sheets = {} if reading.sheet else files.sheets(path)
    alike, reasons = defaultdict[object, list[RecognisedFile]](list), dict[str, str]()
    for sheet in (sheet for sheet, is_seen in sheets.items() if is_seen):
        try:
            found = _recognise_table(path, replace(reading, sheet=sheet))
            LAYOUTS[found.layout].reader(found.source)  # refuses what cannot be read
            alike[found.layout, frozenset(found.fields)].append(found)
        except TandemError as error:
            reasons[sheet] = error.sentence
    if not alike or len(sheets) == 1:
        return [_recognise_table(path, reading)], []
    most = max(alike.values(), key=len)
    read = [each.source.sheet for each in most]
    why = f"its columns are not those of {', '.join(read)}"
    notes = [
        f"sheet {sheet!r} is left out: "
        f"{reasons.get(sheet, why if is_seen else 'it is hidden')}. "
        f"{option_ref('sheet')} {sheet} reads it alone"
        for sheet, is_seen in sheets.items()
        if sheet not in read
    ]
    if len(most) > 1:
        most = [
            replace(each, source=replace(each.source, rater=each.source.sheet)) for each in most
        ]
    return most, notes


def _recognise_table(path: Path, reading: Reading) -> RecognisedFile:
    if reading.layout not in ("auto", *LAYOUTS, *TOOLS):
        raise TandemError(
            f"unknown format {reading.layout!r}; there are auto, {', '.join(LAYOUTS)}"
        )
    columns = tuple(files.columns(path, encoding=reading.encoding, sheet=reading.sheet))
    source = Source(
        path, columns, reading.mapping, codes=reading.codes, systems=reading.systems,
        system_name=reading.system_name, kinds=reading.kinds, dates=reading.dates,
        encoding=reading.encoding, sheet=reading.sheet, unused=reading.unused,
    )  # fmt: skip
    if not columns:
        raise _make_no_columns_error(source)
    if reading.layout in TOOLS:
        refuse_tool(path, reading.layout)
    if reading.layout == "auto" and not source.mapping:  # who names columns is believed
        check_recipe(path, columns, source.cells)
    layout = LAYOUTS[_detect(source) if reading.layout == "auto" else reading.layout]
    words = f"{option_ref('first_wins')}, {option_ref('second_wins')} and {option_ref('tie')} are"
    for name, given, what in (
        ("codes", source.codes, words),
        ("codes", source.codes.means, f"{option_ref('winner_means')} is"),
        ("systems", source.systems, f"{option_ref('systems')} is"),
        ("system_name", source.system_name, f"{option_ref('system_name')} {source.system_name} is"),
        ("kind", reading.kind, f"{option_ref('kind')} {reading.kind} is"),
    ):
        if given and name not in layout.settings:
            raise TandemError(
                f"{what} not for {path.name}, which is read as {layout.title}: leave it out"
            )
    if not layout.matched and set(source.mapping) - set(layout.fields):
        able = f"can name just {', '.join(layout.fields)}" if layout.fields else "is for tables"
        raise TandemError(
            f"{option_ref('map')} {able}, and {path.name} is read as {layout.title}: leave it out"
        )
    source = replace(source, kind=reading.kind or layout.kind)
    return RecognisedFile(source, layout.name, layout.match_fields(source))


def _make_no_columns_error(source: Source) -> UnrecognisedError:
    row, name = next(source.rows(), None), source.path.name
    if isinstance(row, files.SkippedRecord):
        return UnrecognisedError(f"no row of {name} can be read (row {row.number}: {row.reason})")
    what = "its rows are empty" if row else "it holds no rows"
    return UnrecognisedError(f"there is nothing to import in {name}: {what}")


def _detect(source: Source) -> str:
    if found := next((name for name in LAYOUTS if LAYOUTS[name].find_reader(source)), ""):
        return found
    raise UnrecognisedError(
        f"{source.path.name} is plain text, neither JSON lines nor in a layout that is known; "
        f"save it in one of {', '.join(files.READERS)}"
    )


def propose_reading(path: Path, reading: Reading = USUAL) -> Reading:
    """Return the reading of a file with what the file says itself: its layout, and the column of
    each field. Raises TandemError as `recognise` does.
    """
    found = recognise(path, reading)
    named = {name: column for name, column in found.fields.items() if name not in UNSETTLED}
    return replace(reading, layout=found.layout, mapping={**named, **reading.mapping})


def choose(paths: Sequence[Path], reading: Reading) -> tuple[list[StagedFile], dict[str, str]]:
    """Return the files to read, numbered from 0, and by name why others of a folder are not.

    Raises UnrecognisedError for a file that was named itself and is in no layout.
    """
    chosen, reasons, there = list[StagedFile](), dict[str, str](), list[str]()
    for path, name in _names(files.expand(paths)).items():
        try:
            sheets, notes = recognise_sheets(path, reading)
            for found in sheets:
                layout, tally = LAYOUTS[found.layout], Tally(notes=dict.fromkeys(notes))
                notes = []
                source = replace(found.source, zone=reading.time_zone, tally=tally)
                full = f"{name}, sheet {source.rater}" if source.rater else name
                file = StagedFile(len(chosen), full, layout, source, layout.reader(source))
                chosen.append(file)
                there += raters_of(found.fields)
                if source.rater and "judge" not in found.fields:
                    tally.notes["the name of the sheet is taken for that of the rater"] = None
        except UnrecognisedError as error:
            if path in paths:
                raise
            reasons[name] = error.sentence
    check_kinds(reading.kinds, there)
    for column in reading.unused:
        if chosen and not any(column in file.source.columns for file in chosen):
            name, columns = chosen[0].name, list_names(chosen[0].source.columns)
            raise TandemError(
                f"{option_ref('unused')} {column}: {name} has no such column; it has {columns}"
            )
    return chosen, reasons


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    ends = {
        path: ["/".join(path.parts[-depth:]) for depth in range(1, len(path.parts) + 1)]
        for path in paths
    }
    count = Counter(end for several in ends.values() for end in several)
    return {
        path: next((end for end in several if count[end] == 1), several[-1])
        for path, several in ends.items()
    }
