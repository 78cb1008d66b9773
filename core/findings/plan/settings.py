"""Settings of a plan: the ranks to settle, and the prices of votes and answers."""

from __future__ import annotations

from dataclasses import dataclass

from ...records import TandemError, option_ref
from ...settings import declare
from ..combine import EstimateSettings


@dataclass(frozen=True)
class PlanSettings(EstimateSettings):
    """Settings of a plan: settle ranks 1 to `top` (None = all) with confidence `level`.
    `vote_price` is the price of a vote, `answer_price` that of one judge's answer; None = as
    recorded by its runs.
    """

    top: int | None = declare(
        None, "tell ranks 1 to K apart (default: all ranks)", metavar="K", least=1
    )
    level: float = declare(0.95, "with which confidence", metavar="P", least=0)
    vote_price: float | None = declare(None, "what a vote costs", metavar="X", least=0)
    answer_price: float | None = declare(
        None,
        "what an answer by one judge costs (default: as the judges' runs say)",
        metavar="X",
        least=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.5 < self.level < 1:
            raise TandemError(
                f"{option_ref('level')} {self.level:g} is not between 0.5 and 1, such as 0.95"
            )
