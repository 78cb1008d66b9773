"""Which system is better: leaderboards and the comparisons behind them."""

from core.analysis.ranking import head_to_head, reweighting
from core.analysis.ranking.leaderboard import (
    RankSettings,
    candidates,
    leaderboard,
    resampling,
    with_outcome,
)

__all__ = [
    "RankSettings",
    "candidates",
    "head_to_head",
    "leaderboard",
    "resampling",
    "reweighting",
    "with_outcome",
]
