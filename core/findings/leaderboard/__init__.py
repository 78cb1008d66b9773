"""Leaderboards, and the comparisons behind them."""

from . import head_to_head, headline, reweighting
from .boards import (
    breakdown,
    candidates,
    choose_first_board,
    describe_boards,
    describe_breakdown,
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
from .rating_input import add_outcomes, list_needs
from .settings import (
    CONTROLLING,
    CONTROLS,
    INTERVALS,
    OTHER_OPPONENTS,
    PROBABILITIES,
    SAME_OPPONENTS,
    RankSettings,
)
from .stop_rule import quote_verdict, state_verdict
from .vote_files import rank_votes
