"""People at work: how each of them judges, where they disagree, and whether their votes settle the
order of the systems.
"""

from core.findings.people.annotators import (
    ReadingPace,
    annotators,
    decisions,
    list_surprising_votes,
)
from core.findings.people.columns import (
    ANNOTATORS,
    BEHIND,
    DISPUTES,
    NEIGHBOURS,
    SAID,
    SETTLED,
    SIDES,
    USUAL,
)
from core.findings.people.disputes import BETTER, decide, disputes, said_on
from core.findings.people.scope import Scope, votes
from core.findings.people.sentences import (
    describe_annotator,
    describe_annotators,
    describe_disputes,
)
from core.findings.people.stop_rule import StopRule, stop

__all__ = [
    "ANNOTATORS",
    "BEHIND",
    "BETTER",
    "DISPUTES",
    "NEIGHBOURS",
    "SAID",
    "SETTLED",
    "SIDES",
    "USUAL",
    "ReadingPace",
    "Scope",
    "StopRule",
    "annotators",
    "decide",
    "decisions",
    "describe_annotator",
    "describe_annotators",
    "describe_disputes",
    "disputes",
    "list_surprising_votes",
    "said_on",
    "stop",
    "votes",
]
