"""How far a judge can be trusted: agreement, accuracy, bias, correlation."""

from core.findings.trust import (
    agreement,
    attacks,
    bias,
    correlation,
    disagreements,
    reference_raters,
)
from core.findings.trust.alphas import still_unknown
from core.findings.trust.correlation_figures import Level, Reference
from core.findings.trust.disagreements import PEOPLE

__all__ = [
    "PEOPLE",
    "Level",
    "Reference",
    "agreement",
    "attacks",
    "bias",
    "correlation",
    "disagreements",
    "reference_raters",
    "still_unknown",
]
