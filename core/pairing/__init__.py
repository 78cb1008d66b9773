"""Which pairs of texts are compared: strategies, adaptive choice, merge sort, and the plans of runs
and campaigns.
"""

from core.pairing import adaptive, planning
from core.pairing.adaptive import ADAPTIVE, SORTS, STRATEGIES
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
)

__all__ = [
    "ADAPTIVE",
    "BEAM_SIZE",
    "DRAWS",
    "PROB_GAP",
    "SORTS",
    "STRATEGIES",
    "BySeparability",
    "Request",
    "adaptive",
    "asked_about",
    "at_least",
    "begin",
    "by_separability",
    "open_default",
    "pairs_of",
    "plan_next",
    "planning",
]
