"""Readings: what a judge makes of one reply, a verdict or a failure with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...failures import CUT_OFF, EMPTY, UNPARSED
from ...models import split_thoughts
from ...records import Answer, Outcome
from ..forms import Statement, UnparsedReplyError


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


def read_reply(read: Callable[[str], Statement], text: str, *, is_cut: bool = False) -> ParsedReply:
    """Parse a reply with `read`, or name the failure that it is."""
    try:
        return ParsedReply(read(text))
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
