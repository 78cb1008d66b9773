"""Probing: a few comparisons whose only purpose is to see whether two ways to compute them
agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

from core.models.local.tokens import LanguageModel, LogProbabilities, Tokens

_CONTEXT = (
    "The council of a small town on the river voted on Tuesday to close the old bridge to cars "
    "from next spring. Engineers "
    "had found cracks in two of its seven piers, and repairs would have cost more than the town "
    "spends on its roads in three "
    "years. Shopkeepers on the east bank fear for their trade; the mayor promised them a ferry, "
    "which will run every twenty "
    "minutes and will be free for those who live there. A new bridge could be finished in five "
    "years at the earliest."
)
_TEXTS = (
    "A town closes its old bridge to cars because repairs would cost too much. A free ferry "
    "will take its place.",
    "The mayor likes ferries. The river is old, and there are seven piers and twenty minutes "
    "and five years.",
    "From next spring cars may no longer cross the cracked bridge; shopkeepers on the east bank "
    "fear for their trade, and "
    "it will be at least five years until there is a new one.",
)


LABELS = ("Summary A", "Summary B")


def questions(model: LanguageModel) -> list[Tokens]:
    """Six prompts with one context, or without where that is too long; every pair of texts in both
    orders.
    """
    found = []
    for first, second in permutations(_TEXTS, 2):
        asked = (
            f"Summary A:\n{first}\n\nSummary B:\n{second}\n\n"
            "Which summary is more coherent? Answer with Summary A or Summary B.\nAnswer:"
        )
        for prompt in (f"Article:\n{_CONTEXT}\n\n{asked}", asked):
            tokens = model.tokens(prompt, LABELS)
            if model.length(tokens) <= model.limit:
                found.append(tokens)
                break
    return found


def probabilities(model: LanguageModel) -> list[float]:
    """p of the first text in each of the comparisons."""
    return [probability(scores) for scores in model.log_probabilities(questions(model))]


def agree(one: LanguageModel, other: LanguageModel, most: float) -> bool:
    """Whether two ways to read come to the same on two of the comparisons, but for less than
    `most`; not if one breaks.
    """
    few = questions(one)[:2]
    try:
        found = [
            [probability(scores) for scores in model.log_probabilities(few)]
            for model in (one, other)
        ]
    except Exception:
        return False
    return moved(*found) < most


def moved(one: Sequence[float], other: Sequence[float]) -> float:
    """The most by which a probability differs; more than all of it where one is not a number."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return 2.0 if any(map(math.isnan, apart)) else max(apart, default=0.0)


def probability(scores: LogProbabilities) -> float:
    """p(A) from the log-probabilities of the labels of A and B."""
    a, b = scores
    return 1 / (1 + math.exp(min(b - a, 700.0)))
