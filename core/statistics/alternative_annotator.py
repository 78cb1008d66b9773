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
    """A judge against n annotators, (n,) each, by their codes; shares in [0, 1], NaN without units.

    `judge` and `person` are how often each has the advantage (rho^f_j and rho^h_j, both where they
    score alike), `advantage` their difference with its 95% interval in [-1, 1]; `p`, and `adjusted`
    by Benjamini and Yekutieli, NaN where not tested; whether the judge has won; of how many `items`
    and `units`. `rate` is the winning rate omega of those tested, `probability` rho, the mean of
    their `judge`, with its interval.
    """

    judge: Floats
    person: Floats
    advantage: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted: Floats
    has_won: NDArray[np.bool_]
    items: NDArray[np.int64]
    units: NDArray[np.int64]
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
    p = _test_advantage(judge_wins - person_wins, who, annotators, terms)
    tested = ~np.isnan(p)
    adjusted, probability = np.full(annotators, np.nan), (np.nan,) * 3
    if tested.any():
        from scipy.stats import false_discovery_control  # takes a while to import

        adjusted[tested] = false_discovery_control(p[tested], method="by")
        of_tested = tested[who]
        column = np.unique(who[of_tested], return_inverse=True)[1]
        probability = mean_of_shares(judge_wins[of_tested], about[of_tested], column)
    won = np.nan_to_num(adjusted, nan=1.0) <= terms.level
    rate = float(won[tested].mean()) if tested.any() else np.nan
    judge_share, person_share = (
        _means(wins, who, annotators) for wins in (judge_wins, person_wins)
    )
    return AnnotatorTest(
        judge_share, person_share, judge_share - person_share,
        np.maximum(ahead.low, -1.0), np.minimum(ahead.high, 1.0),
        p, adjusted, won, ahead.n, np.bincount(annotator, minlength=annotators),
        rate, probability,
    )  # fmt: skip


def _means(values: Floats, who: Codes, n: int) -> Floats:
    number = np.bincount(who, minlength=n)
    total = np.bincount(who, values, minlength=n)
    return np.asarray(np.divide(total, number, out=np.full(n, np.nan), where=number > 0))


def _test_advantage(ahead: Floats, who: Codes, n: int, terms: ReplacementTerms) -> Floats:
    """p of H0: the judge has less advantage than -epsilon (paired t-test); NaN of few items."""
    items = np.bincount(who, minlength=n)
    mean = _means(ahead, who, n)
    squares = np.bincount(who, (ahead - mean[who]) ** 2, minlength=n)
    freedom = np.maximum(items - 1.0, 1.0)
    error = np.sqrt(squares / freedom / np.maximum(items, 1))
    away = mean + terms.epsilon
    t = np.divide(away, error, out=np.where(away > 0, np.inf, -np.inf), where=error > 1e-12)
    return np.asarray(np.where(items >= max(terms.least, 2), stdtr(freedom, -t), np.nan))
