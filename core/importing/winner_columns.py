"""Meanings of the cells of a winner column. If they can be read in two ways, all rows decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ..records import Outcome, TandemError, option_ref
from . import files
from .cells import Cells, Row, quote_value
from .codes import SIDE, SYSTEM, TEXT, Codes, Meaning, decimal, make_uncertain_error
from .layout import Source
from .winners import LONG, MIRRORED, PLACES, SIDES, SMALL, is_uncertain, side_key, word

PERHAPS = "perhaps"  # the side that a small number may mean
BOTH = "both"  # a name that both systems have, but for how it is written


class WinnerCell(NamedTuple):
    """A cell of a winner column, and the systems and texts that its row compares."""

    text: str
    systems: tuple[str, str]
    texts: tuple[str, str] | None = None


class WinnerColumn:
    """The reading of a winner column: a cell names a system, a side, or repeats a text.

    Rows that can be read in one way are read so. As soon as one could be read in two ways, the
    whole column is read (`cells`), and must be explained by one reading alone. It must also be
    explained by that reading alone if every winner had lost, so that a file is never refused, or
    read otherwise, because of who won. `is_placed`: a word for a side may be a place on the screen.
    """

    def __init__(
        self,
        source: Source,
        name: str,
        codes: Codes,
        words: Mapping[str, Meaning],
        cells: Callable[[], Iterable[WinnerCell]],
        *,
        is_placed: bool = False,
    ) -> None:
        self.source, self.name, self.codes, self.words = source, name, codes, words
        self.is_placed, self._cells = is_placed, cells
        self._mirrored = {**MIRRORED, **_swapped_words(words)}

    def outcome(self, cell: WinnerCell) -> Meaning | None:
        """Return what a cell says of its row: an outcome, NO_ANSWER, None for an unknown word.

        Raises TandemError for a value that may mean either of two things in any file, where the
        column can be read in two ways, and for a name that both systems have.
        """
        if (coded := self.codes.outcome(cell.text)) is not None:
            return coded
        readings = self._readings(cell)
        meaning = readings[self._choose(cell, readings)] if readings else None
        if meaning == BOTH:
            raise TandemError(
                f"{self.source.path.name}: {quote_value(cell.text)} in column "
                f"{quote_value(self.name)} may name "
                f"{' or '.join(map(quote_value, cell.systems))}; write the systems there as in "
                "their own columns"
            )
        if meaning == PERHAPS or (meaning is None and is_uncertain(cell.text)):
            raise self._refuse([cell.text])
        return meaning

    def is_place(self, cell: WinnerCell) -> bool:
        """Return whether a cell is read as a word for a place on the screen."""
        readings = self._readings(cell)
        if readings and self._choose(cell, readings) != SIDE:
            return False
        is_place = side_key(cell.text) in PLACES or decimal(cell.text) is not None
        return is_place and self.codes.outcome(cell.text) is None

    def is_doubtful(self, cell: WinnerCell) -> bool:
        """Return whether the whole column decides what this cell, or its opposite, means."""
        names = [*cell.systems, *(text for text in cell.texts or () if len(text) <= LONG)]
        is_plain = len(set(map(word, names))) == len(names) and not any(
            key in self.words or key in SMALL for key in map(side_key, names)
        )  # no two readings of such a row disagree: a fast check
        if is_plain or not self._is_open(cell):
            return False
        return any(True for _ in self._list_different(self._list_versions(cell)))

    def _list_versions(self, cell: WinnerCell) -> Iterator[WinnerCell]:
        versions = [cell]
        for each in versions:
            yield each
            for how in (SYSTEM, SIDE):
                if (other := self._mirror(each, how)) not in versions:
                    versions.append(other)

    def _refuse(self, values: Iterable[str], means: Iterable[str] = ()) -> TandemError:
        """Return the refusal of values that may be read in two ways."""
        if not means:
            values = filter(is_uncertain, [*values, *(cell.text for cell in self._cells())])
        sides = self.source.tally.columns
        return make_uncertain_error(
            self.source.path.name, self.name, values, sides, self.codes, tuple(means)
        )

    def _readings(self, cell: WinnerCell) -> dict[str, Meaning]:
        readings: dict[str, Meaning] = {}
        name, key = cell.text.strip(), side_key(cell.text)
        if named := _named_side(name, cell.systems):
            readings[SYSTEM] = named
        if cell.texts and cell.texts[0] != cell.texts[1] and name and name in cell.texts:
            readings[TEXT] = SIDES[cell.texts.index(name)]
        if (side := self.words.get(key)) is not None:
            readings[SIDE] = side
        elif readings and key in SMALL:
            readings[SIDE] = PERHAPS
        return readings

    def _choose(self, cell: WinnerCell, readings: Mapping[str, Meaning]) -> str:
        first = self.codes.means or (self._whole_reading if self.is_doubtful(cell) else SYSTEM)
        return next(each for each in (first, SYSTEM, SIDE, TEXT) if each in readings)

    def _is_open(self, cell: WinnerCell) -> bool:
        return bool(cell.text.strip()) and self.codes.outcome(cell.text) is None

    def _mirror(self, cell: WinnerCell, reading: str) -> WinnerCell:
        meaning = self._readings(cell).get(reading)
        if reading == TEXT or meaning not in SIDES:
            return cell
        if reading == SYSTEM:
            return cell._replace(text=cell.systems[meaning == Outcome.A])
        return cell._replace(text=self._mirrored.get(side_key(cell.text), cell.text))

    @cached_property
    def _whole_reading(self) -> str:
        cells = [cell for cell in self._cells() if self._is_open(cell)]
        for cell in cells:
            if not self._readings(cell) and is_uncertain(cell.text):
                raise self._refuse([cell.text])
        failed = self._list_failed(cells)
        for reading in (SYSTEM, SIDE, TEXT):
            others = {SYSTEM, SIDE, TEXT} - {reading}
            lost = [self._mirror(cell, reading) for cell in cells]
            alone = others <= failed & (self._list_failed(lost) | {TEXT})
            if reading not in failed and alone:
                if reading == SYSTEM and self._is_tie_a_system(cells):
                    break
                return reading
        doubtful = [text for text, _ in self._list_different(cells)]
        opposite = [list(self._list_different(self._list_versions(cell))) for cell in cells]
        means = {each for found in opposite for _, readings in found for each in readings}
        values = doubtful or [found[0][0] for found in opposite if found]
        raise self._refuse(values, [each for each in (SYSTEM, SIDE, TEXT) if each in means])

    def _list_failed(self, cells: Iterable[WinnerCell]) -> set[str]:
        failed = set[str]()
        for readings in map(self._readings, cells):
            if {SYSTEM, TEXT} & set(readings) or readings.get(SIDE) in (*SIDES, PERHAPS):
                failed |= {SYSTEM, SIDE, TEXT} - set(readings)
        return failed

    def _list_different(self, cells: Iterable[WinnerCell]) -> Iterator[tuple[str, set[str]]]:
        for cell in cells:
            readings = self._readings(cell)
            several = PERHAPS in readings.values() or len(set(readings.values())) > 1
            is_placed = self.is_placed and readings.get(SIDE) in SIDES
            if len(readings) > 1 and (several or is_placed):
                yield cell.text, set(readings)

    def _is_tie_a_system(self, cells: Iterable[WinnerCell]) -> bool:
        """Return whether a tie in one row is a system's name in another: no row says which."""
        names, ties = set[str](), set[str]()
        for cell in cells:
            readings = self._readings(cell)
            names.update(map(word, cell.systems))
            if SYSTEM not in readings and readings.get(SIDE) not in (None, *SIDES):
                ties.add(word(cell.text))
        return bool(names & ties)


