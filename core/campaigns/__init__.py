"""Campaigns of people: designed, opened, asked question by question."""

from . import informative, known_answers, ordering
from .asking import SKIPPED, answer, present, undo
from .crowd import (
    OVER,
    CrowdStep,
    ParticipantState,
    Payments,
    answer_questionnaire,
    begin,
    find_step,
    finish,
    pay,
)
from .design import Design
from .drafts import (
    LARGEST_FILE,
    DraftError,
    SavedDraft,
    load_draft,
    save_draft,
)
from .example import show_example
from .goals import GOALS, CampaignDraft, Goal, begin_with, copy_campaign
from .history import GivenAnswer, change, history
from .known_answers import (
    CHECK_ROLES,
    NewChecks,
    add_checks,
    note_fewer_checks,
)
from .opening import (
    CampaignOutlook,
    compute_outlook,
    count_identical,
    extend,
    open_campaign,
)
from .participation import (
    agreed_at,
    consent,
    current,
    enrol,
    is_asking,
    open_campaigns,
)
from .presentation import Feedback, NoQuestionReason, Presentation, TakenAnswer
from .progress import Progress, progress
from .workload import (
    USUAL_SECONDS,
    Workload,
    count_people_needed,
    describe_workload,
    estimate_workload,
    get_pace,
)

__all__ = [
    "CHECK_ROLES",
    "GOALS",
    "LARGEST_FILE",
    "OVER",
    "SKIPPED",
    "USUAL_SECONDS",
    "CampaignDraft",
    "CampaignOutlook",
    "CrowdStep",
    "Design",
    "DraftError",
    "Feedback",
    "GivenAnswer",
    "Goal",
    "NewChecks",
    "NoQuestionReason",
    "ParticipantState",
    "Payments",
    "Presentation",
    "Progress",
    "SavedDraft",
    "TakenAnswer",
    "Workload",
    "add_checks",
    "agreed_at",
    "answer",
    "answer_questionnaire",
    "begin",
    "begin_with",
    "change",
    "compute_outlook",
    "consent",
    "copy_campaign",
    "count_identical",
    "count_people_needed",
    "current",
    "describe_workload",
    "enrol",
    "estimate_workload",
    "extend",
    "find_step",
    "finish",
    "get_pace",
    "history",
    "informative",
    "is_asking",
    "known_answers",
    "load_draft",
    "note_fewer_checks",
    "open_campaign",
    "open_campaigns",
    "ordering",
    "pay",
    "present",
    "progress",
    "save_draft",
    "show_example",
    "undo",
]
