"""Agreement between judges."""

from core.findings.agreement import columns
from core.findings.agreement.alphas import still_unknown
from core.findings.agreement.compute import agreement
from core.findings.agreement.disagreements import PEOPLE, list_disagreements, load_answers
from core.findings.agreement.sentences import (
    describe_agreement,
    describe_alpha,
    explain_disagreement,
)
from core.findings.agreement.settings import AgreementSettings
from core.findings.agreement.splits import describe_split, list_splits

__all__ = [
    "PEOPLE",
    "AgreementSettings",
    "agreement",
    "columns",
    "describe_agreement",
    "describe_alpha",
    "describe_split",
    "explain_disagreement",
    "list_disagreements",
    "list_splits",
    "load_answers",
    "still_unknown",
]
