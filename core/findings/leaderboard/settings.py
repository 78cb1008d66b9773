"""Settings of a leaderboard, the combinations that are rejected, and what methods need to know of
comparisons beyond the winner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, get_args

import pandas as pd

from ...labels import OVER
from ...records import TandemError, option_ref
from ...settings import (
    Part,
    check_choices,
    check_methods,
    declare,
    get_default,
    list_settings,
    sign_settings,
)
from ...statistics import Experts, Method, calibration, ratings
from ...store import Store
from ..judgements import minimum
from ..judgements.debiasing import declare_debias
from ..judgements.selection import Selection

SAME_OPPONENTS, OTHER_OPPONENTS = "win-ratio", "bradley-terry"
"""What suits systems that met the same opponents, and those that met others."""
PROBABILITIES = ("probabilities", "either")
"""What methods are made for that count probabilities."""
CONTROLS = {
    "length": "length in words",
    "sentences": "sentences",
    "headings": "headings",
    "lists": "list items",
    "bold": "bold passages",
}
"""What of texts can be held equal, besides the marks of a rater."""
CONTROLLING = next(name for name, how in ratings.RATINGS.items() if "control" in how.needs)


def _list_taking(name: str) -> tuple[str, ...]:
    return _find_methods(lambda how: name in how.takes or name in how.needs)


def _find_methods(trait: Callable[[Method], bool]) -> tuple[str, ...]:
    return tuple(name for name, how in ratings.RATINGS.items() if trait(how))


def _declare_step(default: float, help: str, metavar: str, sign_as: str) -> Any:
    """A number that sep-Elo's steps depend on (Ghosh et al. 2024, eq. 6)."""
    return declare(
        default, help, metavar=metavar, sign_as=sign_as, is_always_signed=True,
        methods=partial(_list_taking, "separability"),
    )  # fmt: skip


INTERVALS = Part("intervals", lambda values: values["bootstrap"] != 0)


