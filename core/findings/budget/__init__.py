"""Budget: how well a ranking from fewer comparisons, or of fewer candidates, would have done."""

from . import columns
from .columns import QUICK, BudgetSettings
from .compute import budget
from .pool import estimate_spending, list_replayed
