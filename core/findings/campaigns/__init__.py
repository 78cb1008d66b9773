"""People at work: which pairs a campaign asks them about, how each of them judges, where they
disagree, and whether the order of the systems is settled.
"""

from core.findings.campaigns import informative, known_answers
from core.findings.campaigns.annotators import COLUMNS, FASTEST, Pace, annotators
from core.findings.campaigns.choice import WAYS, Choice
from core.findings.campaigns.disputes import BETTER, decide, disputes, said_on
from core.findings.campaigns.fit import decisions, surprising
from core.findings.campaigns.opening import (
    choice_of,
    count_identical,
    extend,
    meant,
    open_campaign,
    preview,
)
from core.findings.campaigns.people import Scope, votes
from core.findings.campaigns.stop import RULES, StopRule, stop

__all__ = [
    "BETTER",
    "COLUMNS",
    "FASTEST",
    "RULES",
    "WAYS",
    "Choice",
    "Pace",
    "Scope",
    "StopRule",
    "annotators",
    "choice_of",
    "count_identical",
    "decide",
    "decisions",
    "disputes",
    "extend",
    "informative",
    "known_answers",
    "meant",
    "open_campaign",
    "preview",
    "said_on",
    "stop",
    "surprising",
    "votes",
]