def _named_side(name: str, systems: tuple[str, str]) -> Meaning | None:
    if not name:
        return None
    if name not in systems:
        name, systems = word(name), (word(systems[0]), word(systems[1]))
    if name not in systems:
        return None
    return BOTH if systems[0] == systems[1] else SIDES[systems.index(name)]


def _swapped_words(words: Mapping[str, Meaning]) -> dict[str, str]:
    own = [key for key, side in words.items() if key not in MIRRORED and side in SIDES]
    first, second = ([key for key in own if words[key] is side] for side in SIDES)
    pairs = list(zip(first, second, strict=False))
    return {**dict(pairs), **{two: one for one, two in pairs}}


def name_sides(source: Source, places: tuple[str, str]) -> tuple[str, str]:
    """Return the names that were given, else the places of their texts, which a note says."""
    if len(source.systems) == 2:
        return source.systems[0], source.systems[1]
    source.tally.notes[
        f"it does not say whose texts they are, so systems are called {places[0]} and "
        f"{places[1]}; {option_ref('systems')} FIRST SECOND names them"
    ] = None
    return places


MOST = 50  # files that are looked into
LEVELS = 3  # folders above, with their folders called data


def tables_near(path: Path, *columns: str) -> Iterator[Iterator[Cells]]:
    """Yield the rows of each data file nearby that has these columns, the nearest file first."""
    seen = {path}
    for folder in list(path.parents)[:LEVELS]:
        for near in (folder, folder / "data"):
            for other in sorted(near.iterdir())[:MOST] if near.is_dir() else ():
                if other in seen or not other.is_file():
                    continue
                seen.add(other)
                with suppress(TandemError):  # not a data file, or a broken one: not for us to say
                    if set(columns) <= set(files.columns(other)):
                        yield _list_cells(other)
                if len(seen) > MOST:
                    return


def _list_cells(path: Path) -> Iterator[Cells]:
    with suppress(TandemError):  # what can be read is of use nevertheless
        yield from (row.cells for row in files.rows(path) if isinstance(row, Row))
