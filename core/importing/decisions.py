"""Who won in the rows of a file that are used, beside those that are not: do the two differ?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.importing.cells import short

ALPHA = 0.01  # of all comparisons of a file together
ENOUGH, HIDDEN = 20, 0.1  # rows, and the share of them that may decide a rank unseen
KEPT, SKIPPED = 0, 1
WON, LOST = 0, 1
TESTED = 200  # systems, those with the most skipped rows first


def _empty_table() -> list[list[int]]:
    return [[0, 0], [0, 0]]


@dataclass
class Decisions:
    """How often each system won and lost in rows that are kept and in rows that are skipped.

    `systems` and `sides` have [[won, lost] of kept rows, [won, lost] of skipped rows] by name;
    `unknown` counts answers in words that are not known, by system.
    """

    systems: dict[str, list[list[int]]] = field(default_factory=lambda: defaultdict(_empty_table))
    sides: dict[str, list[list[int]]] = field(default_factory=lambda: defaultdict(_empty_table))
    unknown: Counter[str] = field(default_factory=Counter)

    def add(self, ordered: tuple[str, str], is_kept: bool, times: int = 1) -> None:
        """Count a decision between two systems, the winner first."""
        row = KEPT if is_kept else SKIPPED
        for system, column in zip(ordered, (WON, LOST), strict=True):
            self.systems[system][row][column] += times

    def add_side(
        self, columns: tuple[str, str], is_first: bool, is_kept: bool, times: int = 1
    ) -> None:
        """Count decisions by the side that won."""
        self.sides[columns[0]][KEPT if is_kept else SKIPPED][WON if is_first else LOST] += times

    def add_unknown(self, systems: tuple[str, str], times: int = 1) -> None:
        """Count answers in an unknown word about two systems."""
        self.unknown.update(dict.fromkeys(systems, times))

    def alarms(self) -> list[str]:
        """Say where rows that are not used differ from the used ones in who wins."""
        return [*self._skipped(), *self._never_understood()]

    def unread_alarms(self, rows: int, lost: int) -> list[str]:
        """Say of rows that are not used, of so many, where a tenth of them all hide who won."""
        known = sum(sum(cells[SKIPPED]) for cells in self.systems.values()) // 2
        unread = lost - known
        if not self.systems or rows < ENOUGH or unread < HIDDEN * rows:
            return []
        return [
            f"{unread:,} of {rows:,} rows are not used, and who wins in them is not known: mend "
            "these rows before you rank"
        ]

    def _skipped(self) -> Iterator[str]:
        tables = [*self.sides.items(), *self.systems.items()]
        tables = [(name, cells) for name, cells in tables if sum(cells[SKIPPED])]
        tables = sorted(tables, key=lambda named: -sum(named[1][SKIPPED]))[:TESTED]
        differences = [_difference(cells) for _, cells in tables]
        least = min(differences, default=1.0)
        if least * len(tables) >= ALPHA or not tables:
            return
        name, ((won, lost), (skipped_won, skipped_lost)) = tables[differences.index(least)]
        yield (
            f"skipped rows differ from the others in who wins: {short(name)} won {won:,} of "
            f"{won + lost:,} decisions that are kept, and {skipped_won:,} of "
            f"{skipped_won + skipped_lost:,} that are skipped; mend these rows before you rank"
        )

    def _never_understood(self) -> Iterator[str]:
        kept = {name: cells[KEPT] for name, cells in self.systems.items()}
        never = [
            (number, name)
            for name, number in self.unknown.items()
            if name in kept and kept[name][WON] == 0 < kept[name][LOST]
        ]
        if never:
            number, name = max(never)
            yield (
                f"{short(name)} never wins, and {number:,} answers about it are in words that are "
                "not known: if these are its wins, say so before you rank"
            )


def _difference(cells: list[list[int]]) -> float:
    """The p-value of equal shares of wins in kept and skipped rows; 0 where all wins, or all
    losses, of a system are among the skipped.
    """
    from scipy.stats import fisher_exact

    if not any(cells[KEPT]):
        return 1.0
    if any(skipped and not kept for kept, skipped in zip(*cells, strict=True)):
        return 0.0
    return float(fisher_exact(cells)[1])
