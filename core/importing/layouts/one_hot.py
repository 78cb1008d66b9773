"""Reader of tables of votes with a column for each outcome, as the LMSYS competition has them."""

from __future__ import annotations

from core.importing.cells import Cells, as_bool
from core.importing.layout import Layout, Source
from core.importing.layouts import votes
from core.importing.table_fields import matched
from core.importing.winners import NO_ANSWER
from core.records import Outcome

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

    def _raw(self, cells: Cells) -> str:
        return ", ".join(name for name in OUTCOMES if self._is_set(cells, name))

    def _is_set(self, cells: Cells, name: str) -> bool:
        given = self.fields.cell(cells, name)
        return as_bool(given, self.fields.column(name)) is True if name in self.fields else False

    def _said(self, cells: Cells, systems: tuple[str, str]) -> Outcome | str | None:
        chosen = [outcome for name, outcome in OUTCOMES.items() if self._is_set(cells, name)]
        if len(chosen) > 1:
            raise ValueError(f"more than one of {self._raw(cells)} is 1")
        return chosen[0] if chosen else NO_ANSWER


def _is_one_hot(source: Source) -> bool:
    fields = matched(source)
    return {"winner_a", "winner_b"} <= set(fields) and "winner" not in source.mapping


LAYOUT = Layout(
    "one-hot",
    "votes with a column for each outcome",
    {OneHot: _is_one_hot},
    matched=matched,
    by_hand=(
        "item",
        "context",
        "system_a",
        "system_b",
        "text_a",
        "text_b",
        "winner_a",
        "winner_b",
        "winner_tie",
        "judge",
        "attribute",
    ),
    settings=("systems", "kind"),
)
