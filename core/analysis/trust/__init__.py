"""How far a judge can be trusted: agreement, accuracy, bias, correlation."""

from core.analysis.trust import accuracy, agreement, bias, correlation, disagreements
from core.analysis.trust.disagreements import PEOPLE

__all__ = ["PEOPLE", "accuracy", "agreement", "bias", "correlation", "disagreements"]
