"""Label words among the likeliest tokens of a reply, as a server tells them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.judging import reply_parsing
from core.judging.verdict_forms import UnparsedReplyError
from core.models import split_thoughts
from core.models.served import Position


def label_probabilities(
    positions: Sequence[Position], said: int, labels: Sequence[str], *, is_cut: bool = False
) -> list[float] | None:
    """P(label) where a reply commits itself to the label it chooses, `said` (Liusie et al. 2024,
    eq. 3, over the wire).

    Where the verdict is stated in a form ("Verdict: Summary B", JSON), that is the token there that
    tells the labels apart, whatever was said of them before. Else it is the first token with which
    the reply so far chooses that label; before it ("Summary", "**", "The better one is") nothing is
    decided. There each of the likeliest tokens is put in its
    place, and its probability goes to the label that the reply would then state: " A" and " A."
    both count for "Summary A". A label that none of them states has probability 0, as in
    AlpacaEval. None when no probabilities came with that token.
    """
    tokens = [position.token for position in positions]
    try:
        verdict = reply_parsing.read_verdict("".join(tokens), labels, is_cut=is_cut)
    except UnparsedReplyError:
        verdict = None  # a token of its end may be beside the text: "<|eot|>"
    if verdict is not None and verdict.label != said:
        return None
    before, place = "", 0
    begins = verdict.place if verdict is not None and verdict.place is not None else None
    if begins is None:
        begins = answer_begins("".join(tokens))
    for position in positions:
        place += len(position.token)
        if place <= begins:
            continue
        if stated(before + position.token, labels) == said:
            found = [0.0] * len(labels)
            for token, logprob in position.top:
                label = stated(_last_statement(before) + token, labels)
                if label is not None:
                    found[label] += math.exp(logprob)
            return found if any(found) else None
        before += position.token
    return None


def answer_begins(text: str) -> int:
    """Where the answer of a reply begins behind its thoughts."""
    blanked = split_thoughts(text).blanked
    return len(blanked) - len(blanked.lstrip()) if blanked != text else 0


def _last_statement(text: str) -> str:
    """The sentence that is being written: those before it choose for themselves."""
    return re.split(r"(?<=[.!?;])\s+|\n", text)[-1]


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
