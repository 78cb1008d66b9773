"""Plan the votes still needed to settle ranks 1, 2 and so on."""

from core.findings.plan.compute import plan
from core.findings.plan.settings import PlanSettings

__all__ = ["PlanSettings", "plan"]
