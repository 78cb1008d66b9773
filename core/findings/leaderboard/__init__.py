"""Which system is better: leaderboards and the comparisons behind them."""

from core.findings.leaderboard import breakdown, head_to_head, headline, reweighting
from core.findings.leaderboard.columns import (
    choose_columns,
    choose_interval,
    declare_columns,
    declare_rating,
)
from core.findings.leaderboard.compute import (
    RankSettings,
    by_attribute,
    candidates,
    describe_boards,
    leaderboard,
    list_boards,
    rank_among,
    resampling,
    settle_settings,
)
from core.findings.leaderboard.lead import LEAD_METHODS, lead_over_time
from core.findings.leaderboard.method_choice import OTHER_OPPONENTS, SAME_OPPONENTS
from core.findings.leaderboard.over_time import over_time
from core.findings.leaderboard.settings import CONTROLLING, CONTROLS, PROBABILITIES
from core.findings.leaderboard.taken import with_outcome
from core.findings.leaderboard.vote_files import rank_votes

__all__ = [
    "CONTROLLING",
    "CONTROLS",
    "LEAD_METHODS",
    "OTHER_OPPONENTS",
    "PROBABILITIES",
    "SAME_OPPONENTS",
    "RankSettings",
    "breakdown",
    "by_attribute",
    "candidates",
    "choose_columns",
    "choose_interval",
    "declare_columns",
    "declare_rating",
    "describe_boards",
    "head_to_head",
    "headline",
    "lead_over_time",
    "leaderboard",
    "list_boards",
    "over_time",
    "rank_among",
    "rank_votes",
    "resampling",
    "reweighting",
    "settle_settings",
    "with_outcome",
]
