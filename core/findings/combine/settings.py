"""Settings of the combination of votes and judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ...records import TandemError, option_ref
from ...settings import check_choices, declare, list_settings
from ...statistics import RATINGS, Resolve, prediction_powered
from ..leaderboard import RankSettings


@dataclass(frozen=True)
class EstimateSettings:
    """People whose votes are the reference, by name or kind, including raters who give scores (none
    are those of `fill_sides`); and the rating method.
    """

    people: tuple[str, ...] = declare(
        (),
        "whose votes, or scores, are the truth (default: people, else gold, else simulated)",
        label="Votes of",
        more="Whose answers are taken as right. The combined figures estimate what these people "
        "would say about all pairs. Scores count as votes: the higher wins.",
        metavar="human|simulated|gold|NAME",
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


@dataclass(frozen=True)
class CombineSettings(EstimateSettings):
    """Settings of an estimate, plus two: whether intervals and ranks hold at one look or at every
    one, and the rater with the truth, if votes are simulated.
    """

    resolve: str = declare(
        "",
        "ranks and intervals hold at one look or at every look (default: always while answers "
        "come in, else together)",
        choices={
            name: word
            for name, word in list_settings(RankSettings)["resolve"].choices.items()
            if name != "pairwise"
        },
    )

    truth: str = declare(
        "",
        "a rater whose scores are the true shares, shown beside the estimates (default: the one of "
        "simulated votes)",
        metavar="RATER",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.truth and self.method and not RATINGS[self.method].share:
            raise TandemError(
                f"{option_ref('truth')} {self.truth!r} knows shares of votes: rate by "
                f"{option_ref('method')} win-ratio, or leave it out"
            )

    def choose_resolve(self, collecting: bool) -> Resolve:
        """Choose what intervals hold for: every look while answers are `collecting`, unless
        `resolve` is set.
        """
        usual = RankSettings(resolve=self.resolve).with_resolve(collecting)
        return cast(Resolve, usual.resolve)
