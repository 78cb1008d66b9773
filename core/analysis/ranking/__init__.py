"""Which system is better: leaderboards and the comparisons behind them."""

from core.analysis.ranking import breakdown, head_to_head, headline, reweighting
from core.analysis.ranking.leaderboard import (
    RankSettings,
    by_attribute,
    candidates,
    leaderboard,
    resampling,
)
from core.analysis.ranking.method_choice import OTHER_OPPONENTS, SAME_OPPONENTS
from core.analysis.ranking.over_time import over_time
from core.analysis.ranking.settings import CONTROLLING, CONTROLS, PROBABILITIES
from core.analysis.ranking.taken import with_outcome
from core.analysis.ranking.vote_files import rank_votes

__all__ = [
    "CONTROLLING",
    "CONTROLS",
    "OTHER_OPPONENTS",
    "PROBABILITIES",
    "SAME_OPPONENTS",
    "RankSettings",
    "breakdown",
    "by_attribute",
    "candidates",
    "head_to_head",
    "headline",
    "leaderboard",
    "over_time",
    "rank_votes",
    "resampling",
    "reweighting",
    "with_outcome",
]
