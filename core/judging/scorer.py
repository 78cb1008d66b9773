"""Scoring: a text on its own becomes one mark.

`make_scorer("baseline:rouge1")` or `make_scorer("hf:google/flan-t5-small", mode="g-eval")` gives a
scorer; `scorer.answers(candidates)` gives as many marks in the same order. `make` gives whoever a
SPEC and a mode mean: a scorer, or a judge of comparisons.
"""

from __future__ import annotations

from core.failures import NO_TEXT
from core.models import Respondent
from core.records import Candidate, JudgeSpec, Mark

SCORING_MODES = {
    "score": "the mark from 1 to 10 that the model writes",
    "g-eval": "the expected mark, over the probabilities the model gives the marks from 1 to 10",
    "gptscore": "how likely the text is as the answer to a prompt that asks for it: mean "
    "log-likelihood of its tokens",
    "metric": "how alike the text is to the item's reference",
}
"""How a text becomes a mark. Who has one of these modes marks texts; any other judge compares them.
"""

BY_MODEL = ("score", "g-eval", "gptscore")


class Scorer(Respondent[Candidate, Mark]):
    """Who marks a text on its own. `spec` holds whatever can change a mark."""

    spec: JudgeSpec


def unanswerable(candidate: Candidate) -> Mark | None:
    """The failure of a candidate nobody can mark: its text is not available. An empty text ('') is
    a text.
    """
    return Mark(failure=NO_TEXT) if candidate.text is None else None
