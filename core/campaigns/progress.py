"""The progress of an annotator in a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from ..store import Campaign, Store
from . import checking
from .design import Design
from .presentation import TakenAnswer

PACE_OF = 20  # answers: the median of so many is not moved by one coffee break


@dataclass(frozen=True)
class Progress:
    """The progress of an annotator in a campaign, in questions.

    answered and skipped, checks among them but not training; `n_left` for them, as far as can be
    foreseen; `trained` of `training` pairs with feedback. `seconds` is their own pace, None before
    the third answer; `latest` is the answer that an undo would take back.
    """

    answered: int
    skipped: int
    n_left: int
    seconds: float | None
    latest: TakenAnswer | None
    trained: int = 0
    training: int = 0

    @property
    def n_given(self) -> int:
        """Number of questions answered or skipped."""
        return self.answered + self.skipped

    @property
    def total(self) -> int:
        """Number of questions in all, as far as can be foreseen."""
        return self.n_given + self.n_left

    @property
    def seconds_left(self) -> float | None:
        """Seconds for what is left at their own pace; None while that is unknown."""
        return None if self.seconds is None else self.seconds * self.n_left


def count_given(store: Store, campaign: Campaign, judge: int) -> int:
    """Count the questions of a campaign this person has answered or skipped, checks among them but
    not training.
    """
    checks = store.checks.count_results(campaign.id, judge)["answered"]
    return store.progress.count_given(campaign.id, judge) + checks


def progress(store: Store, campaign: Campaign, annotator: str) -> Progress:
    """Return this annotator's progress in a campaign, over all attributes."""
    judge, design = store.judges.id_of(annotator), Design.from_stored(campaign.design)
    counts = store.progress.summarize(campaign.id, judge)
    checks = store.checks.count_results(campaign.id, judge)
    checks["since"] = checking.since_last(store, campaign, design, judge)
    answered = counts["answered"] + checks["answered"]
    pace = [one.seconds for one in store.progress.latest(campaign.id, judge, PACE_OF)]
    known = [seconds for seconds in pace if seconds is not None]
    return Progress(
        answered,
        counts["skipped"],
        _count_left(counts, checks, design, answered + counts["skipped"]),
        seconds=median(known) if len(known) >= 3 else None,
        latest=checking.latest(store, campaign, design, judge),
        trained=checks["trained"],
        training=checks["training"],
    )


def _count_left(counts: dict[str, int], checks: dict[str, int], design: Design, given: int) -> int:
    """Count what is left: pairs, second answers and the checks between them; within the quota."""
    pairs = counts["left"]
    again = counts["again"] + round(design.repeat_share * pairs) if design.repeat_share else 0
    checks_left = min(
        checks["checks"] - checks["answered"],
        (checks["since"] + pairs + again) // design.check_every,
    )
    left = pairs + again + checks_left
    return left if design.quota is None else max(0, min(left, design.quota - given))
