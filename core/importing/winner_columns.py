"""What the cells of a winner column mean. Where they can be read in two ways, all rows decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from core.importing.codes import SHOWN, SIDE, SYSTEM, TEXT, Codes, Meaning
from core.importing.winners import (
    MIRRORED,
    SIDES,
    UncertainValueError,
    is_place,
    is_uncertain,
    side_key,
    word,
)
from core.records import Outcome

SMALL = frozenset(("-1", "0", "1", "2"))  # numbers that people write for sides and ties
PERHAPS = "perhaps"  # the side that a small number may mean
BOTH = "both"  # a name that both systems have, but for how it is written
LONG = 100  # characters of a text that is no word for a side
PAIRS = 2**16  # pairs of systems that are remembered


@dataclass(frozen=True)
class WinnerCell:
    """A cell of a winner column, and the systems and texts that its row compares."""

    text: str
    systems: tuple[str, str]
    texts: tuple[str, str] | None = None


class UndecidedError(Exception):
    """A column whose `values` can be read as each of `means`, which disagree."""

    def __init__(self, values: Iterable[str], means: Iterable[str]) -> None:
        self.values, self.means = list(values), list(means)


class SharedNameError(Exception):
    """A cell that names both systems of its row, which differ in how they are written only."""


class WinnerColumn:
    """The reading of a winner column: a cell names a system, a side, or repeats a text.

    Rows that can be read in one way are read so. As soon as one could be read in two ways, the
    whole column is read (`cells`), and must be explained by one reading alone. It must also be
    explained by that reading alone if every winner had lost, so that a file is never refused, or
    read otherwise, because of who won. `is_placed`: a word for a side may be a place on the screen.
    """

    def __init__(
        self,
        codes: Codes,
        words: Mapping[str, Meaning],
        cells: Callable[[], Iterable[WinnerCell]],
        *,
        is_placed: bool = False,
    ) -> None:
        self.codes, self.words, self.is_placed = codes, words, is_placed
        self._cells = cells
        self._mirrored = {**MIRRORED, **_swapped_words(words)}
        self._doubtful_pairs: dict[tuple[str, str], bool] = {}

    def outcome(self, cell: WinnerCell) -> Meaning | None:
        """Return what a cell says of its row: an outcome, NO_ANSWER, None for an unknown word.

        Raises UncertainValueError for a value that may mean either of two things in any file,
        UndecidedError where the column can be read in two ways, SharedNameError.
        """
        if self.codes and (coded := self.codes.outcome(cell.text)) is not None:
            return coded
        readings = self.readings(cell)
        if not readings:
            if is_uncertain(cell.text):
                raise UncertainValueError(cell.text)
            return None
        meaning = readings[self._chosen(cell, readings)]
        if meaning == BOTH:
            raise SharedNameError(cell.text)
        if meaning == PERHAPS:
            raise UncertainValueError(cell.text)
        return meaning

    def is_place(self, cell: WinnerCell) -> bool:
        """Return whether a cell is read as a word for a place on the screen."""
        readings = self.readings(cell)
        if readings and self._chosen(cell, readings) != SIDE:
            return False
        return is_place(cell.text, self.codes)

    def is_doubtful(self, cell: WinnerCell) -> bool:
        """Return whether the whole column decides what this cell, or its opposite, means."""
        if not cell.text.strip() or (self.codes and self.codes.outcome(cell.text) is not None):
            return False
        return self._may_disagree(cell) and self._disagrees(cell)

    def readings(self, cell: WinnerCell) -> dict[str, Meaning]:
        """Return what a cell means by each reading that explains it."""
        readings: dict[str, Meaning] = {}
        name, key = cell.text.strip(), side_key(cell.text)
        if named := _named_side(name, cell.systems):
            readings[SYSTEM] = named
        if cell.texts and cell.texts[0] != cell.texts[1] and name and name in cell.texts:
            readings[TEXT] = SIDES[cell.texts.index(name)]
        side = self.words.get(key)
        if side is not None:
            readings[SIDE] = side
        elif readings and key in SMALL:
            readings[SIDE] = PERHAPS
        return readings

    def _chosen(self, cell: WinnerCell, readings: Mapping[str, Meaning]) -> str:
        """Return the reading that holds for a cell."""
        order = (SYSTEM, SIDE, TEXT)
        if self.codes.means:
            first = self.codes.means
        elif self.is_doubtful(cell):
            first = self._decided
        else:
            first = SYSTEM
        return next(each for each in (first, *order) if each in readings)

    def _may_disagree(self, cell: WinnerCell) -> bool:
        """Return whether two readings may disagree about any cell of such a row: a fast check."""
        doubtful = self._doubtful_pairs.get(cell.systems)
        if doubtful is None:
            if len(self._doubtful_pairs) >= PAIRS:
                self._doubtful_pairs.clear()
            first, second = cell.systems
            doubtful = word(first) == word(second) or any(map(self._is_side_word, cell.systems))
            self._doubtful_pairs[cell.systems] = doubtful
        return doubtful or any(
            self._is_side_word(text) or bool(_named_side(text, cell.systems))
            for text in cell.texts or ()
            if len(text) <= LONG
        )

    def _is_side_word(self, name: str) -> bool:
        return (key := side_key(name)) in self.words or key in SMALL

    def _disagrees(self, cell: WinnerCell) -> bool:
        """Return whether readings disagree about a cell, or about what it is if the other won."""
        seen, left = set[str](), [cell.text]
        while left:
            text = left.pop()
            if text in seen:
                continue
            seen.add(text)
            readings = self.readings(WinnerCell(text, cell.systems, cell.texts))
            if self._are_different(readings):
                return True
            other = WinnerCell(text, cell.systems)
            left += [self._opposite(each, other, readings) for each in (SYSTEM, SIDE)]
        return False

    def _are_different(self, readings: Mapping[str, Meaning]) -> bool:
        if len(readings) < 2:
            return False
        if PERHAPS in readings.values() or len(set(readings.values())) > 1:
            return True
        return self.is_placed and SIDE in readings and readings[SIDE] in SIDES

    def _opposite(self, reading: str, cell: WinnerCell, readings: Mapping[str, Meaning]) -> str:
        """Return the cell's text if the other one had won, by a reading."""
        meaning = readings.get(reading)
        if meaning not in SIDES:
            return cell.text
        if reading == SYSTEM:
            return cell.systems[meaning == Outcome.A]
        return self._mirrored.get(side_key(cell.text), cell.text)

    @cached_property
    def _decided(self) -> str:
        """The one reading that explains the whole column. Raises UndecidedError."""
        survey = _ColumnSurvey(self)
        for cell in self._cells():
            if cell.text.strip() and not (self.codes and self.codes.outcome(cell.text) is not None):
                survey.note(cell)
        return survey.decision()


