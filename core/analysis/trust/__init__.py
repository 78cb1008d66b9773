"""How far a judge can be trusted: agreement, accuracy, bias, correlation."""

from core.analysis.trust import (
    accuracy,
    agreement,
    attacks,
    bias,
    correlation,
    disagreements,
    reference_raters,
)
from core.analysis.trust.alphas import still_unknown
from core.analysis.trust.correlation_figures import Level, Reference
from core.analysis.trust.disagreements import PEOPLE

__all__ = [
    "PEOPLE",
    "Level",
    "Reference",
    "accuracy",
    "agreement",
    "attacks",
    "bias",
    "correlation",
    "disagreements",
    "reference_raters",
    "still_unknown",
]
