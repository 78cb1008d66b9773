"""Best-worst scaling: several systems a row, the best of them and the worst.

The best is better than each other one, and each is better than the worst. What lies between was not
compared. A row is one ranking.

Layout: Item1, Item2 ..., BestItem and WorstItem, as the scripts of Kiritchenko and Mohammad (2017)
have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...records import Outcome
from ..cells import Cells, as_text, read_name
from ..entry import VOTE, Entry
from ..layout import Layout, Source, TableReader
from ..names import normalise_name
from ..table_fields import match_columns

ITEM = re.compile("(item|system|model|option)[0-9]+")


class BestWorst(TableReader):
    """A row has a column for each system that was shown, and the best and the worst."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.items, self.best, self.worst = _find_columns(source)
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        shown = [name for column in self.items if (name := as_text(cells.get(column)))]
        best, worst = read_name(cells, self.best), read_name(cells, self.worst)
        if best == worst or not {best, worst} <= set(shown) or len(set(shown)) < len(shown):
            raise ValueError(f"{best[:40]!r} and {worst[:40]!r} are not two of different systems")
        judge = self.fields.read_text(cells, "judge")
        shared = {**self.about_item(cells), "judge": judge, "ranking": str(number)}
        others = [name for name in shown if name not in (best, worst)]
        pairs = [(best, other) for other in (*others, worst)] + [(each, worst) for each in others]
        for winner, loser in pairs:
            first, second = sorted((winner, loser))  # so that the sides do not tell who won
            yield {
                "sort": VOTE, **shared, "system_a": first, "system_b": second,
                "order_known": False, "outcome": Outcome.A if winner == first else Outcome.B,
            }  # fmt: skip


def _find_columns(source: Source) -> tuple[list[str], str, str]:
    """Return the columns of the systems, of the best and of the worst; '' for one not there."""
    by_name = {normalise_name(column): column for column in source.columns}
    best, worst = (
        next((by_name[name] for name in (f"{word}item", word) if name in by_name), "")
        for word in ("best", "worst")
    )
    return [by_name[name] for name in by_name if ITEM.fullmatch(name)], best, worst


def _is_best_worst(source: Source) -> bool:
    items, best, worst = _find_columns(source)
    return len(items) > 2 and bool(best and worst)


LAYOUT = Layout(
    "best-worst", "best-worst scaling", {BestWorst: _is_best_worst},
    matched=lambda source: {
        name: column
        for name, column in match_columns(source).items()
        if name in ("item", "context", "judge")
    },
    by_hand=("item", "context", "judge"), settings=("kind",),
)  # fmt: skip
