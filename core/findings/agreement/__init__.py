"""Agreement between judges."""

from . import columns
from .columns import describe_agreement, describe_alpha, explain_disagreement, still_unknown
from .compute import agreement
from .figures import PEOPLE, AgreementSettings, list_disagreements
