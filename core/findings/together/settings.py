"""How votes and judges are combined."""

from __future__ import annotations

from dataclasses import dataclass

from core.records import Kind, TandemError, setting
from core.statistics import prediction_powered

METHODS = tuple(prediction_powered.RATED)


@dataclass(frozen=True)
class CombineSettings:
    """`people` are names or kinds of those whose votes are the truth, also of raters who give
    marks; `method` is one of METHODS, '' = what suits the comparisons, as in a leaderboard.
    """

    people: tuple[str, ...] = (Kind.HUMAN.value,)
    method: str = ""

    def __post_init__(self) -> None:
        if self.method and self.method not in METHODS:
            raise TandemError(
                f"unknown {setting('method')} {self.method!r}; there are {', '.join(METHODS)}"
            )
        if not self.people:
            raise TandemError(f"name somebody with {setting('people')}, or leave it out")
