"""The shared store: one SQLite file. This package alone may know SQLite; reads return frames,
writes take records.
"""

from core.installation import default_store
from core.store.adjudications import ADJUDICATED, ShownPair
from core.store.assignments import Assignment
from core.store.attacks import AttackRows
from core.store.browsing import Sought
from core.store.campaigns import Campaign, PlannedPair, stratum_of
from core.store.checks import Check
from core.store.connection import make_moment_key
from core.store.crowds import Crowd, Participant, PaymentRows, QuestionnaireRows
from core.store.datasets import check_dataset_name
from core.store.item_sets import ItemSet
from core.store.judgement_frames import JudgementRows
from core.store.people import Invitation, check_name, clean_name
from core.store.runs import AskingRuns, RunRow
from core.store.scores import ScoreRows, WantedScores
from core.store.similarities import ChosenGenerations, Extent
from core.store.store import Store
from core.store.wording import LONG_CONTEXT

DEFAULT_STORE = default_store()

__all__ = [
    "ADJUDICATED",
    "DEFAULT_STORE",
    "LONG_CONTEXT",
    "AskingRuns",
    "Assignment",
    "AttackRows",
    "Campaign",
    "Check",
    "ChosenGenerations",
    "Crowd",
    "Extent",
    "Invitation",
    "ItemSet",
    "JudgementRows",
    "Participant",
    "PaymentRows",
    "PlannedPair",
    "QuestionnaireRows",
    "RunRow",
    "ScoreRows",
    "ShownPair",
    "Sought",
    "Store",
    "WantedScores",
    "check_dataset_name",
    "check_name",
    "clean_name",
    "make_moment_key",
    "stratum_of",
]
