"""Outcomes of the kinds of vote of a file, explained by the whole of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from ..records import Outcome, TandemError, option_ref
from .codes import SIDE, SYSTEM, Codes, Meaning, make_uncertain_error
from .layout import UNPARSED, Source
from .staged_values import LONG_TEXT, VoteKind
from .vote_words import VoteWords
from .winner_columns import WinnerCell, WinnerColumn
from .winners import NO_ANSWER, SIDES, WINNERS, strength_of

OTHER = "\ue001"  # a text that the winner does not repeat
FIRST, SWAPPED_FIELD = "shown_first", "winner_swapped"


class Decision(NamedTuple):
    """Meaning of a kind of vote: who won by the columns, or why there is no answer, with the
    word that is `unknown`. Besides, whether the second system was shown first, and why such a
    row is not used.
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
        """Decide the meaning of a kind of vote. Raises TandemError if a column cannot be
        explained.
        """
        meant: Meaning | None = kind.outcome
        if kind.field:
            meant = self._column(kind.field).outcome(_cell(kind.field, kind))
        decision = Decision(
            meant if isinstance(meant, Outcome) else None,
            failure=UNPARSED if meant is None else NO_ANSWER if meant == NO_ANSWER else "",
            unknown=kind.winner if meant is None else "",
            strength=strength_of(kind.winner) if meant in SIDES else None,
        )
        try:
            is_swapped = self._is_swapped(kind)
        except ValueError as error:
            return decision._replace(reason=str(error))
        self._check_place(kind, decision, is_swapped)
        return decision._replace(is_swapped=is_swapped)

    def _column(self, field: str) -> WinnerColumn:
        if field not in self._columns:
            # What is no table says sides in words of its own.
            codes, words, is_placed = (
                self.words.select_words(field)
                if self.words
                else (Codes(means=SIDE), WINNERS, False)
            )
            name = self.words.columns.get(field, field) if self.words else field
            cells = partial(self._cells, field)
            self._columns[field] = WinnerColumn(
                self.source, name, codes, words, cells, is_placed=is_placed
            )
        return self._columns[field]

    def _cells(self, field: str) -> Iterator[WinnerCell]:
        return (_cell(field, kind) for kind in self.kinds() if field in (kind.field, FIRST))

    def _is_swapped(self, kind: VoteKind) -> bool:
        if not (first := kind.shown_first):
            return kind.swapped
        column = self._column(FIRST)
        try:
            side = column.outcome(_cell(FIRST, kind))
        except TandemError:
            raise TandemError(
                f"column {column.name!r} of {self.source.path.name} says {first[:40]!r}, which "
                "may not be the side shown first. Write a system's name there, or leave it out "
                f"with {option_ref('map')} shown_first="
            ) from None
        if side not in SIDES:
            raise ValueError(
                f"the side shown first, {first[:40]!r}, is neither a, b nor a system of this row"
            )
        return side is Outcome.B

    def _check_place(self, kind: VoteKind, decision: Decision, is_swapped: bool) -> None:
        """Check a winner that is the word for a place on the screen.

        Raises TandemError where the two are swapped, or a column may say so. One of several judges'
        columns is taken for places.
        """
        is_hinted = kind.place_hint and kind.field == "winner"
        if not (is_swapped or is_hinted) or not kind.field or decision.outcome not in SIDES:
            return
        is_place = self._column(kind.field).is_place(_cell(kind.field, kind))
        if not is_place and not kind.field.startswith("winner:"):
            return
        if kind.field == SWAPPED_FIELD:
            if self.source.codes.means == SYSTEM:  # a word is the column's, whoever is shown first
                return
            winners = (each.winner for each in self.kinds() if each.field == kind.field)
            raise make_uncertain_error(
                self.source.path.name, self._column(kind.field).name, winners,
                self.source.tally.columns, self.source.codes, (SYSTEM, SIDE),
            )  # fmt: skip
        what = f"{kind.winner[:40]!r} in {self.source.path.name} may be the text shown first or a "
        if is_swapped:
            codes = Codes(("A",), ("B",)).settings()
            what += (
                f"column, as some rows swap the two. For a column, say {codes} with its words; "
                "else write the names of systems"
            )
        else:
            what += (
                f"column, as column {kind.place_hint!r} may say where each was shown. Name it "
                f"with {option_ref('map')} shown_first=COLUMN or {option_ref('map')} "
                f"swapped=COLUMN, or drop it with {option_ref('map')} shown_first="
            )
        raise TandemError(what)


def _cell(field: str, kind: VoteKind) -> WinnerCell:
    systems = kind.system_a, kind.system_b
    if field == FIRST:
        return WinnerCell(kind.shown_first, systems)
    if field != "winner" or not (kind.repeats or kind.texts):
        return WinnerCell(kind.winner, systems)
    first, second = kind.texts or ("", "")
    said = kind.winner.strip() or LONG_TEXT
    texts = (said, second or OTHER) if kind.repeats == "a" else (first or OTHER, said)
    return WinnerCell(kind.winner, systems, texts if kind.repeats else (first, second))
