"""Who won: the kinds of vote of a file, explained by the whole of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from core.importing.cells import short
from core.importing.codes import SIDE, Codes, Meaning, uncertain, undecided_error
from core.importing.layout import UNPARSED, Source
from core.importing.stage import LONG_TEXT, VoteKind
from core.importing.vote_words import VoteWords
from core.importing.winner_columns import (
    SharedNameError,
    UndecidedError,
    WinnerCell,
    WinnerColumn,
)
from core.importing.winners import (
    NO_ANSWER,
    SIDES,
    WINNERS,
    UncertainValueError,
    is_uncertain,
    strength_of,
)
from core.records import Outcome, TandemError, setting

OTHER = "\ue001"  # a text that the winner does not repeat
SWAPPED = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}


class Decision(NamedTuple):
    """What a kind of vote says: who won by the columns, or why there is no answer, with the word
    that is `unknown`; whether the second system was shown first; and why such a row is not used.
    """

    outcome: Outcome | None
    failure: str = ""
    unknown: str = ""
    is_swapped: bool = False
    strength: float | None = None
    reason: str = ""


class VoteMeanings:
    """The reading of a file's kinds of vote. `kinds` gives all of them; where the cells of a column
    can be read in two ways, they decide together.
    """

    def __init__(
        self, source: Source, words: VoteWords | None, kinds: Callable[[], Iterable[VoteKind]]
    ) -> None:
        self.source, self.words, self.kinds = source, words, kinds
        self._columns: dict[str, WinnerColumn] = {}

    def decide(self, kind: VoteKind) -> Decision:
        """What a kind of vote says. Raises TandemError where a column cannot be explained."""
        if not kind.field:
            decision = Decision(kind.outcome, "" if kind.outcome else UNPARSED)
        else:
            meant = self._mean(kind.field, kind)
            outcome = meant if isinstance(meant, Outcome) else None
            failure = "" if outcome else UNPARSED if meant is None else NO_ANSWER
            strength = strength_of(kind.winner) if outcome in SIDES else None
            unknown = kind.winner if meant is None else ""
            decision = Decision(outcome, failure, unknown, strength=strength)
        try:
            is_swapped = self._is_swapped(kind)
        except ValueError as error:
            return decision._replace(reason=str(error))
        if not is_swapped:
            self._check_places(kind, decision)
        elif self._is_place(kind, decision):
            raise TandemError(
                f"{kind.winner[:40]!r} in {self.source.path.name} may be the text shown first or a "
                f"column, as the two are swapped in some rows; if it is a column, say "
                f"{Codes(('A',), ('B',)).settings()} with its words, else write the names of "
                "systems"
            )
        return decision._replace(is_swapped=is_swapped)

    def is_doubtful(self, kind: VoteKind) -> bool:
        """Whether a column as a whole decides what a kind of vote says."""
        fields = [kind.field] * bool(kind.field) + ["shown_first"] * bool(kind.shown_first)
        return any(self._column(field).is_doubtful(_cell(field, kind)) for field in fields)

    def _column(self, field: str) -> WinnerColumn:
        if field not in self._columns:
            # What is no table says sides in words of its own.
            codes, words, is_placed = (
                self.words.of(field) if self.words else (Codes(means=SIDE), WINNERS, False)
            )
            cells = partial(self._cells, field)
            self._columns[field] = WinnerColumn(codes, words, cells, is_placed=is_placed)
        return self._columns[field]

    def _cells(self, field: str) -> Iterator[WinnerCell]:
        """All cells of a column that names a side."""
        for kind in self.kinds():
            if field in (kind.field, "shown_first"):
                yield _cell(field, kind)

    def _mean(self, field: str, kind: VoteKind) -> Meaning | None:
        file, cell = self.source.path.name, _cell(field, kind)
        column = self.words.columns.get(field, field) if self.words else field
        codes, sides = self.source.codes, self.source.tally.columns
        try:
            return self._column(field).outcome(cell)
        except UncertainValueError:
            values = (each.text for each in self._cells(field))
            in_doubt = filter(is_uncertain, [cell.text, *values])
            raise uncertain(file, column, in_doubt, sides, codes) from None
        except UndecidedError as error:
            raise undecided_error(file, column, error.values, sides, error.means) from None
        except SharedNameError:
            raise TandemError(
                f"{file}: {short(cell.text)} in column {short(column)} may name "
                f"{' or '.join(map(short, cell.systems))}; write the names of systems there as "
                "they are in their own columns"
            ) from None

    def _is_swapped(self, kind: VoteKind) -> bool:
        """Whether the text of column B was the one shown first. Raises ValueError."""
        if not (first := kind.shown_first):
            return kind.swapped
        try:
            side = self._column("shown_first").outcome(_cell("shown_first", kind))
        except (UncertainValueError, UndecidedError, SharedNameError):
            column = self.words.columns["shown_first"] if self.words else "shown_first"
            raise TandemError(
                f"column {column!r} of {self.source.path.name} says {first[:40]!r}, which may not "
                "be the side shown first, or may be another one; write a system's name there, or "
                f"leave it out with {setting('map')} shown_first="
            ) from None
        if side not in SIDES:
            raise ValueError(
                f"the side shown first, {first[:40]!r}, is neither a, b nor a system of this row"
            )
        return side is Outcome.B

    def _is_place(self, kind: VoteKind, decision: Decision) -> bool:
        """Whether a winner is a word that may be a place on the screen. A column of one of several
        judges is taken for that in any case.
        """
        if not kind.field or decision.outcome not in SIDES:
            return False
        if kind.field.startswith("winner:"):
            return True
        return self._column(kind.field).is_place(_cell(kind.field, kind))

    def _check_places(self, kind: VoteKind, decision: Decision) -> None:
        """Raises TandemError for a winner that may be a place, beside a column that may say who
        stood there.
        """
        if kind.place_hint and kind.field == "winner" and self._is_place(kind, decision):
            raise TandemError(
                f"{kind.winner[:40]!r} in {self.source.path.name} may be the text shown first or a "
                f"column, as column {kind.place_hint!r} may say who was shown where; name it with "
                f"{setting('map')} shown_first=COLUMN or {setting('map')} swapped=COLUMN, or "
                f"say with {setting('map')} shown_first= that it does not"
            )


def _cell(field: str, kind: VoteKind) -> WinnerCell:
    systems = kind.system_a, kind.system_b
    if field == "shown_first":
        return WinnerCell(kind.shown_first, systems)
    if field != "winner" or not (kind.repeats or kind.texts):
        return WinnerCell(kind.winner, systems)
    first, second = kind.texts or ("", "")
    said = kind.winner.strip() or LONG_TEXT
    texts = (said, second or OTHER) if kind.repeats == "a" else (first or OTHER, said)
    return WinnerCell(kind.winner, systems, texts if kind.repeats else (first, second))