@dataclass(frozen=True)
class RankSettings:
    """Settings of a leaderboard: docs/statistics/ratings.md, "Ties", "Elo";
    docs/statistics/bias.md, "Debiasing".
    """

    method: str = declare(
        "",
        "the rating method (default: win-ratio where every system met the others about equally "
        "often, else bradley-terry)",
        label="Rating method",
        choices=lambda: (
            {"": "chosen by the data"} | {name: how.label for name, how in ratings.RATINGS.items()}
        ),
        more="**Chosen by the data**: win ratio where every system met the others about equally "
        "often, else Bradley-Terry.",
    )
    ties: str = declare(
        "half",
        "half a point each, left out, or modelled (default half)",
        label="Ties",
        is_always_signed=True,
        choices={"half": "half a win each", "drop": "left out", "model": "modelled"},
        more="**Half a win each** is usual. **Left out**: only decisive answers count. "
        "**Modelled**: a tie is likelier the closer two systems are.",
    )
    bootstrap: int = declare(100, "resamples", metavar="B", sign_as="boot", is_always_signed=True)
    over: str = declare(
        "",
        "what intervals generalise to; default both where five judges or more answered the same "
        "items, else items",
        label="Intervals for",
        choices=OVER,
        more="What the intervals speak of. **Chosen by the data**: new items, and new judges "
        "where five or more answered the same items.",
        part=INTERVALS,
    )
    resolve: str = declare(
        "",
        "ranks for all systems together, pair by pair or at every look (default: always while "
        "votes come in, else together)",
        label="Ranks hold",
        choices={
            "": "chosen by the data",
            "together": "for all systems together",
            "pairwise": "pair by pair",
            "always": "whenever you look",
        },
        more="**Chosen by the data**: whenever you look, while votes are coming in; else for all "
        "systems together. **For all systems together**: with 95% confidence no two systems at all "
        "are wrongly told apart, at one look. **Whenever you look**: at every look, however often, "
        "so you may stop when you like. It takes two to three times the votes. **Pair by pair**: "
        "each two systems alone. Among many systems, some are then told apart by chance.",
        part=INTERVALS,
    )
    k: float = declare(
        4.0,
        "the largest step",
        metavar="K",
        methods=partial(_list_taking, "k"),
        is_harmless=True,
        is_always_signed=True,
    )
    position_term: bool = declare(
        False,
        "also estimate the advantage of being shown first",
        methods=partial(_list_taking, "position"),
        sign_as="position:term",
    )
    experts: str = declare(
        "logit",
        "scale of the differences",
        choices=get_args(Experts),
        methods=partial(_list_taking, "experts"),
        is_always_signed=True,
    )
    calibrated: str = declare(
        "",
        "make a judge's probabilities those of people, by a map fitted where people voted",
        choices=calibration.METHODS,
        methods=tuple(
            name for name, how in ratings.RATINGS.items() if how.outcome in PROBABILITIES
        ),
    )
    separability: str = declare(
        "",
        "similarity metric",
        label="Similarity metric",
        more="The metric that separability is measured with.",
        metavar="METRIC",
        methods=partial(_list_taking, "separability"),
    )
    encoder: str = declare(
        "",
        "encoder of the metric, where it has one",
        metavar="NAME",
        methods=partial(_list_taking, "separability"),
    )
    sep_threshold: float = _declare_step(0.4, "separability of a medium step", "T", "T")
    sep_alpha: float = _declare_step(2.0, "the largest step is A times K", "A", "alpha")
    sep_beta: float = _declare_step(6.0, "steepness of the step size", "B", "beta")
    control: tuple[str, ...] = declare(
        (),
        f"hold equal: {', '.join(CONTROLS)}, or RATER:ATTRIBUTE for scores of the texts (default "
        "length)",
        label="Hold equal",
        more="What of two texts is held equal, so that no system gains by it. Headings, lists and "
        "bold are counted as Markdown writes them. Without a choice it is length.",
        metavar="WHAT",
        choices=CONTROLS,
        methods=partial(_list_taking, "control"),
    )
    baseline: str = declare(
        "",
        "the system with a win rate of 50%, which others are compared with (default: the only "
        "one in every comparison)",
        label="Baseline",
        more="The system with which all others are compared. Its own win rate is 50% by "
        "definition. Comparisons without it are left out, and counted.",
        metavar="SYSTEM",
        methods=partial(_list_taking, "length"),
    )
    debias: str = declare_debias()
    regularise: bool = declare(
        False,
        "also say strengths with half a win and half a loss more for each system",
        label="Show regularised ratings, too",
        more="Some system won or lost everything, so that its strength has no bound but a weak "
        "prior. A regularised one is as if each system had also won half a comparison and lost "
        "half (Mease 2003).",
        methods=partial(_list_taking, "ties"),
        sign_as="regularise:half",
    )
    reweight: bool = declare(
        False,
        "count each comparison 1 / the probability that it was asked",
        label="Re-weight to all items",
        more="Some comparisons were likelier to be asked than others, because items were drawn by "
        "their separability. **Re-weighted**, each comparison counts 1 / the probability that it "
        "was asked. The figures then describe all items that could have been drawn.",
        methods=lambda: _find_methods(lambda how: how.weighable),
        sign_as="reweight:1/inclusion",
    )

    def __post_init__(self) -> None:
        if self.control and not self.method:
            object.__setattr__(self, "method", CONTROLLING)
        if self.method == CONTROLLING and not self.control:
            object.__setattr__(self, "control", ("length",))
        check_choices(self)
        minimum.check_resamples("bootstrap", self.bootstrap)
        check_methods(self, self.rating_method.name, self._described_method)
        for sentence, is_wrong in {**self._wrong_together(), **self._wrong_numbers()}.items():
            if is_wrong:
                raise TandemError(sentence)

    def _wrong_together(self) -> dict[str, bool]:
        """Sentence -> whether the request is wrong in that way: settings that exclude one another,
        or values that the method has no use for.
        """
        method = self._described_method
        how = self.rating_method
        takes, outcome, needs = how.takes, how.outcome, how.needs
        ties, position, debias, separability, control = map(
            option_ref, ("ties", "position_term", "debias", "separability", "control")
        )
        ranks, modelling = outcome == "rankings", ", ".join(_list_taking("ties"))
        return {
            f"{ties} model belongs to {modelling}; {method} takes half or drop": (
                self.ties == "model" and "ties" not in takes
            ),
            f"{ties} drop belongs to methods that count decisions; {method} counts probabilities": (
                self.ties == "drop" and outcome == "probabilities"
            ),
            f"{option_ref('calibrated')} {self.calibrated} and {debias} {self.debias} both move "
            "probabilities: use one of them": self.calibrated != "" and self.debias != "none",
            f"{position} and {ties} model are not fitted together: use {ties} half or drop": (
                self.position_term and self.ties == "model"
            ),
            f"{position} and {debias} {self.debias} both take out the effect of being shown "
            "first: use one of them": self.position_term and self.debias != "none",
            f"{method} weighs comparisons by separability: say by which metric, such as "
            f"{separability} bertscore-length": ("separability" in needs and not self.separability),
            f"unknown {control} {self._unknown_control()!r}; there are {', '.join(CONTROLS)}, and "
            "RATER:ATTRIBUTE for scores of the texts": self._unknown_control() is not None,
            f"{method} takes no {ties} drop: a sort leaves no ties": ranks and self.ties == "drop",
            f"{method} takes no {option_ref('over')} judgements: its rankings are of items": (
                ranks and self.over == "judgements"
            ),
            f"{method} takes no {debias} {self.debias}: ask with `judge {option_ref('calibrate')}` "
            "instead": ranks and self.debias != "none",
        }

    def _unknown_control(self) -> str | None:
        names = (name for name in self.control if name not in CONTROLS)
        return next((name for name in names if not all(name.rpartition(":")[::2])), None)

    def _wrong_numbers(self) -> dict[str, bool]:
        steps = {"k": self.k}
        if "separability" in self.rating_method.needs:
            steps |= {"sep_alpha": self.sep_alpha, "sep_beta": self.sep_beta}
        return {
            **{
                f"{option_ref(name)} {value:g} should be a number above 0": not 0 < value < math.inf
                for name, value in steps.items()
            },
            f"{option_ref('sep_threshold')} {self.sep_threshold:g} should lie between -1 and 1, as "
            "separability does": (
                "separability" in self.rating_method.needs and not -1 <= self.sep_threshold <= 1
            ),
        }

    @property
    def _described_method(self) -> str:
        return self.method or "a method that is chosen by the data"

    @property
    def rating_method(self) -> Method:
        """The method; until the comparisons have chosen one, that of the two which takes less."""
        return ratings.RATINGS[self.method or SAME_OPPONENTS]

    def with_method(self, suited: str) -> RankSettings:
        """Return the settings with the method that suits the comparisons, if none was chosen."""
        return replace(self, method=self.method or suited)

    def with_resolve(self, collecting: bool) -> RankSettings:
        """Return the settings with ranks that hold at every look, if answers still come in and
        nothing else was chosen.
        """
        usual = "always" if collecting else "together"
        return replace(self, resolve=self.resolve or usual)

    def with_plain_elo(self) -> RankSettings:
        """Return the settings for plain Elo, without those of separability."""
        usual = {
            name: get_default(RankSettings, name)
            for name, one in list_settings(RankSettings).items()
            if one.methods and "elo" not in one.methods
        }
        return replace(self, method="elo", **usual)

    def takes_probabilities(self, frame: pd.DataFrame) -> bool:
        """Return whether the method uses the probabilities of these judgements."""
        made_for = self.rating_method.outcome
        return made_for == "probabilities" or (
            made_for == "either" and bool(frame["prob_a"].notna().all())
        )

    def signature_values(self) -> dict[str, object]:
        """Return the signature values of the settings. The baseline is the one that was found."""
        besides = ("method", "over", "resolve", "baseline")
        signed = sign_settings(self, *besides, method=self.rating_method.name)
        if self.rating_method.outcome == "rankings":
            del signed["ties"]
        says_more = self.bootstrap and self.resolve not in {"", "together"}
        boot, resolve = signed.pop("boot"), self.resolve if says_more else None
        return {**signed, "boot": boot, "resolve": resolve}


Trait = Literal["metrics", "sorts", "texts"]
"""What the judgements of a data set may have: measured similarities, finished sorts, texts that
can be compared."""


@dataclass(frozen=True)
class PreparedComparisons:
    """Comparisons with the columns of a need, without those for which it is unknown. `signed` are
    its signature values, `fixed` the system whose rating is a convention, and `details` the content
    of further tables.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    signed: Mapping[str, object] = field(default_factory=dict)
    fixed: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Need:
    """Need that a method names in its `needs`. `prepare` adds it to comparisons, and raises
    TandemError if it is unknown. `read` passes it to the method's `rate` as arguments. Pages offer
    the method if the judgements have what it `requires`. `remove` undoes a correction; ratings
    without it are then shown beside.
    """

    name: str
    read: Callable[[pd.DataFrame, RankSettings], Mapping[str, Any]]
    prepare: Callable[[Store, Selection, pd.DataFrame, RankSettings], PreparedComparisons] = (
        lambda store, selection, frame, settings: PreparedComparisons(frame)
    )
    requires: Trait | None = None
    remove: Callable[[pd.DataFrame], pd.DataFrame] | None = None
