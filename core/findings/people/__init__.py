"""People at work: how each of them judges, and where they disagree."""

from .annotators import annotators, decisions, flag_annotators, list_surprising_votes
from .disputes import BETTER, decide, disputes, said_on
from .scope import (
    ANNOTATORS,
    BEHIND,
    DISPUTES,
    SAID,
    SIDES,
    USUAL,
    Scope,
    describe_annotator,
    describe_annotators,
    describe_disputes,
    votes,
)
