"""The shared store: one SQLite file. This package alone may know SQLite; reads return frames,
writes take records.
"""

from ..installation import default_store
from .adjudications import ADJUDICATED, ShownPair
from .assignments import Assignment
from .browsing import Sought
from .campaigns import Campaign, PlannedPair, stratum_of
from .checks import Check
from .connection import make_moment_key
from .crowds import Crowd, Participant, PaymentRows, QuestionnaireRows
from .datasets import check_dataset_name
from .item_sets import ItemSet
from .judgement_frames import JudgementRows
from .people import Invitation, check_name, clean_name
from .probes import ProbeRows
from .runs import AskingRuns, RunRow
from .schema import LONG_CONTEXT
from .scores import ScoreRows, WantedScores
from .similarities import ChosenGenerations, Extent
from .store import Store

DEFAULT_STORE = default_store()
