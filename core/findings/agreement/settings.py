"""Settings of agreement."""

from __future__ import annotations

from dataclasses import dataclass

from ...labels import OVER
from ...settings import check_choices, declare
from ..separability.applications import BinnedSettings


@dataclass(frozen=True)
class AgreementSettings(BinnedSettings):
    """Settings of agreement: docs/statistics.md, "Verdict"; docs/statistics/intervals.md,
    "Intervals".
    """

    over: str = declare(
        "",
        "what intervals generalise to; default both for groups of five judges or more",
        label="Intervals for",
        more="What the intervals speak of. **Chosen by the data**: new judges and new items "
        "for five judges or more, also for alpha.",
        choices={over: speaks for over, speaks in OVER.items() if over != "judgements"},
    )

    def __post_init__(self) -> None:
        check_choices(self)
