"""Outcomes: what labels chosen once, several times, or with probabilities come to. A label is its
index: A, B, tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.records import Answer, Outcome

OUTCOMES = (Outcome.A, Outcome.B, Outcome.TIE)


def of_votes(votes: Sequence[int]) -> Answer:
    """p(A) = the share of sampled answers that choose A, of those that parsed (Liusie et al. 2024,
    eq. 5).

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


def of_probabilities(a: float, b: float, tie: float = 0.0) -> Answer:
    """p(A) = P(w_A) / (P(w_A) + P(w_B)) (Liusie et al. 2024, eq. 3); the outcome is a tie where
    that label is the likeliest.

    Raises ZeroDivisionError when no label has a probability.
    """
    if tie and not a + b:
        return Answer(Outcome.TIE)
    answer = Answer.from_probability(a / (a + b))
    return replace(answer, outcome=Outcome.TIE if tie > max(a, b) else answer.outcome)
