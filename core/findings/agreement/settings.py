"""Settings of agreement."""

from __future__ import annotations

from dataclasses import dataclass

from core.findings.judgements.population import JUDGES_TO_TELL
from core.findings.separability.applications import BinnedSettings
from core.labels import OVER
from core.settings import check_choices, declare

MANY_JUDGES = 10
"""One careless judge of ten that nobody has seen moves kappa and alpha by a fifth."""


@dataclass(frozen=True)
class AgreementSettings(BinnedSettings):
    """Settings of agreement: docs/statistics.md, "Verdict"; docs/statistics/intervals.md,
    "Intervals".
    """

    over: str = declare(
        "",
        "what intervals generalise to; default both for groups of ten judges or more",
        label="Intervals for",
        more="What the intervals speak of. **Chosen by the data**: new judges and new items "
        "for ten judges or more, also for alpha.",
        choices={over: speaks for over, speaks in OVER.items() if over != "judgements"},
    )

    @property
    def min_judges(self) -> int:
        """Minimum number of judges for intervals that generalise to other judges."""
        return JUDGES_TO_TELL if self.over else MANY_JUDGES

    def __post_init__(self) -> None:
        check_choices(self)
