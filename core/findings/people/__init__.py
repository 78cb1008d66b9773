"""People at work: how each of them judges, where they disagree, and whether their votes settle the
order of the systems.
"""

from core.findings.people.annotators import (
    COLUMNS,
    FASTEST,
    Pace,
    annotators,
    decisions,
    surprising,
)
from core.findings.people.disputes import BETTER, decide, disputes, said_on
from core.findings.people.scope import Scope, votes
from core.findings.people.settled import RULES, StopRule, stop

__all__ = [
    "BETTER",
    "COLUMNS",
    "FASTEST",
    "RULES",
    "Pace",
    "Scope",
    "StopRule",
    "annotators",
    "decide",
    "decisions",
    "disputes",
    "said_on",
    "stop",
    "surprising",
    "votes",
]
