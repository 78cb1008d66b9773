"""What chosen labels come to, counted by hand."""

from __future__ import annotations

import pytest

from core.judging.judges.readings import decide_by_probabilities, decide_by_votes
from core.records import Outcome

A, B, TIE = 0, 1, 2


def test_votes() -> None:
    for votes, outcome, p in [
        ([A, A, B], Outcome.A, 2 / 3),
        ([B], Outcome.B, 0.0),
        ([A, B], Outcome.TIE, 0.5),
        ([A, TIE, TIE], Outcome.TIE, 2 / 3),
        ([A, A, TIE], Outcome.A, 5 / 6),
        ([A, A, B, TIE, TIE], Outcome.A, 0.6),
        ([TIE], Outcome.TIE, 0.5),
    ]:
        answer = decide_by_votes(votes)
        assert (answer.outcome, answer.votes) == (outcome, len(votes))
        assert answer.prob_a == pytest.approx(p)
        swapped = decide_by_votes([{A: B, B: A}.get(vote, vote) for vote in votes])
        assert swapped.prob_a == pytest.approx(1 - p)
        assert swapped.outcome.points == 1 - outcome.points


def test_no_vote_has_no_outcome() -> None:
    with pytest.raises(ValueError, match="no vote"):
        decide_by_votes([])


def test_probabilities() -> None:
    for chances, outcome, p in [
        ((0.3, 0.1), Outcome.A, 0.75),
        ((0.2, 0.2), Outcome.TIE, 0.5),
        ((0.0, 0.4), Outcome.B, 0.0),
        ((0.3, 0.1, 0.2), Outcome.A, 0.75),
        ((0.3, 0.1, 0.5), Outcome.TIE, 0.75),
        ((0.0, 0.0, 0.5), Outcome.TIE, None),
    ]:
        answer = decide_by_probabilities(*chances)
        assert (answer.outcome, answer.prob_a) == (outcome, p if p is None else pytest.approx(p))
