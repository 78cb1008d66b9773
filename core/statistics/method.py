"""Rating methods, and what each declares about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .columns import Floats

OPEN_POSITION = (
    "These comparisons cannot separate the effect of being shown first from the strengths. "
    "Both are a convention: ask some pairs in the other order."
)


EACH_JUDGE = "each judge's own"
MADE_FOR = ("decisions", "probabilities", "either", EACH_JUDGE, "rankings")
"""What a method is made for: "either" takes probabilities where all answers have them, EACH_JUDGE
those of the judges whose answers have them, "rankings" the pairs of whole ones.
"""


@dataclass(frozen=True)
class Method:
    """A way to rate.

    `label` is what people call it, `help` what it does, `axis` what its figures are called on a
    chart, and `share` whether they are shares of 1. `outcome` is one of
    MADE_FOR. `takes` names its own settings, `needs` what it needs to know of each comparison
    besides who won. `learns` says what it estimates from all answers together, so that it says
    nothing of a few of them.
    """

    name: str
    label: str
    help: str
    axis: str
    rate: Callable[..., Floats]
    share: bool = False
    outcome: str = "decisions"
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    learns: str = ""
    # whether the order of the comparisons matters
    in_order: bool = False
    # whether a comparison means the same with its sides turned round (without a position term)
    mirrored: bool = True
    # whether comparisons can count more or less than once, so that estimates can be re-weighted
    weighable: bool = False
    # how often each system is taken to have won and lost besides, where intervals are made: where
    # all answers are alike, others would not be
    pseudo: float = 0.0
    # whether ratings from few answers move in steps, which an interval cannot follow
    stepwise: bool = False
    # whether a rating is an order, whose variance the jackknife cannot estimate (Efron & Tibshirani
    # 1993, 10.6): it stays, or jumps, as a cluster is left out
    is_order: bool = False
    # whether few answers may decide much of a rating, such as those about texts as long as the
    # baseline's: resamples by weights show too little of that, so that clusters are left out one
    # at a time where there are no more of them than resamples
    left_out: bool = False
    # what a reader must know of a rating, or ''
    remark: Callable[..., str] = lambda *columns, **settings: ""
    # how much each comparison counts for its first and its second system, of shares in which that
    # is not its weight
    counts: Callable[..., tuple[Floats, Floats]] | None = None
    # the position term in rating points, of methods that take `position`
    position_effect: Callable[..., float] | None = None
    # the works that a paper which uses it cites, by their keys in core/reporting/references.bib
    cites: tuple[str, ...] = ()

    @property
    def is_jury(self) -> bool:
        """Return whether the method distinguishes judges, so that each may have its own weight."""
        return "judge" in self.needs
