"""Win ratios from many judged pairs and few votes, and what each item adds to their error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Codes, Floats
from .judged_pairs import JudgedPairs, SolvedRatings, sum_by_code

SURE = 1.0
"""Standard errors that a slope is above 0 at least, for something to be divided by it. With more,
only slopes that are too great by chance would be taken."""


class Rows(NamedTuple):
    """Each pair twice, once from the side of each system: `cell` is what is averaged over, a system
    or, of the macro win ratio, a system against an opponent; `all_` and `asked` are what a row adds
    to its system's share among all pairs and among those with votes, `inflated` the latter as the
    variance takes it.
    """

    item: Codes
    system: Codes
    cell: Codes
    judged: Floats
    voted: Floats
    all_: Floats
    asked: Floats
    inflated: Floats


class Shares:
    """Win ratios: mean points of each system over the population of judged pairs, a tie being half.

    PPI++ for a mean (Angelopoulos, Duchi & Zrnic 2023, eq. 3): the mean of the votes, plus lambda
    times what the judges say of all pairs less what they say of those with votes. Every mean is a
    ratio of weighted sums (Hajek). `macro` averages over opponents first.
    """

    share = True

    def __init__(self, pairs: JudgedPairs, *, macro: bool = False) -> None:
        self.pairs, self.items = pairs, int(pairs.item.max(initial=-1)) + 1
        self._rows = _rows(pairs, macro)
        self._cells = int(self._rows.cell.max(initial=-1)) + 1

    def solve(self, tuning: Floats) -> SolvedRatings:
        """Solve with the judges weighted by `tuning` (J,) or, item by item, (I, J). NaN for a
        system without votes, or with a cell without any.
        """
        rows, said = self._rows, self._weigh_answers(tuning)
        left = np.nan_to_num(rows.voted) - said
        value = self._by_system(rows.asked * left + rows.all_ * said)
        asked = self._errors(rows.inflated, left, rows.asked)
        everywhere = self._errors(rows.all_, said, rows.all_)
        return SolvedRatings(np.where(self._is_rated(), value, np.nan), asked + everywhere)

    def rate_by_judges(self) -> SolvedRatings:
        """Rate the systems by the judges alone: their mean answer."""
        rows, said = self._rows, self._rows.judged.mean(axis=1)
        return SolvedRatings(
            self._by_system(rows.all_ * said), self._errors(rows.all_, said, rows.all_)
        )

    def correct_mistakes(self) -> SolvedRatings:
        """Rate the systems by the judges alone, corrected for their error rate where people voted.
        Assumes the same error rate on every pair, for all systems (Rogan & Gladen 1978; of LLM
        judges Lee et al. 2025).

        Each pair counts from both sides, so that a text is preferred wrongly as often as it is
        passed over wrongly, and judges say 1/2 + slope (share - 1/2): of verdicts the slope is
        twice the accuracy less 1, of probabilities it is that of a regression on people's answers.
        NaN where the slope may be 0: who may be guessing cannot be corrected.
        """
        pairs, alone = self.pairs, self.rate_by_judges()
        said = pairs.judged.mean(axis=1) - 0.5
        voted = np.where(pairs.has_votes, pairs.voted - 0.5, 0.0)
        counted = pairs.of_labelled() * voted
        total = (counted * voted).sum()
        slope = (counted * said).sum() / total if total else np.nan
        moved = sum_by_code(pairs.item, counted * (said - slope * voted), self.items) / total
        if not slope > SURE * np.sqrt((moved**2).sum()):
            return SolvedRatings(np.full(pairs.n, np.nan), np.zeros_like(alone.errors))
        away = (alone.rating - 0.5) / slope
        return SolvedRatings(0.5 + away, (alone.errors - moved[:, None] * away) / slope)

    def parts(self) -> tuple[Floats, Floats]:
        """Return what each item adds to the error from votes alone (I, n), and what each judge
        would add at lambda = 1 (I, n, J).
        """
        rows, rectifiers = self._rows, []
        for said in rows.judged.T:
            everywhere = self._errors(rows.all_, said, rows.all_)
            rectifiers.append(everywhere - self._errors(rows.asked, said, rows.asked))
        votes = self._errors(rows.asked, np.nan_to_num(rows.voted), rows.asked)
        return votes, np.stack(rectifiers, axis=2)

    def _weigh_answers(self, tuning: Floats) -> Floats:
        """Compute the weighted deviation of the judges' answers from their mean of the cell
        (rows,).
        """
        rows = self._rows
        trusted = np.broadcast_to(tuning, (self.items, self.pairs.judges))[rows.item]
        centred = [said - self._mean(said, rows.all_)[rows.cell] for said in rows.judged.T]
        return np.asarray((trusted * np.stack(centred, axis=1)).sum(axis=1))

    def _errors(self, counts: Floats, values: Floats, weights: Floats) -> Floats:
        rows = self._rows
        around = values - self._mean(values, weights)[rows.cell]
        place = rows.item * np.int64(self.pairs.n) + rows.system
        total = sum_by_code(place, counts * around, self.items * self.pairs.n)
        return total.reshape(self.items, self.pairs.n)

    def _mean(self, values: Floats, weights: Floats) -> Floats:
        total = sum_by_code(self._rows.cell, weights * values, self._cells)
        size = sum_by_code(self._rows.cell, weights, self._cells)
        return np.divide(total, size, out=np.zeros_like(total), where=size > 0)

    def _by_system(self, values: Floats) -> Floats:
        return sum_by_code(self._rows.system, values, self.pairs.n)

    def _is_rated(self) -> NDArray[np.bool_]:
        """Return whether every cell of a system has votes (n,)."""
        without = sum_by_code(self._rows.cell, self._rows.asked, self._cells) <= 0
        lacking = sum_by_code(self._rows.system, without[self._rows.cell] * 1.0, self.pairs.n)
        return np.asarray(lacking == 0)


def _rows(pairs: JudgedPairs, macro: bool) -> Rows:
    item = np.tile(pairs.item, 2)
    system = np.concatenate([pairs.first, pairs.second]).astype(np.int64)
    other = np.concatenate([pairs.second, pairs.first])
    cell = np.unique(system * pairs.n + other, return_inverse=True)[1] if macro else system
    cells = int(cell.max(initial=-1)) + 1
    of_cell = np.zeros(cells, dtype=np.int64)
    of_cell[cell] = system
    number = np.bincount(of_cell[np.unique(cell)], minlength=pairs.n)[system]
    weights, asked = np.tile(pairs.of_population(), 2), np.tile(pairs.of_labelled(), 2)
    everywhere = weights / sum_by_code(cell, weights, cells)[cell]
    total = sum_by_code(cell, asked, cells)[cell]
    share = np.divide(asked, total, out=np.zeros_like(asked), where=total > 0)
    place = np.unique(item * np.int64(cells) + cell, return_inverse=True)[1]
    # What a cluster draws towards itself: Bell & McCaffrey (2002), CR2
    leverage = np.minimum(sum_by_code(place, share, len(place))[place], 1 - 1e-9)
    return Rows(
        item,
        system,
        cell,
        np.concatenate([pairs.judged, 1 - pairs.judged]),
        np.concatenate([pairs.voted, 1 - pairs.voted]),
        everywhere / number,
        share / number,
        share / number / np.sqrt(1 - leverage),
    )
