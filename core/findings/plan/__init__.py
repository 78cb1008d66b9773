"""How many more votes settle who is first, second and so on."""

from core.findings.plan.compute import plan
from core.findings.plan.settings import PlanSettings

__all__ = ["PlanSettings", "plan"]
