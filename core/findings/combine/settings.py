"""How votes and judges are combined."""

from __future__ import annotations

from dataclasses import dataclass

from core.records import Kind, TandemError, setting
from core.settings import check_choices, declare
from core.statistics import RATINGS, prediction_powered


@dataclass(frozen=True)
class CombineSettings:
    """Whose votes are the truth, by names or kinds, also of raters who give marks; and how systems
    are rated.
    """

    people: tuple[str, ...] = declare(
        (Kind.HUMAN.value,),
        "whose votes, or marks, are the truth (default human)",
        metavar="human|gold|NAME",
    )
    method: str = declare(
        "",
        "the rating method (default: win-ratio where every system met the others about equally "
        "often, else bradley-terry)",
        choices={"": "chosen by the data"}
        | {name: RATINGS[name].label for name in prediction_powered.RATED},
    )

    def __post_init__(self) -> None:
        check_choices(self)
        if not self.people:
            raise TandemError(f"name somebody with {setting('people')}, or leave it out")
