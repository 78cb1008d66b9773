"""Label words among the likeliest tokens of a reply, as a server tells them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.judging import reply_parsing
from core.models.served import Position


def label_probabilities(
    positions: Sequence[Position], said: int, labels: Sequence[str]
) -> list[float] | None:
    """P(label) where a reply commits itself to the label it chooses, `said` (Liusie et al. 2024,
    eq. 3, over the wire).

    That is the first token with which the reply so far states that label; before it ("Summary",
    "**", "The better one is") nothing is decided. There each of the likeliest tokens is put in its
    place, and its probability goes to the label that the reply would then state: " A" and " A."
    both count for "Summary A". A label that none of them states has probability 0, as in
    AlpacaEval. None when no probabilities came with that token.
    """
    before = ""
    for position in positions:
        if stated(before + position.token, labels) == said:
            found = [0.0] * len(labels)
            for token, logprob in position.top:
                label = stated(before + token, labels)
                if label is not None:
                    found[label] += math.exp(logprob)
            return found if any(found) else None
        before += position.token
    return None


def stated(text: str, labels: Sequence[str]) -> int | None:
    """The label a reply states so far. One whose last word has only begun ("Pos" of "Positive")
    counts if it can be no other.
    """
    whole = reply_parsing.choice(text, labels)
    if whole is not None:
        return whole
    lower = text.casefold()
    possible = set()
    for index, label in enumerate(labels):
        word = label.split()[-1]
        others = [other.split()[-1].casefold() for other in labels if other != label]
        for length in range(len(word) - 1, 0, -1):
            begun = word[:length].casefold()
            if lower.endswith(begun):
                if not any(other.startswith(begun) for other in others):
                    possible.add((index, reply_parsing.choice(text + word[length:], labels)))
                break
    meant = {index for index, completed in possible if completed == index}
    return meant.pop() if len(meant) == 1 else None
