"""Plan the votes still needed to settle ranks 1, 2 and so on."""

from .compute import plan
from .settings import PlanSettings

__all__ = ["PlanSettings", "plan"]
