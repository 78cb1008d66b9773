"""Minimum numbers of answers, items and systems for a headline that names a leader or a best judge
(docs/statistics.md, "What a headline may say"). Below them a sentence says how many there are, and
how many are needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...labels import pluralize, round_up_to_two_digits
from ...records import TandemError, option_ref

ANSWERS = 30
"""With fewer answers, the 95% interval of a share near one half reaches more than 17 points either
way.
"""
OF_EACH = 10
"""Answers about a system, or by a judge, without which its figure is an accident."""
ITEMS = 10
"""Intervals over fewer items are rough (tests/coverage/results.md)."""
SYSTEMS = 5
"""Four systems or fewer are in the same order, or in its reverse, by chance in more than 5% of
studies: 2 / 4! = 8%.
"""
FOLLOWS = 0.3
"""A rank correlation from which a judge is said to follow scores: a medium one by Cohen (1988,
3.2.1).
"""
RESAMPLES = 20
"""A standard error from fewer is itself uncertain by more than 15% (1 / sqrt(2 B), Efron &
Tibshirani 1993, eq. 6.9).
"""
PERCENTILES = 40
"""With fewer than 39 resamples, the ends of a 95% interval lie beyond all of them."""

POWER = 2.8
"""1.96 + 0.84 standard errors: 80% of studies find a difference of so many (Cohen 1988, 2.4)."""
FARTHEST = 100
"""Times as many items as there are: no longer a plan."""


def estimate_needed(
    share: float, low: float, high: float, items: int, *, against: float = 0.5
) -> int | None:
    """Estimate how many items would tell a share from `against` in 80% of studies, by its 95%
    interval on `items`, if it is the true one. None where it is too near, or there are enough.
    """
    away, error = abs(share - against), (high - low) / (2 * 1.96)
    if away * FARTHEST**0.5 < POWER * error or not away:
        return None
    needed = round_up_to_two_digits(max((POWER * error / away) ** 2 * items, ITEMS))
    return int(needed) if needed > items else None


def check_resamples(name: str, number: int, fewest: int = RESAMPLES) -> None:
    """Check that the setting `name` asks for enough resamples, or 0, which turns intervals off.
    Raises TandemError.
    """
    if number and number < fewest:
        raise TandemError(
            f"{option_ref(name)} {number} is too few resamples for an interval: take {fewest} or "
            "more, or 0 for none"
        )


@dataclass(frozen=True)
class Count:
    """Number of things named `noun` (singular), the number needed, and the effective number if
    known.
    """

    number: int
    noun: str
    needed: int
    worth: float = math.inf

    @property
    def is_enough(self) -> bool:
        """Return whether both the number and the effective number reach what is needed."""
        return min(self.number, self.worth) >= self.needed

    def write(self) -> str:
        """Write the count: "12 items, as good as 1.6," if that number explains why there are too
        few, else "12 items".
        """
        there = pluralize(self.number, self.noun)
        return f"{there}, as good as {self.worth:.1f}," if self.number >= self.needed else there


def count_answers(number: int, noun: str = "answer") -> Count:
    """Count answers, or other units of a share: votes, verdicts, pairs, texts."""
    return Count(number, noun, ANSWERS)


def count_ranking_answers(systems: int, number: int, noun: str = "answer") -> Count:
    """Count answers that rank this number of `systems`: each answer is about two of them."""
    return Count(number, noun, max(ANSWERS, OF_EACH * systems // 2))


def count_answers_of_each(number: int, noun: str = "answer") -> Count:
    """Count answers about one system, or by one of several judges."""
    return Count(number, noun, OF_EACH)


def count_items(number: int, worth: float = math.inf) -> Count:
    """Count items that are effectively `worth` of equal size: a few may hold most of the
    answers.
    """
    return Count(number, "item", ITEMS, worth)


def count_systems(number: int, worth: float = math.inf) -> Count:
    """Count systems that are effectively `worth` without a common base."""
    return Count(number, "system", SYSTEMS, worth)


def is_enough(*counts: Count) -> bool:
    """Return whether all counts are large enough for a claim."""
    return all(count.is_enough for count in counts)


def describe_shortfall(claim: str, *counts: Count) -> str:
    """Explain what is missing for a `claim` such as "a leader is named". '' if nothing is, else "2
    human votes so far; a leader is named from 30 on."
    """
    short = [count for count in counts if not count.is_enough]
    if not short:
        return ""
    there = " and ".join(count.write() for count in short)
    needed = [pluralize(count.needed, count.noun.rpartition(" ")[2]) for count in short]
    start = f"{short[0].needed:,}" if len(short) == 1 else " and ".join(needed)
    return f"{there} so far; {claim} from {start} on."
