"""Who agrees with whom."""

from core.findings.agreement.alphas import still_unknown
from core.findings.agreement.columns import AGAINST_MOST, PAIRS
from core.findings.agreement.compute import OVER, agreement
from core.findings.agreement.disagreements import PEOPLE, list_disagreements, load_answers
from core.findings.agreement.sentences import describe_agreement, explain_disagreement

__all__ = [
    "AGAINST_MOST",
    "OVER",
    "PAIRS",
    "PEOPLE",
    "agreement",
    "describe_agreement",
    "explain_disagreement",
    "list_disagreements",
    "load_answers",
    "still_unknown",
]
