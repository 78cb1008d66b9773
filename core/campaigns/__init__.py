"""Campaigns of people: designed, opened, asked question by question."""

from . import known_answers, ordering
from .asking import SKIPPED, answer, change, history, present, undo
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
    GOALS,
    LARGEST_FILE,
    CampaignDraft,
    DraftError,
    Goal,
    SavedDraft,
    begin_with,
    copy_campaign,
    load_draft,
    save_draft,
)
from .known_answers import CHECK_ROLES, NewChecks, add_checks, note_fewer_checks
from .opening import CampaignOutlook, compute_outlook, count_identical, extend, open_campaign
from .ordering import read_request
from .participation import (
    Participation,
    Progress,
    agreed_at,
    consent,
    current,
    enrol,
    is_asking,
    open_campaigns,
    progress,
)
from .presentation import (
    Feedback,
    GivenAnswer,
    NoQuestionReason,
    Presentation,
    TakenAnswer,
    show_example,
)
from .workload import (
    USUAL_SECONDS,
    Workload,
    count_people_needed,
    describe_workload,
    estimate_workload,
    get_pace,
)
