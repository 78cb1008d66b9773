"""How a leaderboard is made, and which choices make no sense together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from core.analysis.judgements import debiasing
from core.records import TandemError
from core.statistics import Experts, ratings


@dataclass(frozen=True)
class RankSettings:
    """How a leaderboard is made: docs/definitions.md, "Ties", "Elo", "Debiasing"."""

    method: str = "win-ratio"
    ties: str = "half"
    bootstrap: int = 100
    resample: str = "item"
    k: float = 4.0
    position_term: bool = False
    debias: str = "none"
    experts: str = "logit"
    separability: str = ""  # the metric of sep-elo
    encoder: str = ""
    sep_threshold: float = 0.4
    sep_alpha: float = 2.0
    sep_beta: float = 6.0
    reweight: bool = False  # by 1 / the probability that a comparison was asked

    def __post_init__(self) -> None:
        choices = {
            "method": list(ratings.RATINGS),
            "ties": ["half", "drop", "model"],
            "resample": ["item", "judgement"],
            "debias": list(debiasing.DEBIASING),
            "experts": list(get_args(Experts)),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise TandemError(
                    f"unknown --{name} {getattr(self, name)!r}; there are {', '.join(allowed)}"
                )
        if self.ties == "model" and "ties" not in self.how.takes:
            raise TandemError(
                f"--ties model belongs to {_having('ties')}; {self.method} takes half or drop"
            )
        if self.ties == "drop" and self.how.outcome == "probabilities":
            raise TandemError(
                f"--ties drop belongs to methods that count decisions; {self.method} counts "
                "probabilities"
            )
        if self.experts != "logit" and "experts" not in self.how.takes:
            raise TandemError(f"--experts belongs to product-of-experts; {self.method} has none")
        self._check_position_term()
        self._check_separability()
        self._check_rankings()
        if self.reweight and not self.how.weighable:
            weighable = ", ".join(name for name, how in ratings.RATINGS.items() if how.weighable)
            raise TandemError(
                f"{self.method} cannot count a comparison as more or fewer: --reweight belongs "
                f"to {weighable}"
            )
        if self.bootstrap < 0:
            raise TandemError(f"--bootstrap {self.bootstrap} should not be negative")
        if not 0 < self.k < math.inf:
            raise TandemError(f"--k {self.k:g} should be a number above 0")

    def _check_position_term(self) -> None:
        if not self.position_term:
            return
        if "position" not in self.how.takes:
            raise TandemError(
                f"{self.method} has no --position-term; {_having('position')} have one"
            )
        if self.ties == "model":
            raise TandemError(
                "--position-term and --ties model are not fitted together: use --ties half or drop"
            )
        if self.debias != "none":
            raise TandemError(
                f"--position-term and --debias {self.debias} both take out the effect of being "
                "shown first: use one of them"
            )

    def _check_separability(self) -> None:
        if "separability" not in self.how.takes:
            if self.separability:
                raise TandemError(
                    f"--separability belongs to {_having('separability')}, not to {self.method}"
                )
            return
        if not self.separability:
            raise TandemError(
                f"{self.method} weighs comparisons by separability: say by which metric, such "
                "as --separability bertscore-length"
            )
        for name, value in (("alpha", self.sep_alpha), ("beta", self.sep_beta)):
            if not 0 < value < math.inf:
                raise TandemError(f"--sep-{name} {value:g} should be a number above 0")
        if not -1 <= self.sep_threshold <= 1:
            raise TandemError(
                f"--sep-threshold {self.sep_threshold:g} should lie between -1 and 1, as "
                "separability does"
            )

    def _check_rankings(self) -> None:
        if self.how.outcome != "rankings":
            return
        wrong = {
            "--ties drop: a sort leaves no ties": self.ties == "drop",
            "--resample judgement: its rankings are of items": self.resample == "judgement",
            f"--debias {self.debias}: ask with `judge --calibrate` instead": self.debias != "none",
        }
        for what, is_wrong in wrong.items():
            if is_wrong:
                raise TandemError(f"{self.method} takes no {what}")

    @property
    def how(self) -> ratings.Method:
        return ratings.RATINGS[self.method]

    def own(self, frame: pd.DataFrame) -> dict[str, Any]:
        """The settings the method itself takes, for these judgements."""
        every = {
            "k": self.k,
            "ties": self.ties,
            "position": self.position_term,
            "experts": self.experts,
            "decisions": not self.takes_probabilities(frame),
            "threshold": self.sep_threshold,
            "alpha": self.sep_alpha,
            "beta": self.sep_beta,
        }
        of_each = {
            name: frame[name].to_numpy(float) for name in ("separability", "share") if name in frame
        }
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
            "k": f"{self.k:g}" if "k" in self.how.takes else None,
            "position": "term" if self.position_term else None,
            "experts": self.experts if "experts" in self.how.takes else None,
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
            "debias": self.debias if self.debias != "none" else None,
            "reweight": "1/inclusion" if self.reweight else None,
            "boot": self.bootstrap,
            "resample": self.resample,
        }


def _having(setting: str) -> str:
    return ", ".join(name for name, how in ratings.RATINGS.items() if setting in how.takes)
