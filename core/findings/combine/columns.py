"""The settings and the columns of votes and judges combined, each declared once for every door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ...records import TandemError, option_ref
from ...rendering import (
    COUNT,
    DECIMAL,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    Column,
    Interval,
    Names,
    Place,
)
from ...settings import check_choices, declare, list_settings
from ...statistics import RATINGS, Resolve, prediction_powered
from ..judgements.judges import JUDGE, KIND
from ..leaderboard import HOLDS, RankSettings, hold_at_looks


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
    """Settings of an estimate, plus three: whether intervals and ranks hold at one look or at
    every one, how several judges are weighed, and the rater with the truth, if votes are simulated.
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

    weigh_judges: str = declare(
        "votes",
        "count several judges by how far they agree with votes (default), or with each other",
        label="Judges count by",
        choices={"votes": "agreement with votes", "jury": "agreement with each other"},
        more="**Agreement with votes**: each judge counts as far as it makes the estimate more "
        "certain. **Agreement with each other**: a jury, for few votes; copies gain weight.",
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


CITES = ("angelopoulos2023ppi", "boyeau2024autoeval")
SHARE_INTERVAL, STRENGTH_INTERVAL = (
    Interval(f"95% intervals: {whose}, from items' errors.", f"{whose}, from items' errors", CITES)
    for whose in ("Wilson's", "Student's")
)
ESTIMATES = {"combined": "votes and judges", "human": "votes alone", "judge_only": "judges alone"}
"""What each estimate is called, in the order in which it is read."""
HELP = {
    "combined": "What people would say of all pairs, more certain by what judges say",
    "human": "By people's votes",
    "judge_only": "By what judges say, right or wrong",
}
JUDGES = (
    JUDGE,
    KIND,
    Column("pairs", "pairs", COUNT, "That it answered"),
    Column("unanswered", "unanswered", COUNT, "How often it gave no answer"),
    Column(
        "discrimination", "agrees with judges", DECIMAL,
        "Discrimination on the jury: 1 is the average judge, 0 a coin; one below 0 is not counted",
    ),
    Column(
        "lambda", "counts", SHARE, "How far its answers count (lambda): 0% not at all, 100% as "
        "much as votes. All judges together count at most 100%",
    ),
)  # fmt: skip
"""Columns of each judge that is combined with votes."""


TRUTH = Column(
    "truth", "known truth", SHARE_RATING,
    "The share of votes that it wins in the long run, as the simulation knows",
)  # fmt: skip


def choose_interval(method: str, resolve: str) -> Interval:
    """Choose the kind of interval for ratings by a method, for one look or for every look."""
    return hold_at_looks(SHARE_INTERVAL if RATINGS[method].share else STRENGTH_INTERVAL, resolve)


def declare_columns(
    method: str, resolve: str, *, is_whole: bool = False, with_truth: bool = False
) -> tuple[Column, ...]:
    """The columns of systems rated by a method, whose intervals hold so. Where votes are
    `is_whole`, on every pair, nobody reads how many more the judges are worth.
    """
    unit = SHARE_RATING if RATINGS[method].share else STRENGTH
    return (
        Column("system", "system"),
        *(
            Column(
                name, label, unit, HELP[name], low=f"{name}_low", high=f"{name}_high",
                interval=choose_interval(method, resolve),
            )
            for name, label in ESTIMATES.items()
        ),
        *([TRUTH] if with_truth else []),
        Column(
            "rank", "rank", COUNT,
            f"By votes and judges; 1 is best, and the ranks it may have. {HOLDS[resolve]}",
            low="rank_low", high="rank_high", place=Place.SCREEN,
        ),
        Column(
            "tied_with", "tied with", Names(noun="system"),
            f"Systems that are neither better nor worse. {HOLDS[resolve]}", place=Place.FILES,
        ),
        Column("votes", "voted pairs", COUNT, "Pairs with votes that it is in"),
        Column(
            "n_effective", "worth as many", COUNT,
            "So many votes without judges would be as certain as both together",
            place=Place.FILES if is_whole else Place.SCREEN,
        ),
        Column(
            "lambda_used", "kept", SHARE,
            "Which part of the judges' correction it keeps: 1 unless that made it less certain",
            place=Place.FILES,
        ),
    )  # fmt: skip
