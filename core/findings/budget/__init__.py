"""What a ranking would have cost with fewer comparisons, or fewer candidates."""

from core.findings.budget import columns
from core.findings.budget.compute import budget
from core.findings.budget.settings import QUICK, BudgetSettings
from core.findings.budget.spending import answer_costs

__all__ = ["QUICK", "BudgetSettings", "answer_costs", "budget", "columns"]
