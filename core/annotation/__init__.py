"""Asking people: whose turn it is, what they answer, how far they are."""

from core.annotation.asking import SKIPPED, answer, present, undo
from core.annotation.consent import agreed_at, consent
from core.annotation.current import current, open_campaigns
from core.annotation.design import ON_FAILURE, ORDERS, Design
from core.annotation.enrolment import enrol
from core.annotation.history import Given, change, history
from core.annotation.presentation import Feedback, Hold, Presentation, Taken
from core.annotation.progress import Progress, progress

__all__ = [
    "ON_FAILURE",
    "ORDERS",
    "SKIPPED",
    "Design",
    "Feedback",
    "Given",
    "Hold",
    "Presentation",
    "Progress",
    "Taken",
    "agreed_at",
    "answer",
    "change",
    "consent",
    "current",
    "enrol",
    "history",
    "open_campaigns",
    "present",
    "progress",
    "undo",
]
