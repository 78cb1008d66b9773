"""Whose turn a pair is: one question after another for an annotator."""

from core.annotation import campaigns
from core.annotation.campaigns import Presentation, Progress

__all__ = ["Presentation", "Progress", "campaigns"]
