"""What results say, in the words that pages and reports share."""

from core.reporting.sentences.accuracy import ACCORDING, accuracy
from core.reporting.sentences.agreement import agreement, blame
from core.reporting.sentences.attacks import attacks
from core.reporting.sentences.bias import length, position, self_preference
from core.reporting.sentences.correlation import LEVELS, UNITS, correlation, who
from core.reporting.sentences.decisions import action, decision
from core.reporting.sentences.judges import beside, closest, compared, whose, without_labels
from core.reporting.sentences.restoration import (
    people_of_backup,
    restoration,
    restoration_table,
)
from core.reporting.sentences.transitivity import transitivity

__all__ = [
    "ACCORDING",
    "LEVELS",
    "UNITS",
    "accuracy",
    "action",
    "agreement",
    "attacks",
    "beside",
    "blame",
    "closest",
    "compared",
    "correlation",
    "decision",
    "length",
    "people_of_backup",
    "position",
    "restoration",
    "restoration_table",
    "self_preference",
    "transitivity",
    "who",
    "whose",
    "without_labels",
]
