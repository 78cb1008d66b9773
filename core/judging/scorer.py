"""Scoring: a text on its own becomes one mark.

`make("baseline:rouge1")` or `make("hf:google/flan-t5-small", Options(mode="g-eval"))` gives a
scorer; `scorer.answers(candidates)` gives as many marks in the same order.
"""

from __future__ import annotations

from ..failures import NO_TEXT
from ..models import Respondent
from ..records import Candidate, JudgeSpec, Mark

MARKING_MODES = {
    "score": "the score that the model writes, from 1 to 10 by default",
    "g-eval": "the expected score, over the probabilities the model gives the scores of the scale",
    "gptscore": "how likely the text is as the answer to a prompt that asks for it: mean "
    "log-likelihood of its tokens",
}
"""How a model marks a text."""


class Scorer(Respondent[Candidate, Mark]):
    """A respondent that marks a text on its own. `spec` and `note` are as a judge's."""

    spec: JudgeSpec
    note = ""


def unanswerable(candidate: Candidate) -> Mark | None:
    """Return the failure of a candidate nobody can mark: its text is not available.

    An empty text ('') is a text.
    """
    return Mark(failure=NO_TEXT) if candidate.text is None else None
