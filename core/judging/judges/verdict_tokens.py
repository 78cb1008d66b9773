"""The probability of a verdict, from the likeliest tokens where a reply states it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...models.served import Position
from ...records import Scale
from ..forms import Labels, Statement
from ..forms.labels import count_shared, narrow_characters

_AROUND = " \t\n*_`#\"'“”[](){}:.,;!。"


def label_probabilities(
    positions: Sequence[Position], stated: Statement, words: Sequence[str]
) -> list[float] | None:
    """Return P(label) at the token that distinguishes the stated label from the others.

    The formula is eq. 3 of Liusie et al. (2024), over the wire.

    Each of the likeliest tokens there counts for the label that it begins: " A", "A." and "**A" all
    for "Summary A". A label that is not among them has probability 0, as in AlpacaEval. An earlier
    token may separate a tie from both labels; its probability is that at this token. Returns None
    when no probabilities came with the token.
    """
    labels = Labels(tuple(words))
    cores = [labels.fold_case(core) for core in labels.cores]
    shared = count_shared(*cores[:2]) if stated.label != labels.tie else 0
    cores = [core[shared:] for core in cores[:2]] + cores[2:]
    at = _position_at(positions, stated.core + shared)
    if at is None:
        return None
    found = [0.0] * len(cores)
    for token, logprob in at[0].top:
        label = _find_begun_label(labels.fold_case(_read_alternative(token, *at)), cores)
        if label is not None:
            found[label] += math.exp(logprob)
    first = _position_at(positions, stated.start)
    if labels.tie is not None and stated.label != labels.tie and first and first[0] is not at[0]:
        own = (math.exp(lp) for token, lp in first[0].top if token == first[0].token)
        share = next(own, 1.0)  # where it is not among the likeliest
        found = [p * share for p in found]
        found[labels.tie] = sum(
            math.exp(logprob)
            for token, logprob in first[0].top
            if _find_begun_label(labels.fold_case(_read_alternative(token, *first)), cores[2:])
            is not None
        )
    return found if any(found) else None


def mark_probabilities(
    positions: Sequence[Position], stated: Statement, scale: Scale
) -> tuple[dict[int, float], bool] | None:
    """Return P(mark) of the marks among the likeliest tokens where a reply states its mark (Liu et
    al. 2023), and whether a "1" among them may yet become "10".

    Where the reply itself goes on from "1", what it could have gone on with tells them apart. None
    when no probabilities came with that token.
    """
    at = _position_at(positions, stated.start)
    if at is None:
        return None
    found: dict[int, float] = {}
    for token, logprob in at[0].top:
        digits = narrow_characters(_read_alternative(token, *at)).strip(_AROUND)
        if re.fullmatch(r"\d{1,3}", digits) and int(digits) in scale.marks:
            found[int(digits)] = found.get(int(digits), 0.0) + math.exp(logprob)
    if not found:
        return None
    # The model writes 10 as "1" and "0", as far as these tokens tell.
    is_whole = any(narrow_characters(token).strip(_AROUND) == "10" for token, _ in at[0].top)
    is_open = scale.high >= 10 and not is_whole and 1 in found
    own = narrow_characters(_read_alternative(at[0].token, *at)).strip(_AROUND)
    place = positions.index(at[0]) + 1
    if is_open and own == "1" and place < len(positions):
        return split_ten(found, positions[place]), False
    return found, is_open


def split_ten(found: dict[int, float], behind: Position) -> dict[int, float]:
    """Return P(mark) with "10" separated from "1" by the token behind the "1"."""
    longer = sum(
        math.exp(lp)
        for token, lp in behind.top
        if narrow_characters(token).lstrip().startswith("0")
    )
    return found | {1: found[1] * (1 - min(longer, 1.0)), 10: found[1] * min(longer, 1.0)}


def _position_at(positions: Sequence[Position], place: int) -> tuple[Position, int] | None:
    """Return the token that holds a character of the reply, and at which of its characters."""
    begin = 0
    for position in positions:
        if begin <= place < begin + len(position.token):
            return position, place - begin
        begin += len(position.token)
    return None


def _read_alternative(token: str, chosen: Position, place: int) -> str:
    """Read a likely token in place of the chosen one, from its character `place` on."""
    before = chosen.token[:place]
    if token.casefold().startswith(before.casefold()):
        return token[place:]
    return token if not re.search(r"\w", before) else ""


def _find_begun_label(text: str, cores: Sequence[str]) -> int | None:
    """Return the only label that a token states or begins."""
    said = narrow_characters(text).strip(_AROUND)
    if not said:
        return None
    if said in cores:
        return cores.index(said)
    begun = [
        index
        for index, core in enumerate(cores)
        if core.startswith(said) or re.match(rf"{re.escape(core)}(?![^\W_])", said)
    ]
    return begun[0] if len(begun) == 1 else None
