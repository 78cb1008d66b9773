"""What a ranking would have cost with fewer comparisons, or fewer candidates."""

from core.findings.budget.compute import budget
from core.findings.budget.replays import FIGURES, SORTED
from core.findings.budget.sentences import cheapest, way
from core.findings.budget.settings import (
    CORRECTIONS,
    LEVELS,
    METHODS,
    PAIRINGS,
    QUICK,
    BudgetSettings,
)
from core.findings.budget.spending import answer_costs

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
