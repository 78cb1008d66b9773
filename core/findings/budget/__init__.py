"""Budget: how well a ranking from fewer comparisons, or of fewer candidates, would have done."""

from core.findings.budget import columns
from core.findings.budget.compute import budget
from core.findings.budget.pool import list_replayed
from core.findings.budget.settings import QUICK, BudgetSettings
from core.findings.budget.spending import answer_costs

__all__ = ["QUICK", "BudgetSettings", "answer_costs", "budget", "columns", "list_replayed"]
