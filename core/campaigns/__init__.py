"""Campaigns of people: designed, opened, asked question by question."""

from core.campaigns import informative, known_answers, ordering
from core.campaigns.asking import SKIPPED, answer, present, undo
from core.campaigns.crowd import (
    OVER,
    CrowdStep,
    Payments,
    answer_questionnaire,
    begin,
    find_step,
    finish,
    pay,
    show_example,
)
from core.campaigns.design import Design
from core.campaigns.history import Given, change, history
from core.campaigns.known_answers import NewChecks, add_checks
from core.campaigns.opening import count_identical, extend, open_campaign, preview
from core.campaigns.participation import agreed_at, consent, current, enrol, open_campaigns
from core.campaigns.presentation import Feedback, Hold, Presentation, TakenAnswer
from core.campaigns.progress import Progress, progress

__all__ = [
    "OVER",
    "SKIPPED",
    "CrowdStep",
    "Design",
    "Feedback",
    "Given",
    "Hold",
    "NewChecks",
    "Payments",
    "Presentation",
    "Progress",
    "TakenAnswer",
    "add_checks",
    "agreed_at",
    "answer",
    "answer_questionnaire",
    "begin",
    "change",
    "consent",
    "count_identical",
    "current",
    "enrol",
    "extend",
    "find_step",
    "finish",
    "history",
    "informative",
    "known_answers",
    "open_campaign",
    "open_campaigns",
    "ordering",
    "pay",
    "present",
    "preview",
    "progress",
    "show_example",
    "undo",
]
