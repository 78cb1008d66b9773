"""Tally of who was preferred in a file of votes, counted while it is read: what looks wrong
shows there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..records import Outcome, option_ref
from .cells import quote_value
from .codes import UncertainError

ALPHA = 0.01  # of all comparisons of a file together
HIDDEN = 0.1  # the share of rows that may decide a rank unseen
ENOUGH = 20  # rows, or votes, from which it is odd that they are lost, or that a side never wins
KEPT, SKIPPED = 0, 1
WON, LOST = 0, 1
TESTED = 200  # systems, those with the most skipped rows first


def _count_by_name() -> dict[str, list[list[int]]]:
    return defaultdict(lambda: [[0, 0], [0, 0]])


@dataclass
class Decisions:
    """Numbers of wins and losses of each system, in rows that are kept and in rows that are
    skipped.

    `systems` and `sides` have [[won, lost] of kept rows, [won, lost] of skipped rows] by name;
    `unknown` counts answers in words that are not known, by system.
    """

    systems: dict[str, list[list[int]]] = field(default_factory=_count_by_name)
    sides: dict[str, list[list[int]]] = field(default_factory=_count_by_name)
    unknown: Counter[str] = field(default_factory=Counter)

    def alarms(self) -> list[str]:
        """Say where rows that are not used differ from the used ones in who wins."""
        return [*self._describe_skipped(), *self._never_understood()]

    def unread_alarms(self, rows: int, lost: int) -> list[str]:
        """Say of rows that are not used, of so many, where a tenth of them all hide who won."""
        known = sum(sum(cells[SKIPPED]) for cells in self.systems.values()) // 2
        unread = lost - known
        if not self.systems or rows < ENOUGH or unread < HIDDEN * rows:
            return []
        return [
            f"{unread:,} of {rows:,} rows are not used, and their winners are unknown: mend "
            "these rows before you rank"
        ]

    def _describe_skipped(self) -> Iterator[str]:
        tables = [*self.sides.items(), *self.systems.items()]
        tables = [(name, cells) for name, cells in tables if sum(cells[SKIPPED])]
        tables = sorted(tables, key=lambda named: -sum(named[1][SKIPPED]))[:TESTED]
        differences = [_difference(cells) for _, cells in tables]
        least = min(differences, default=1.0)
        if least * len(tables) >= ALPHA or not tables:
            return
        name, ((won, lost), (skipped_won, skipped_lost)) = tables[differences.index(least)]
        yield (
            f"skipped rows differ from the others in who wins. {quote_value(name)} won {won:,} of "
            f"{won + lost:,} decisions that are kept, and {skipped_won:,} of "
            f"{skipped_won + skipped_lost:,} that are skipped. Mend these rows before you rank"
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
                f"{quote_value(name)} never wins, and {number:,} answers about it are in unknown "
                "words: if these are wins, say so first"
            )


def _difference(cells: list[list[int]]) -> float:
    """Return the p-value of equal shares of wins in kept and skipped rows."""
    from scipy.stats import fisher_exact

    if not any(cells[KEPT]):
        return 1.0
    if any(skipped and not kept for kept, skipped in zip(*cells, strict=True)):
        return 0.0
    return float(fisher_exact(cells)[1])


SIDES = (Outcome.A, Outcome.B)
REMEMBERED = 1000  # unknown words


@dataclass
class Tally:
    """The outcomes of a file's votes by column, whichever was shown first, and the answers in words
    that are not known.
    """

    columns: tuple[str, str] = ("the first", "the second")
    has_known_winners: bool = False  # the columns say who won, so no side is odd
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    timed: int = 0  # cells that name a moment
    untimed: Counter[str] = field(default_factory=Counter)  # those that do not, and what they say
    notes: dict[str, None] = field(default_factory=dict)  # what a reader decided, said once
    first: dict[str, None] = field(default_factory=dict)  # what must be said before that
    decisions: Decisions = field(default_factory=Decisions)

    def clear(self) -> None:
        """Forget what was counted, but not what a reader noted."""
        self.outcomes.clear()
        self.unknown.clear()
        self.first.clear()
        self.decisions = Decisions()

    def add_decision(
        self,
        outcome: Outcome | None,
        systems: tuple[str, str],
        *,
        unknown: str = "",
        is_kept: bool = True,
        times: int = 1,
    ) -> None:
        """Count so many answers about two systems, in rows that are kept or skipped: who won, or
        the word that is not known.
        """
        if outcome in SIDES:
            row, is_first = KEPT if is_kept else SKIPPED, outcome is Outcome.A
            ordered = systems if is_first else systems[::-1]
            for system, column in zip(ordered, (WON, LOST), strict=True):
                self.decisions.systems[system][row][column] += times
            if not self.has_known_winners:
                self.decisions.sides[self.columns[0]][row][WON if is_first else LOST] += times
        if not is_kept or self.has_known_winners:
            return
        if outcome is not None:
            self.outcomes[outcome] += times
        elif unknown:
            word = unknown[:100]
            is_new = word not in self.unknown and len(self.unknown) >= REMEMBERED
            self.unknown["..." if is_new else word] += times
            self.decisions.unknown.update(dict.fromkeys(systems, times))

    def alarms(self) -> list[str]:
        """List what a person must know first: rows that are not used differ in who won."""
        return [*self.first, *self.decisions.alarms()]

    def refusal(self, file: str) -> UncertainError:
        """Return the error for a file whose answers are mostly not understood: it is not
        imported.
        """
        return UncertainError(
            f"most answers of {file} are in unknown words ({_list_words(self.unknown)}). Say "
            f"what they mean with {option_ref('first_wins')}, {option_ref('second_wins')} and "
            f"{option_ref('tie')}, or name another column with {option_ref('map')} winner=COLUMN",
            self.columns,
            values=[word for word, _ in self.unknown.most_common()],
        )

    def warnings(self) -> list[str]:
        """List what a person should look at before believing these votes."""
        return [*self.alarms(), *self.notes, *self._describe_answers(), *self._describe_times()]

    def _describe_answers(self) -> Iterator[str]:
        unknown = self.unknown.total()
        votes = self.outcomes.total() + unknown
        sides = zip(self.columns, SIDES, strict=True)
        never = [column for column, side in sides if not self.outcomes[side]]
        if votes >= ENOUGH and never:
            yield (
                f"nobody ever prefers {' or '.join(never)} in {votes:,} votes: read the rows in "
                "words, and check what the winner means"
            )
        if unknown:
            answers = "1 answer in a word that is not known is kept"
            if unknown > 1:
                answers = f"{unknown:,} answers in words that are not known are kept"
            yield (
                f"{answers} as unparsed ({_list_words(self.unknown)}): say what they mean with "
                f"{option_ref('first_wins')}, {option_ref('second_wins')} or {option_ref('tie')}"
            )

    def _describe_times(self) -> Iterator[str]:
        said = Counter({text: count for text, count in self.untimed.items() if text})
        if not (said or (self.timed and self.untimed)):
            return
        count, every = self.untimed.total(), self.timed + self.untimed.total()
        where = "after the others, in the order of the file" if self.timed else "as the file has it"
        yield (
            f"{count:,} of {every:,} votes have no time that can be read"
            f"{f' ({_list_words(said)})' if said else ''}: their order is {where}"
        )


def _list_words(words: Counter[str]) -> str:
    several = [
        f"{quote_value(word)} {count:,} times" if count > 1 else quote_value(word)
        for word, count in words.most_common(3)
    ]
    return ", ".join(several) + (" ..." if len(words) > 3 else "")
