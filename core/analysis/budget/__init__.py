"""What a ranking would have cost with fewer comparisons, or fewer candidates."""

from core.analysis.budget.budget import budget
from core.analysis.budget.replays import FIGURES, SORTED
from core.analysis.budget.sentences import cheapest, way
from core.analysis.budget.settings import (
    CORRECTIONS,
    LEVELS,
    METHODS,
    PAIRINGS,
    QUICK,
    BudgetSettings,
)
from core.analysis.budget.spending import answer_costs

__all__ = [
    "CORRECTIONS",
    "FIGURES",
    "LEVELS",
    "METHODS",
    "PAIRINGS",
    "QUICK",
    "SORTED",
    "BudgetSettings",
    "answer_costs",
    "budget",
    "cheapest",
    "way",
]
