"""How agreement is measured."""

from __future__ import annotations

from dataclasses import dataclass

from core.findings.separability.binned import BinnedSettings
from core.labels import OVER
from core.settings import check_choices, declare


@dataclass(frozen=True)
class AgreementSettings(BinnedSettings):
    """How agreement is measured: docs/definitions.md, "Verdict", "Intervals"."""

    over: str = declare(
        "",
        "what intervals generalise to; default both for groups of three judges or more",
        label="Intervals for",
        more="What the intervals speak of. **Chosen by the data**: new judges and new items, for "
        "groups of three judges or more and for alpha.",
        choices=OVER,
    )

    def __post_init__(self) -> None:
        check_choices(self)
