"""Leaderboards, and the comparisons behind them."""

from . import breakdown, head_to_head, headline, reweighting
from .boards import (
    candidates,
    choose_first_board,
    describe_boards,
    has_leading_votes,
    list_boards,
    list_pools,
    make_resampler,
    rank_by_attribute,
    rank_over_time,
    settle_settings,
)
from .columns import (
    AT_EVERY_LOOK,
    HOLDS,
    choose_columns,
    choose_interval,
    declare_columns,
    declare_rating,
    hold_at_looks,
)
from .compute import count_fixed_annotators, leaderboard, rank_among
from .method_choice import OTHER_OPPONENTS, SAME_OPPONENTS
from .rating_input import add_outcomes, list_needs
from .settings import (
    CONTROLLING,
    CONTROLS,
    INTERVALS,
    PROBABILITIES,
    RankSettings,
)
from .stop_rule import quote_verdict, state_verdict
from .vote_files import rank_votes

__all__ = [
    "AT_EVERY_LOOK",
    "CONTROLLING",
    "CONTROLS",
    "HOLDS",
    "INTERVALS",
    "OTHER_OPPONENTS",
    "PROBABILITIES",
    "SAME_OPPONENTS",
    "RankSettings",
    "add_outcomes",
    "breakdown",
    "candidates",
    "choose_columns",
    "choose_first_board",
    "choose_interval",
    "count_fixed_annotators",
    "declare_columns",
    "declare_rating",
    "describe_boards",
    "has_leading_votes",
    "head_to_head",
    "headline",
    "hold_at_looks",
    "leaderboard",
    "list_boards",
    "list_needs",
    "list_pools",
    "make_resampler",
    "quote_verdict",
    "rank_among",
    "rank_by_attribute",
    "rank_over_time",
    "rank_votes",
    "reweighting",
    "settle_settings",
    "state_verdict",
]
