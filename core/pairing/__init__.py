"""Pairs of texts to compare: strategies, draws of items, and plans of runs and campaigns."""

from . import planning
from .choice import DRAWN, REST, SIGNALS, WAYS, Choice
from .default_campaign import MOST_OTHERS, identical_note, open_default
from .item_draws import DRAWS, BySeparability, DrawnItems, draw_by_separability, systematic
from .planning import begin, pairs_of, plan_next, plan_portions, versions
from .request import BEAM_SIZE, PROB_GAP, PairSettings, Request, TextRequest
from .sort import sort_ranking
from .strategies import STRATEGIES, sorting
from .strategy import Pair, SortSettings, Strategy, candidate_pairs
