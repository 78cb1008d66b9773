"""Reader of tables of votes with a column for each outcome, as the LMSYS competition has them."""

from __future__ import annotations

from ...records import Outcome
from ..cells import Cells
from ..entry import Entry
from ..layout import Layout, Source
from ..table_fields import match_columns
from ..winners import NO_ANSWER
from . import votes

OUTCOMES = {
    "winner_a": Outcome.A,
    "winner_b": Outcome.B,
    "winner_tie": Outcome.TIE,
    "winner_both_bad": Outcome.BOTH_BAD,
}


class OneHot(votes.Votes):
    """Votes whose winner is the one of `winner_a`, `winner_b`, `winner_tie` and `winner_both_bad`
    that is 1; the others are 0. Where none is, nobody answered.
    """

    def _check_winner(self) -> None:
        """The columns by which the layout is recognised name the winner."""

    def _answer(self, cells: Cells) -> Entry:
        is_set = [name for name in OUTCOMES if self.fields.read_flag(cells, name)]
        if len(is_set) > 1:
            raise ValueError(f"more than one of {', '.join(is_set)} is 1")
        return {"outcome": OUTCOMES[is_set[0]]} if is_set else {"failure": NO_ANSWER}


def _is_one_hot(source: Source) -> bool:
    return {"winner_a", "winner_b"} <= set(match_columns(source)) and "winner" not in source.mapping


LAYOUT = Layout(
    "one-hot", "votes with a column for each outcome", {OneHot: _is_one_hot}, matched=match_columns,
    by_hand=(
        "item", "context", "system_a", "system_b", "text_a", "text_b", "winner_a", "winner_b",
        "winner_tie", "judge", "attribute",
    ),
    settings=("systems", "kind"),
)  # fmt: skip
