"""Agreement between judges."""

from . import columns
from .alphas import still_unknown
from .compute import agreement
from .disagreements import PEOPLE, list_disagreements, load_answers
from .sentences import (
    describe_agreement,
    describe_alpha,
    explain_disagreement,
)
from .settings import AgreementSettings
from .splits import describe_split, list_splits

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
