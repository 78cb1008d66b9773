"""Agreement between judges."""

from . import columns
from .alphas import AgreementSettings
from .columns import describe_agreement, describe_alpha, explain_disagreement, still_unknown
from .compute import agreement
from .disagreements import PEOPLE, list_disagreements
