"""Settings of bias."""

from __future__ import annotations

from dataclasses import dataclass

from ...settings import check_choices
from ..judgements.debiasing import declare_debias
from ..separability.applications import BinnedSettings


@dataclass(frozen=True)
class BiasSettings(BinnedSettings):
    """Settings of bias: docs/statistics/bias.md, "p_first", "Transitivity"."""

    debias: str = declare_debias()

    def __post_init__(self) -> None:
        check_choices(self)
