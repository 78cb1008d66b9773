"""How far a judge can be trusted: bias, correlation, attacks."""

from core.findings.trust import attacks, bias, correlation, disagreements, reference_raters
from core.findings.trust.correlation_figures import Level, Reference
from core.findings.trust.disagreements import PEOPLE

__all__ = [
    "PEOPLE",
    "Level",
    "Reference",
    "attacks",
    "bias",
    "correlation",
    "disagreements",
    "reference_raters",
]
