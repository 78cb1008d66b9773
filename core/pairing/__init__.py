"""Pairs of texts to compare: strategies, draws of items, and plans of runs and campaigns."""

from core.pairing import planning
from core.pairing.choice import DRAWN, WAYS, Choice
from core.pairing.default_campaign import MOST_OTHERS, identical_note, open_default
from core.pairing.item_draws import (
    DRAWS,
    BySeparability,
    DrawnItems,
    draw_by_separability,
    systematic,
)
from core.pairing.merge_sort import SortSettings as Sorting
from core.pairing.planning import (
    BEAM_SIZE,
    PROB_GAP,
    PairSettings,
    Request,
    begin,
    pairs_of,
    plan_next,
    plan_portions,
    versions,
)
from core.pairing.sort import sort_ranking
from core.pairing.strategies import STRATEGIES, sorting
from core.pairing.strategy import Pair, Strategy, candidate_pairs
from core.pairing.text_request import TextRequest

__all__ = [
    "BEAM_SIZE",
    "DRAWN",
    "DRAWS",
    "MOST_OTHERS",
    "PROB_GAP",
    "STRATEGIES",
    "WAYS",
    "BySeparability",
    "Choice",
    "DrawnItems",
    "Pair",
    "PairSettings",
    "Request",
    "Sorting",
    "Strategy",
    "TextRequest",
    "begin",
    "candidate_pairs",
    "draw_by_separability",
    "identical_note",
    "open_default",
    "pairs_of",
    "plan_next",
    "plan_portions",
    "planning",
    "sort_ranking",
    "sorting",
    "systematic",
    "versions",
]