class _ColumnSurvey:
    """Which readings explain all cells of a column, as they are and if every winner had lost."""

    def __init__(self, column: WinnerColumn) -> None:
        self.column = column
        self.failed = set[str]()
        self.failed_opposite: dict[str, set[str]] = {SYSTEM: set(), SIDE: set(), TEXT: set()}
        self.unnamed_words, self.names = set[str](), set[str]()
        self.doubtful: dict[str, None] = {}
        self.doubtful_opposites: dict[str, None] = {}
        self.means = set[str]()

    def note(self, cell: WinnerCell) -> None:
        column = self.column
        readings = column.readings(cell)
        if not readings and is_uncertain(cell.text):
            raise UncertainValueError(cell.text)
        self.failed |= _failing(readings)
        self._note_doubt(cell, self.doubtful)
        for reading, failed in self.failed_opposite.items():
            text = column._opposite(reading, cell, readings) if reading != TEXT else cell.text
            opposite = WinnerCell(text, cell.systems, cell.texts)
            failed |= _failing(column.readings(opposite))
            self._note_doubt(opposite, self.doubtful_opposites)
        self.names.update(map(word, cell.systems))
        if SYSTEM not in readings and readings.get(SIDE) not in (None, *SIDES):
            self.unnamed_words.add(word(cell.text))

    def _note_doubt(self, cell: WinnerCell, doubtful: dict[str, None]) -> None:
        readings = self.column.readings(cell)
        if self.column._are_different(readings):
            self.means |= set(readings)
            if len(doubtful) <= SHOWN:
                doubtful[cell.text] = None

    def decision(self) -> str:
        every = (SYSTEM, SIDE, TEXT)
        for reading in every:
            others = set(every) - {reading}
            alone = others <= self.failed & (self.failed_opposite[reading] | {TEXT})
            if reading not in self.failed and alone:
                # A tie in one row and a system of that name in another: no row says which.
                if reading == SYSTEM and self.unnamed_words & self.names:
                    break
                return reading
        means = [reading for reading in every if reading in self.means]
        raise UndecidedError(self.doubtful or self.doubtful_opposites, means)


def _failing(readings: Mapping[str, Meaning]) -> set[str]:
    """Return the readings that do not explain a cell that says who won."""
    says_who = bool({SYSTEM, TEXT} & set(readings)) or readings.get(SIDE) in (*SIDES, PERHAPS)
    return {each for each in (SYSTEM, SIDE, TEXT) if each not in readings} if says_who else set()


def _named_side(name: str, systems: tuple[str, str]) -> Meaning | None:
    """Return the side whose system has this name: exactly, or else but for how it is written."""
    if not name:
        return None
    if name not in systems:
        name, systems = word(name), (word(systems[0]), word(systems[1]))
    if name not in systems:
        return None
    return BOTH if systems[0] == systems[1] else SIDES[systems.index(name)]


def _swapped_words(words: Mapping[str, Meaning]) -> dict[str, str]:
    """Return the opposites of words that a file's own columns gave to the two sides."""
    own = [key for key, side in words.items() if key not in MIRRORED and side in SIDES]
    first, second = ([key for key in own if words[key] is side] for side in SIDES)
    return {
        key: other
        for one, two in zip(first, second, strict=False)
        for key, other in ((one, two), (two, one))
    }
