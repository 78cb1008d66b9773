"""How votes and judges are combined."""

from __future__ import annotations

from dataclasses import dataclass

from core.records import Kind, TandemError, setting
from core.settings import check_choices, declare
from core.statistics import RATINGS, prediction_powered


@dataclass(frozen=True)
class CombineSettings:
    """Whose votes are the truth, by names or kinds, also of raters who give marks; how systems are
    rated; and the rater who knows what votes come to, where they are simulated.
    """

    people: tuple[str, ...] = declare(
        (Kind.HUMAN.value,),
        "whose votes, or marks, are the truth (default human)",
        metavar="human|simulated|gold|NAME",
    )
    method: str = declare(
        "",
        "the rating method (default: win-ratio where every system met the others about equally "
        "often, else bradley-terry)",
        choices={"": "chosen by the data"}
        | {name: RATINGS[name].label for name in prediction_powered.RATED},
    )

    truth: str = declare(
        "",
        "a rater whose mark of a text is the share of votes that it wins in the long run, as a "
        "simulation knows it: a column beside the estimates",
        metavar="RATER",
    )

    def __post_init__(self) -> None:
        check_choices(self)
        if not self.people:
            raise TandemError(f"name somebody with {setting('people')}, or leave it out")
        if self.truth and self.method and not RATINGS[self.method].share:
            raise TandemError(
                f"{setting('truth')} {self.truth!r} knows shares of votes: rate by "
                f"{setting('method')} win-ratio, or leave it out"
            )
