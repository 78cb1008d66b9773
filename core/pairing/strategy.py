"""Pairing strategies, what they declare about themselves, and the pairs they choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, groupby, zip_longest
from operator import itemgetter
from types import MappingProxyType

import numpy as np
import pandas as pd

Pair = tuple[int, int]  # two generation ids; in a comparison the one shown first is in front

Answers = Mapping[Pair, float | None]
"""P(the first is better) of each ordered comparison a run has asked; None where the judge gave no
answer.
"""


@dataclass(frozen=True)
class SortSettings:
    """The settings by which PairS decides.

    A beam of one follows the likelier side alone, which is `pairs-greedy`. `calibrate` takes the
    mean of both orders of a pair; otherwise one order is asked.
    """

    beam_size: int = 1
    prob_gap: float = 0.0  # 0 to 1/2
    calibrate: bool = False


GREEDY = SortSettings()


Plan = Callable[[Sequence[Pair], int | None, Set[Pair], np.random.Generator], list[Pair]]
"""All comparisons of one item at once: of its pairs, for a budget (None = all there are). What the
judge has answered already counts towards the budget, and so comes first.
"""

Step = Callable[[Sequence[Pair], Set[Pair], Answers, np.random.Generator, SortSettings], list[Pair]]
"""Choose the next comparisons of one item; an empty list ends its plan.

Arguments are its pairs, those the judge has answered for any reason, and the answers to what was
chosen before. The generator gives the same numbers each time.
"""


@dataclass(frozen=True)
class Strategy:
    """A way to choose the comparisons of an item, at once (`plan`) or step by step (`step`).

    A step has a look at the answers. What it chooses is a function of the pairs, the seed and the
    answers to what it chose before. Nothing else is remembered, so a run that died goes on as if it
    had not, and its ranking can be made again from the store. `most` says how many comparisons it
    can ask about these pairs, `takes` which settings play a part, and `sorts` whether it ends in a
    ranking.
    """

    name: str
    label: str
    help: str
    plan: Plan | None = None
    step: Step | None = None
    most: Callable[[Sequence[Pair], SortSettings], int] = lambda pairs, settings: 2 * len(pairs)
    takes: tuple[str, ...] = ("budget",)
    answered: bool = False  # whether it asks only about pairs that people have answered
    even: bool = False  # whether a budget has to be, as each pair is asked in both orders
    sorts: bool = False

    @property
    def adaptive(self) -> bool:
        """Return whether a run plans as it goes; a budget is then an upper bound."""
        return self.step is not None

    def choose(
        self,
        pairs: Sequence[Pair],
        budget: int | None,
        known: Set[Pair],
        rng: np.random.Generator,
        answers: Answers = MappingProxyType({}),
        settings: SortSettings = GREEDY,
    ) -> list[Pair]:
        """Choose what is asked, or asked next, about the pairs of one item.

        A step-by-step strategy chooses nothing when it is through.
        """
        if self.plan is not None:
            return self.plan(pairs, budget, known, rng)
        assert self.step is not None
        chosen = self.step(pairs, known, answers, rng, settings)
        return chosen if budget is None else chosen[: max(0, budget - len(answers))]

    def bound(self, pairs: Sequence[Pair], budget: int | None, settings: SortSettings) -> int:
        """Return the most comparisons it asks of an item whose judge answers all of them."""
        most = self.most(pairs, settings)
        return most if budget is None else min(budget, most)


def candidate_pairs(
    generations: pd.DataFrame, *, samples: int = 1
) -> Iterator[tuple[str, list[Pair]]]:
    """Yield the unordered pairs of each item: different systems, sample j with sample j, j <
    `samples`, both texts at hand.

    `generations` is the store's frame (item, system, sample, generation, available). A pair is
    oriented by system name.
    """
    usable = generations[generations["available"].astype(bool) & (generations["sample"] < samples)]
    item, keys = pd.factorize(usable["item"])
    sample = usable["sample"].to_numpy()
    order = np.lexsort((pd.factorize(usable["system"], sort=True)[0], sample, item))
    item, sample = item[order], sample[order]
    texts = usable["generation"].to_numpy()[order].tolist()
    new = np.flatnonzero((np.diff(item, prepend=-1) != 0) | (np.diff(sample, prepend=-1) != 0))
    ends = np.append(new, len(item))[1:]
    of_sample = zip(item[new].tolist(), new.tolist(), ends.tolist(), strict=True)
    for place, parts in groupby(of_sample, key=itemgetter(0)):
        pairs = [pair for _, start, end in parts for pair in combinations(texts[start:end], 2)]
        if pairs:
            yield str(keys[place]), pairs


def groups(pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the candidates compared with one another, by sample, in the order of the pairs."""
    found: list[list[int]] = []
    of: dict[int, list[int]] = {}
    for first, second in pairs:
        if first not in of:
            found.append([first])
            of[first] = found[-1]
        if second not in of:
            of[first].append(second)
            of[second] = of[first]
    return found


def take_turns(lists: Sequence[Sequence[Pair]]) -> list[Pair]:
    """Return the first pair of each list, then the second of each, and so on."""
    return [pair for turn in zip_longest(*lists) for pair in turn if pair is not None]
