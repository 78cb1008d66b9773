"""Pairs of texts to compare: strategies, draws of items, and plans of runs and campaigns."""

from . import planning
from .choice import DRAWN, REST, SIGNALS, WAYS, Choice
from .default_campaign import MOST_OTHERS, identical_note, open_default
from .item_draws import (
    DRAWS,
    BySeparability,
    DrawnItems,
    draw_by_separability,
    systematic,
)
from .merge_sort import SortSettings as Sorting
from .planning import begin, pairs_of, plan_next, plan_portions, versions
from .request import BEAM_SIZE, PROB_GAP, PairSettings, Request
from .sort import sort_ranking
from .strategies import STRATEGIES, sorting
from .strategy import Pair, Strategy, candidate_pairs
from .text_request import TextRequest

__all__ = [
    "BEAM_SIZE",
    "DRAWN",
    "DRAWS",
    "MOST_OTHERS",
    "PROB_GAP",
    "REST",
    "SIGNALS",
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
