"""Which pairs of texts are compared: strategies, draws of items, and the plans of runs and
campaigns.
"""

from core.pairing import planning
from core.pairing.item_draws import DRAWS, BySeparability, by_separability
from core.pairing.planning import (
    BEAM_SIZE,
    PROB_GAP,
    Request,
    asked_about,
    at_least,
    begin,
    open_default,
    pairs_of,
    plan_next,
    plan_portions,
    versions,
)
from core.pairing.strategies import STRATEGIES, sorting
from core.pairing.strategy import Strategy, candidate_pairs

__all__ = [
    "BEAM_SIZE",
    "DRAWS",
    "PROB_GAP",
    "STRATEGIES",
    "BySeparability",
    "Request",
    "Strategy",
    "asked_about",
    "at_least",
    "begin",
    "by_separability",
    "candidate_pairs",
    "open_default",
    "pairs_of",
    "plan_next",
    "plan_portions",
    "planning",
    "sorting",
    "versions",
]
