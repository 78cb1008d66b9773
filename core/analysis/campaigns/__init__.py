"""People at work: how each of them judges, where they disagree, and whether the order of the
systems is settled.
"""

from core.analysis.campaigns.annotators import COLUMNS, FASTEST, Pace, annotators
from core.analysis.campaigns.fit import decisions, surprising
from core.analysis.campaigns.people import Scope, votes
from core.analysis.campaigns.stop import RULES, StopRule, stop

__all__ = [
    "COLUMNS",
    "FASTEST",
    "RULES",
    "Pace",
    "Scope",
    "StopRule",
    "annotators",
    "decisions",
    "stop",
    "surprising",
    "votes",
]
