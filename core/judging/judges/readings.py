"""Readings of a reply: a verdict with its probability, or a failure with its reason. The
probability is that of the likeliest tokens where the reply states its verdict. At the end, what
the raw text that is kept with an answer holds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...failures import CUT_OFF, EMPTY, UNPARSED
from ...models import split_thoughts
from ...models.served import Position
from ...records import Answer, Outcome, Scale
from ..forms import Labels, Statement, UnparsedReplyError
from ..forms.labels import count_shared, narrow_characters


@dataclass(frozen=True)
class ParsedReply:
    """The verdict that a reply states or, with a `failure`, `why` it states none."""

    stated: Statement | None = None
    failure: str = ""
    why: str = ""

    @property
    def span(self) -> list[int] | None:
        """The start and end of the verdict in the reply, None where it states none."""
        return [self.stated.start, self.stated.end] if self.stated else None


def read_reply(read: Callable[..., Statement], text: str, *, is_cut: bool = False) -> ParsedReply:
    """Parse a reply with `read`, of a text and whether it `is_cut`, or name the failure it is."""
    try:
        return ParsedReply(read(text, is_cut=is_cut))
    except UnparsedReplyError as error:
        parts = split_thoughts(text)
        if is_cut or parts.is_thinking:
            return ParsedReply(failure=CUT_OFF, why=str(error))
        if not parts.answer:
            return ParsedReply(failure=EMPTY)
        return ParsedReply(failure=UNPARSED, why=str(error))


OUTCOMES = (Outcome.A, Outcome.B, Outcome.TIE)


def decide_by_votes(votes: Sequence[int]) -> Answer:
    """Return the answer with p(A) = the share of sampled answers that choose A, of those that
    parsed (Liusie et al. 2024, eq. 5).

    A vote for a tie, where one is offered, counts half. Exactly 1/2 is a tie, and so is the outcome
    where more votes are for a tie than for either text. Raises ValueError without a vote.
    """
    if not votes:
        raise ValueError("no vote, no outcome")
    for_a, for_b, ties = (votes.count(label) for label in range(3))
    answer = Answer.from_probability((for_a + ties / 2) / len(votes))
    return replace(
        answer,
        outcome=Outcome.TIE if ties > max(for_a, for_b) else answer.outcome,
        votes=len(votes),
    )


def decide_by_probabilities(a: float, b: float, tie: float = 0.0) -> Answer:
    """Return the answer with p(A) = P(w_A) / (P(w_A) + P(w_B)) (Liusie et al. 2024, eq. 3); the
    outcome is a tie where that label is the likeliest.

    Raises ZeroDivisionError when no label has a probability.
    """
    if tie and not a + b:
        return Answer(Outcome.TIE)
    answer = Answer.from_probability(a / (a + b))
    return replace(answer, outcome=Outcome.TIE if tie > max(a, b) else answer.outcome)


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


Span = tuple[int, int]


@dataclass(frozen=True)
class StoredReply:
    """One reply; `read` is the span of its verdict, None if none was read."""

    text: str
    read: Span | None = None

    @property
    def parts(self) -> tuple[str, str, str]:
        """The text before the part that was read, that part, and the text behind it."""
        start, end = self.read or (len(self.text), len(self.text))
        return self.text[:start], self.text[start:end], self.text[end:]


@dataclass(frozen=True)
class StoredReplies:
    """The replies to one question. `detail` says why one was not read, or what a server said;
    `kept_by` how the server kept the form ('' = it was not asked to).
    """

    replies: tuple[StoredReply, ...] = ()
    detail: str = ""
    kept_by: str = ""


def parse_replies(raw: str) -> StoredReplies:
    """Return the replies in a raw answer; none where it holds none, as that of a baseline.

    A raw text that is no JSON of Tandem's is itself the reply: imported answers hold what they
    like.
    """
    try:
        kept = json.loads(raw or "{}")
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict):
        return StoredReplies((StoredReply(raw),) if raw.strip() else ())
    texts = kept.get("texts")
    if not isinstance(texts, list):
        texts = [kept["text"]] if isinstance(kept.get("text"), str) else []
    spans = kept.get("read")
    spans = spans if isinstance(spans, list) and len(spans) == len(texts) else [None] * len(texts)
    replies = (
        StoredReply(text, _span(span, text))
        for text, span in zip(map(_replace_surrogates, texts), spans, strict=True)
        if text.strip()
    )
    return StoredReplies(tuple(replies), _words(kept, "detail"), _words(kept, "kept_by"))


def _span(span: Any, text: str) -> Span | None:
    if not isinstance(span, list) or len(span) != 2:
        return None
    start, end = span
    if not all(type(place) is int for place in span) or not 0 <= start < end <= len(text):
        return None
    return start, end


def _words(kept: Mapping[str, Any], name: str) -> str:
    return _replace_surrogates(kept.get(name) or "")


def _replace_surrogates(text: Any) -> str:
    return str(text).encode(errors="replace").decode()  # JSON may hold half a sign
