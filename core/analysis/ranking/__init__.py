"""Which system is better: leaderboards and the comparisons behind them."""

from core.analysis.ranking import head_to_head, reweighting
from core.analysis.ranking.leaderboard import (
    RankSettings,
    candidates,
    leaderboard,
    resampling,
    with_outcome,
)
from core.analysis.ranking.method_choice import OTHER_OPPONENTS, SAME_OPPONENTS

__all__ = [
    "OTHER_OPPONENTS",
    "SAME_OPPONENTS",
    "RankSettings",
    "candidates",
    "head_to_head",
    "leaderboard",
    "resampling",
    "reweighting",
    "with_outcome",
]
