"""Agreement between judges."""

from . import columns
from .alphas import AgreementSettings, still_unknown
from .compute import agreement
from .disagreements import PEOPLE, list_disagreements
from .sentences import describe_agreement, describe_alpha, explain_disagreement
