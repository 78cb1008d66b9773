"""Agreement between judges."""

from . import columns
from .alphas import AgreementSettings, still_unknown
from .compute import agreement
from .disagreements import PEOPLE, describe_split, list_disagreements, list_splits, load_answers
from .sentences import describe_agreement, describe_alpha, explain_disagreement
