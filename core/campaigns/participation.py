"""Participation: people's campaigns, names, consent before their first answer, and progress."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from ..records import JudgeSpec, Kind, TandemError
from ..store import Campaign, Store, check_name
from . import checking
from .design import Design
from .presentation import TakenAnswer


def has_consented(store: Store, campaign: Campaign, design: Design, judge: int) -> bool:
    """Return whether this person has agreed to the campaign's consent as it is worded now."""
    text = design.consent
    return not text or store.campaigns.has_consented(campaign.id, judge, text)


def check_consent(store: Store, campaign: Campaign, design: Design, judge: int) -> None:
    """Raise TandemError unless this person has given the consent of the campaign."""
    if not has_consented(store, campaign, design, judge):
        raise TandemError(
            f"the consent of campaign {campaign.name!r} was reworded: agree to it first, then "
            "answer again"
        )


def consent(store: Store, campaign: Campaign, annotator: str, text: str | None = None) -> bool:
    """Note that this person has agreed to a text, by default to the one of the campaign now.

    What they have read is what they agreed to: False where it has been reworded since, and they
    are asked again.
    """
    now = Design.from_stored(campaign.design).consent
    agreed = now if text is None else text
    store.campaigns.consent(campaign.id, store.judges.id_of(annotator), agreed)
    return agreed == now


def agreed_at(store: Store, campaign: Campaign, annotator: str) -> str:
    """Return when this person last agreed to any wording (UTC text); '' when they never did."""
    return store.campaigns.consented_at(campaign.id, store.judges.id_of(annotator))


def open_campaigns(store: Store, dataset: str) -> list[Campaign]:
    """List the campaigns of a data set that ask people something, newest first."""
    return [
        campaign for campaign in reversed(store.campaigns.list_all(dataset)) if is_asking(campaign)
    ]


def is_asking(campaign: Campaign) -> bool:
    """Return whether a campaign asks people anything: it is open, and its last day is not over."""
    return campaign.open and not Design.from_stored(campaign.design).is_over()


def current(store: Store, dataset: str, name: str = "") -> Campaign | None:
    """Return the campaign of that name, be it open or not.

    If the name is unknown, it is the newest that is open, else the newest; None for a data set
    without campaigns.
    """
    every = store.campaigns.list_all(dataset)
    named = [campaign for campaign in every if campaign.name == name]
    return next(iter([*named, *open_campaigns(store, dataset), *reversed(every)]), None)


def enrol(store: Store, annotator: str) -> int:
    """Return the row of an annotator, added when they are new. Raises TandemError for a name that
    cannot be used.
    """
    check_name(" ".join(annotator.split()))
    name = store.people.spelling(annotator)
    check_name(name)
    if store.judges.kind(name) is not Kind.HUMAN:  # known already: no write at every look at a page
        store.judges.add([JudgeSpec(name, Kind.HUMAN)])
    judge = store.judges.id_of(name)
    store.people.annotate(name, judge)
    return judge


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
