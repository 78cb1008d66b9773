"""The alternative annotator test: whether a judge does as well for a panel of people as one of them
does (Calderon, Reichart & Dror 2025, "The alternative annotator test for LLM-as-a-judge").

Each annotator in turn is left out. On every unit, judge and annotator are scored by how far they
agree with the others; the one whose score is no less has the advantage. A judge wins against an
annotator if it has the advantage about as often, `epsilon` less at most: what the annotator costs
more. Verdicts are those of `core.statistics.agreement`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from .agreement import CATEGORIES, SHARED, tabulate_verdicts
from .columns import Codes, Floats
from .intervals import mean_of_shares, means_by

UNANSWERED = -1

SAME = np.diag([1.0] * SHARED + [0.0] * (CATEGORIES - SHARED))
"""How far one verdict agrees with another: a tie is an answer of its own, as the paper has it, and
who contradicts themselves agrees with nobody."""


@dataclass(frozen=True)
class ReplacementTerms:
    """Terms for a judge to win: `epsilon` is the cost-benefit penalty, in shares of units; `level`
    the false discovery rate over annotators with `least` items or more.
    """

    epsilon: float = 0.1
    level: float = 0.05
    least: int = 30


class AnnotatorTest(NamedTuple):
    """A judge against n annotators, (n,) each, by their codes; NaN without units.

    `advantage` is how much more often the judge has it than the annotator (rho^f_j - rho^h_j), with
    its 95% interval in [-1, 1]; `p`, NaN where not tested; whether the judge has won, by Benjamini
    and Yekutieli's correction. `rate` is the winning rate omega of those tested, `probability` rho,
    the mean over them of how often the judge has the advantage, with its interval.
    """

    advantage: Floats
    low: Floats
    high: Floats
    p: Floats
    has_won: NDArray[np.bool_]
    rate: float
    probability: tuple[float, float, float]

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Return whether each test was possible, so that it has a p-value."""
        return ~np.isnan(self.p)


def alternative_annotator(
    annotator: Codes,
    unit: Codes,
    verdict: Codes,
    judge: Codes,
    item: Codes,
    terms: ReplacementTerms,
) -> AnnotatorTest:
    """The test of one judge (Calderon et al. 2025, section 3, with accuracy as the score).

    `annotator`, `unit` and `verdict` (m,) are what people said, at most once each of a unit;
    `judge` (units,) what the judge said, UNANSWERED where nothing; `item` (units,). Units with
    fewer than two people, or without the judge, play no part. Pairs of texts of one item are not
    independent, so the means of items are tested: with one unit an item, exactly the paper's test.
    """
    people = np.bincount(unit, minlength=len(judge))
    kept = ((people >= 2) & (judge != UNANSWERED))[unit]
    annotators = int(annotator.max(initial=-1)) + 1
    annotator, unit, verdict = annotator[kept], unit[kept], verdict[kept]
    # S(f, x_i, j) and S(h_j, x_i, j), the mean agreement with the unit's other annotators
    others = tabulate_verdicts(unit, verdict, len(judge))[unit]
    others[np.arange(len(unit)), verdict] -= 1
    every = others.sum(axis=1)
    both = (np.einsum("mk,mk->m", others, SAME[said]) for said in (judge[unit], verdict))
    of_judge, of_person = (np.round(total / every, 12) for total in both)
    size = int(item.max(initial=0)) + 1
    cells, of_cell, number = np.unique(
        annotator * size + item[unit], return_inverse=True, return_counts=True
    )
    who, about = np.divmod(cells, size)
    judge_wins, person_wins = (
        np.bincount(of_cell, better, minlength=len(cells)) / number
        for better in (of_judge >= of_person, of_person >= of_judge)
    )
    ahead = means_by(judge_wins - person_wins, about, who, n=annotators)
    p = _test_advantage(judge_wins - person_wins, ahead.share, who, terms)
    tested = ~np.isnan(p)
    won, probability = np.zeros(annotators, dtype=bool), (np.nan,) * 3
    if tested.any():
        from scipy.stats import false_discovery_control  # takes a while to import

        won[tested] = false_discovery_control(p[tested], method="by") <= terms.level
        of_tested = tested[who]
        column = np.unique(who[of_tested], return_inverse=True)[1]
        probability = mean_of_shares(judge_wins[of_tested], about[of_tested], column)
    rate = float(won[tested].mean()) if tested.any() else np.nan
    low, high = np.maximum(ahead.low, -1.0), np.minimum(ahead.high, 1.0)
    return AnnotatorTest(ahead.share, low, high, p, won, rate, probability)


def _test_advantage(ahead: Floats, mean: Floats, who: Codes, terms: ReplacementTerms) -> Floats:
    """p of H0: the judge has less advantage than -epsilon (paired t-test); NaN of few items."""
    items = np.bincount(who, minlength=len(mean))
    squares = np.bincount(who, (ahead - mean[who]) ** 2, minlength=len(mean))
    freedom = np.maximum(items - 1.0, 1.0)
    error = np.sqrt(squares / freedom / np.maximum(items, 1))
    away = mean + terms.epsilon
    t = np.divide(away, error, out=np.where(away > 0, np.inf, -np.inf), where=error > 1e-12)
    return np.asarray(np.where(items >= max(terms.least, 2), stdtr(freedom, -t), np.nan))
