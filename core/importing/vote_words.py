"""Words for who won, and their meaning by a table's own columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..records import Outcome, TandemError, option_ref
from .account import split_words
from .cells import Cells, as_text
from .codes import Codes
from .joint_columns import YES_NO, find_flag_side, list_own_words
from .source import Source
from .table_cells import Fields
from .winners import SIDES, WINNERS, word

PLACED = frozenset(
    ("left", "swap", "swapped", "flip", "flipped", "reverse", "reversed", "shown", "displayed",
     "presented", "order", "position", "side")
)  # fmt: skip
"""Words in the name of a column that may say who was shown where."""


class VoteWords:
    """Names for the winners of a table: `words` besides codes, `sides` in a sentence, `columns`
    by field. `pairs` are the columns of the first side with those of the second. `places` are
    those that nothing is read from, yet may say who stood where. `is_placed`: a word for a side
    may be a place on the screen.
    """

    def __init__(self, source: Source, fields: Fields) -> None:
        self.source, self.columns, self.codes = source, fields.columns, source.codes
        sides = [(f"{name}_a", f"{name}_b") for name in ("system", "text")]
        self.pairs = [
            (self.columns[first], self.columns[second])
            for first, second in sides
            if first in fields and second in fields
        ]
        self.words: dict[str, Outcome | str] = {**WINNERS, **_names_of_columns(self.pairs)}
        self.sides = next(iter(self.pairs), ("the first system", "the second system"))
        if len(source.systems) == 2:
            self.sides = source.systems[0], source.systems[1]
        is_said = {"shown_first", "swapped"} & {*source.mapping, *fields.columns}
        self.places = [  # columns that may say who was shown where, where no field does
            column for column in source.columns
            if not is_said and column not in fields.columns.values()
            and PLACED & set(re.split(r"[\s_-]+", column.casefold()))
        ]  # fmt: skip
        self.is_placed = bool({"shown_first", "swapped"} & set(fields.columns) or self.places)
        given = fields.columns.get("prob_a")
        self.believes_probability = given in ("prob_a", source.mapping.get("prob_a"))

    def find_hint(self, cells: Cells, systems: tuple[str, str]) -> str:
        """Return the column of a row that may say who stood where; '' where none does."""
        for column in self.places:
            value = (as_text(cells.get(column)) or "").strip()
            if value.casefold() in YES_NO or word(value) in self.words or value in systems:
                return column
        return ""

    def check_probability(self, outcome: Outcome, probability: float) -> None:
        """Check that a probability is of the first system, and not of the winner, say.

        Raises TandemError otherwise. A column that is called prob_a, or was said to be it, is
        believed.
        """
        points = {Outcome.A: 1, Outcome.B: -1}.get(outcome, 0)
        if not self.believes_probability and points * (probability - 0.5) < 0:
            raise TandemError(
                f"column {self.columns['prob_a']!r} of {self.source.path.name} gives "
                f"{self.sides[0]} {probability:g} where it {('won' if points > 0 else 'lost')}, "
                f"so it means something else; drop it with {option_ref('map')} prob_a="
            )

    def select_words(self, field: str) -> tuple[Codes, Mapping[str, Outcome | str], bool]:
        """Return the codes and words of a column, and whether a word may be a place.

        In a column of ids or indexes 0 and 1 are words, where the columns of the sides are numbered
        so.
        """
        words = dict(self.words)
        if field == "shown_first":
            words = {name: side for name, side in words.items() if name not in ("1", "2")}
            return Codes(), words | {"ab": Outcome.A, "ba": Outcome.B}, self.is_placed
        if field == "winner_swapped":
            return self.codes, words, True
        column = self.columns.get(field, "")
        if side := find_flag_side(column, self.columns):
            order = SIDES if side is SIDES[0] else SIDES[::-1]
            words |= {word: order[place] for word, place in YES_NO.items()}
        words |= list_own_words(self.columns)
        is_index = re.search(r"(^|_)(id|idx|index)$", split_words(column))
        if is_index and any((one[-2:], two[-2:]) == ("_0", "_1") for one, two in self.pairs):
            words |= {"0": Outcome.A, "1": Outcome.B}
        elif is_index and any(re.search(r"\.0(\.|$)", one) for one, _ in self.pairs):
            words |= self._read_places(column)
        return self.codes, words, self.is_placed

    def _read_places(self, column: str) -> dict[str, Outcome]:
        places = {str(row.get(column)).strip().removesuffix(".0") for row in self.source.cells()}
        for first, second, other in (("0", "1", "2"), ("1", "2", "0")):
            if {first, second} <= places and other not in places:
                return {first: Outcome.A, second: Outcome.B}
        return {}


def _names_of_columns(pairs: Sequence[tuple[str, str]]) -> dict[str, Outcome | str]:
    """A winner may be called by the column of its name or text; 1 and 2 are columns, too, where
    both are numbered so.
    """
    words: dict[str, Outcome | str] = {}
    for first, second in pairs:
        words.update({word(first): Outcome.A, word(second): Outcome.B})
        if (first[-1], second[-1], first[-2:-1].isdigit()) == ("1", "2", False):
            words.update({"1": Outcome.A, "2": Outcome.B})
    return words
