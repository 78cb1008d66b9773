"""Budget: how well a ranking from fewer comparisons, or of fewer candidates, would have done."""

from . import columns
from .compute import budget
from .pool import list_replayed
from .settings import QUICK, BudgetSettings
from .spending import answer_costs

__all__ = ["QUICK", "BudgetSettings", "answer_costs", "budget", "columns", "list_replayed"]
