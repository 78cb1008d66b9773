"""How a leaderboard is made, and which choices make no sense together."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, get_args

import pandas as pd

from core.findings.judgements import OVER, debiasing, minimum
from core.findings.leaderboard.jury import codes
from core.findings.leaderboard.method_choice import SAME_OPPONENTS, Choice
from core.records import TandemError, setting
from core.statistics import EACH_JUDGE, TIE_MODELS, Experts, Method, calibration, ratings

CHOICES: dict[str, Collection[str]] = {
    "method": ratings.RATINGS,
    "ties": ("half", "drop", "model"),
    "tie_model": tuple(TIE_MODELS),
    "over": ("", *OVER),
    "resolve": ("together", "pairwise"),
    "debias": debiasing.DEBIASING,
    "experts": get_args(Experts),
    "people": ("pooled", "each"),
    "calibrated": ("", *calibration.METHODS),
}
"""Settings that are one of a few words."""


PROBABILITIES = ("probabilities", "either", EACH_JUDGE)
"""What methods are made for that count probabilities."""
CONTROLS = ("length", "sentences", "headings", "lists", "bold")
"""What of texts can be held equal, besides the marks of a rater."""
CONTROLLING = next(name for name, how in ratings.RATINGS.items() if "control" in how.takes)


@dataclass(frozen=True)
class RankSettings:
    """How a leaderboard is made: docs/definitions.md, "Ties", "Elo", "Debiasing"."""

    method: str = ""  # '' = what suits the comparisons: win ratio or Bradley-Terry
    ties: str = "half"
    tie_model: str = "davidson"  # where ties are modelled
    bootstrap: int = 100
    over: str = ""  # what is drawn anew for intervals; '' = items, and judges where there are three
    resolve: str = "together"  # whether ranks and ties hold for all systems together
    k: float = 4.0
    position_term: bool = False
    debias: str = "none"
    experts: str = "logit"
    people: str = "pooled"  # whether people are one judge of a jury, or each is one
    calibrated: str = ""  # how probabilities are made those of people; '' = they are not
    separability: str = ""  # the metric of sep-elo
    encoder: str = ""
    sep_threshold: float = 0.4
    sep_alpha: float = 2.0
    sep_beta: float = 6.0
    reweight: bool = False  # by 1 / the probability that a comparison was asked
    regularise: bool = False  # whether strengths that no maximum bounds are told beside as well
    # what is held equal, of CONTROLS or RATER:ATTRIBUTE; by the method that does so, () = length
    control: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.control and not self.method:
            object.__setattr__(self, "method", CONTROLLING)
        if self.method == CONTROLLING and not self.control:
            object.__setattr__(self, "control", ("length",))
        for name, allowed in CHOICES.items():
            if name == "method" and not self.method:
                continue  # the comparisons choose
            if getattr(self, name) not in allowed:
                raise TandemError(
                    f"unknown {setting(name)} {getattr(self, name)!r}; "
                    f"there are {', '.join(filter(None, allowed))}"
                )
        minimum.check_resamples("bootstrap", self.bootstrap)
        for sentence, is_wrong in {
            **self._wrong_together(),
            **self._wrong_numbers(),
        }.items():
            if is_wrong:
                raise TandemError(sentence)

    def _wrong_together(self) -> dict[str, bool]:
        """Sentence -> whether the request is wrong in that way: settings that exclude one another,
        or that the method has no use for.
        """
        method = self.method or "a method that is chosen by the data"
        takes, outcome = self.how.takes, self.how.outcome
        weighable = ", ".join(name for name, how in ratings.RATINGS.items() if how.weighable)
        ties, position, debias = setting("ties"), setting("position_term"), setting("debias")
        separability, control = setting("separability"), setting("control")
        takes_separability, ranks = "separability" in takes, outcome == "rankings"
        return {
            f"{ties} model belongs to {_having('ties')}; {method} takes half or drop": (
                self.ties == "model" and "ties" not in takes
            ),
            f"{ties} drop belongs to methods that count decisions; {method} counts probabilities": (
                self.ties == "drop" and outcome == "probabilities"
            ),
            f"{setting('tie_model')} {self.tie_model} belongs to {ties} model: ask for both": (
                self.tie_model != "davidson" and self.ties != "model"
            ),
            f"{setting('experts')} belongs to product-of-experts; {method} has none": (
                self.experts != "logit" and "experts" not in takes
            ),
            f"{setting('people')} {self.people} belongs to {_having('judge')}, not to {method}": (
                self.people != "pooled" and "judge" not in takes
            ),
            f"{setting('calibrated')} {self.calibrated} belongs to {_counting_probabilities()}; "
            f"{method} counts decisions": (self.calibrated != "" and outcome not in PROBABILITIES),
            f"{setting('calibrated')} {self.calibrated} and {debias} {self.debias} both move "
            "probabilities: use one of them": self.calibrated != "" and self.debias != "none",
            f"{method} has no {position}; {_having('position')} have one": (
                self.position_term and "position" not in takes
            ),
            f"{position} and {ties} model are not fitted together: use {ties} half or drop": (
                self.position_term and self.ties == "model"
            ),
            f"{position} and {debias} {self.debias} both take out the effect of being shown "
            "first: use one of them": self.position_term and self.debias != "none",
            f"{separability} belongs to {_having('separability')}, not to {method}": (
                self.separability != "" and not takes_separability
            ),
            f"{method} weighs comparisons by separability: say by which metric, such as "
            f"{separability} bertscore-length": takes_separability and not self.separability,
            f"{setting('regularise')} belongs to {_having('ties')}, not to {method}": (
                self.regularise and "ties" not in takes
            ),
            f"{control} belongs to {_having('control')}, not to {method}": (
                self.control != () and "control" not in takes
            ),
            f"unknown {control} {self._unknown_control()!r}; there are {', '.join(CONTROLS)}, and "
            "RATER:ATTRIBUTE for marks of the texts": self._unknown_control() is not None,
            f"{method} takes no {ties} drop: a sort leaves no ties": ranks and self.ties == "drop",
            f"{method} takes no {setting('over')} judgements: its rankings are of items": (
                ranks and self.over == "judgements"
            ),
            f"{method} takes no {debias} {self.debias}: ask with `judge {setting('calibrate')}` "
            "instead": ranks and self.debias != "none",
            f"{method} cannot count a comparison as more or fewer: {setting('reweight')} belongs "
            f"to {weighable}": self.reweight and not self.how.weighable,
        }

    def _unknown_control(self) -> str | None:
        names = (name for name in self.control if name not in CONTROLS)
        return next((name for name in names if not all(name.rpartition(":")[::2])), None)

    def _wrong_numbers(self) -> dict[str, bool]:
        """Sentence -> whether a number is out of its range."""
        steps = {"k": self.k}
        if "separability" in self.how.takes:
            steps |= {"sep_alpha": self.sep_alpha, "sep_beta": self.sep_beta}
        return {
            **{
                f"{setting(name)} {value:g} should be a number above 0": not 0 < value < math.inf
                for name, value in steps.items()
            },
            f"{setting('sep_threshold')} {self.sep_threshold:g} should lie between -1 and 1, as "
            "separability does": (
                "separability" in self.how.takes and not -1 <= self.sep_threshold <= 1
            ),
        }

    @property
    def how(self) -> Method:
        """The method; until the comparisons have chosen one, that of the two which takes less."""
        return ratings.RATINGS[self.method or SAME_OPPONENTS]

    def with_method(self, choice: Choice) -> RankSettings:
        """With the method that suits the comparisons where none was asked for."""
        return self if self.method else replace(self, method=choice.method)

    def own(self, frame: pd.DataFrame) -> dict[str, Any]:
        """The settings the method itself takes, for these judgements."""
        every = {
            "k": self.k,
            "ties": self.ties,
            "tie_model": self.tie_model,
            "position": self.position_term,
            "experts": self.experts,
            "decisions": not self.takes_probabilities(frame),
            "threshold": self.sep_threshold,
            "alpha": self.sep_alpha,
            "beta": self.sep_beta,
            "control": frame[[name for name in frame if str(name).startswith("control:")]].to_numpy(
                float
            ),
        }
        of_each = {
            name: frame[name].to_numpy(float) for name in ("separability", "share") if name in frame
        }
        if "judge" in self.how.takes:
            of_each["judge"] = codes(frame, self.people)
        return {name: {**every, **of_each}[name] for name in self.how.takes}

    def takes_probabilities(self, frame: pd.DataFrame) -> bool:
        """Whether the method takes the probabilities of these judgements."""
        made_for = self.how.outcome
        return made_for == "probabilities" or (
            made_for == "either" and bool(frame["prob_a"].notna().all())
        )

    def signed(self) -> dict[str, object]:
        """What of these a signature says."""
        return {
            "ties": self.ties if self.how.outcome != "rankings" else None,
            "tie_model": self.tie_model if self.tie_model != "davidson" else None,
            "k": f"{self.k:g}" if "k" in self.how.takes else None,
            "position": "term" if self.position_term else None,
            "experts": self.experts if "experts" in self.how.takes else None,
            "people": self.people if self.people != "pooled" else None,
            "calibrated": self.calibrated,
            "separability": self.separability,
            "encoder": self.encoder if self.separability else None,
            **{
                name: f"{value:g}"
                for name, value in (
                    ("T", self.sep_threshold),
                    ("alpha", self.sep_alpha),
                    ("beta", self.sep_beta),
                )
                if self.separability
            },
            "control": "+".join(self.control),
            "debias": self.debias if self.debias != "none" else None,
            "regularise": "half" if self.regularise else None,
            "reweight": "1/inclusion" if self.reweight else None,
            "boot": self.bootstrap,
            "resolve": self.resolve if self.bootstrap and self.resolve != "together" else None,
        }


def _counting_probabilities() -> str:
    return ", ".join(name for name, how in ratings.RATINGS.items() if how.outcome in PROBABILITIES)


def _having(setting: str) -> str:
    return ", ".join(name for name, how in ratings.RATINGS.items() if setting in how.takes)
