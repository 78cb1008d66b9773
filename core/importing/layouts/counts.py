"""Readers of tables that count how often each of two systems won: a pair a row, or a square matrix
with the winners in the rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...records import Outcome
from ..cells import Cells, as_text, as_whole
from ..entry import VOTE, Entry
from ..layout import Layout, Reader, Source, TableReader
from ..table_fields import match_columns

OUTCOMES = {"wins_a": Outcome.A, "wins_b": Outcome.B, "wins_tie": Outcome.TIE}


class WinsPerPair(TableReader):
    """A row has two systems, `wins_a` and `wins_b` and perhaps `wins_tie`: so many votes."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields = self.fields
        vote: Entry = {"sort": VOTE, **self.about_item(cells), "order_known": False}
        vote |= {name: fields.read_name(cells, name) for name in ("system_a", "system_b")}
        vote |= {name: fields.read_text(cells, name) for name in ("attribute", "judge")}
        counts = {outcome: fields.read_whole(cells, name) for name, outcome in OUTCOMES.items()}
        for outcome, times in counts.items():
            if times:
                yield {**vote, "outcome": outcome, "times": times}


class WinMatrix(Reader):
    """A row is a system, named in the first column; under each other one, how often it won."""

    def __init__(self, source: Source) -> None:
        self.winner, *self.losers = source.columns
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        winner = (as_text(cells.get(self.winner)) or "").strip()
        wins = {
            loser: as_whole(cells.get(loser) or 0, f"column {loser!r}")
            for loser in self.losers
            if loser != winner
        }
        vote = {"sort": VOTE, "system_a": winner, "outcome": Outcome.A, "order_known": False}
        for loser, times in wins.items():
            if times:
                yield {**vote, "system_b": loser, "times": times}


def _has_wins(source: Source) -> bool:
    return {"system_a", "system_b", "wins_a", "wins_b"} <= set(match_columns(source))


def _is_matrix(source: Source) -> bool:
    """Return whether the first column names the others, each once."""
    first, *others = source.columns
    if len(others) < 2 or source.mapping:
        return False
    names = [cells.get(first) for cells in source.cells(len(others) + 1)]
    return len(names) == len(others) and all(name in names for name in others)


LAYOUT = Layout(
    "counts", "wins per pair", {WinsPerPair: _has_wins, WinMatrix: _is_matrix},
    matched=match_columns,
    by_hand=("item", "context", "system_a", "system_b", "wins_a", "wins_b", "judge", "attribute"),
    settings=("kind",),
)  # fmt: skip
