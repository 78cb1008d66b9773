"""Participation: people's campaigns and names, what they have answered, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import median

from ..records import Answer, JudgeSpec, Kind, TandemError
from ..store import Campaign, Check, Store, check_name, make_moment_key
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


@dataclass(frozen=True)
class Participation:
    """A person in a campaign; `judge` is the row under which their answers are kept."""

    store: Store
    campaign: Campaign
    judge: int

    @classmethod
    def find(cls, store: Store, campaign: Campaign, annotator: str) -> Participation:
        """Find the participation of a person. Raises TandemError for an unknown name."""
        return cls(store, campaign, store.judges.id_of(annotator))

    @cached_property
    def design(self) -> Design:
        """The design of the campaign."""
        return Design.from_stored(self.campaign.design)

    def has_consented(self) -> bool:
        """Return whether this person has agreed to the campaign's consent as it is worded now."""
        text = self.design.consent
        return not text or self.store.campaigns.has_consented(self.campaign.id, self.judge, text)

    def check_consent(self) -> None:
        """Raise TandemError unless this person has given the consent of the campaign."""
        if not self.has_consented():
            raise TandemError(
                f"the consent of campaign {self.campaign.name!r} was reworded: agree to it first, "
                "then answer again"
            )

    def count_checks(self) -> dict[str, int]:
        """Count this person's checks and their results."""
        return self.store.checks.count_results(self.campaign.id, self.judge)

    def count_given(self) -> int:
        """Count the questions this person has answered or skipped, checks among them but not
        training.
        """
        answered = self.count_checks()["answered"]
        return self.store.progress.count_given(self.campaign.id, self.judge) + answered

    def has_quota(self) -> bool:
        """Return whether this person has answered as many questions as one person may."""
        return self.design.quota is not None and self.count_given() >= self.design.quota

    def is_stopped(self) -> bool:
        """Return whether this person has failed more checks than the campaign allows."""
        if self.design.on_failure != "stop":
            return False
        return self.count_checks()["failed"] > self.design.failures_allowed

    def count_since_check(self) -> int:
        """Count the pairs this person has answered or skipped since their last check.

        The count ends at the number of pairs between two checks, so that checks added later do not
        come all at once.
        """
        moment = self.store.checks.answered_at(self.campaign.id, self.judge)
        most = self.design.check_every
        return self.store.progress.given_since(self.campaign.id, self.judge, moment, most)

    def find_due_check(self) -> Check | None:
        """Return the check this person gets next; None if none is due.

        Training comes first, then one check after every so many answers.
        """
        checks, of = self.store.checks, (self.campaign.id, self.judge)
        if training := checks.list_unanswered(*of, training=True):
            return training[0]
        unanswered = checks.list_unanswered(*of, training=False)
        if not unanswered or self.count_since_check() < self.design.check_every:
            return None
        # Each person has an order of their own: what one tells another does not help.
        screens, draw = checks.screens(self.judge), self.store.secrets.draw
        return min(
            unanswered,
            key=lambda check: (check.id not in screens, draw("turn", check.id, self.judge)),
        )

    def _find_latest_check(self) -> tuple[int, str] | None:
        """Return the latest answer to a check that may be taken back, with its moment: none that
        they know to be wrong, as they were warned, or are asked no more.
        """
        told = self.design.on_failure == "warn" or self.is_stopped()
        return self.store.checks.latest(self.campaign.id, self.judge, told=told)

    def undo_check(self, row: int) -> Answer | None:
        """Withdraw an answer to a check, which comes again at once; return the answer.

        It is None when it was taken back already, when they have learned how they did, or answered
        another since.
        """
        with self.store.transaction(durable=True):
            last = self._find_latest_check()
            if last is None or last[0] != row or not self.store.checks.undo(row, self.judge):
                return None
            self.store.assignments.release(self.campaign.id, self.judge)
        return self.store.checks.load_answer(row)

    def find_latest(self) -> TakenAnswer | None:
        """Return the latest answer that can be taken back, be it to a pair or to a check."""
        answers = [
            TakenAnswer(one.judgement, at=self.store.progress.answered_at(one.judgement))
            for one in self.store.progress.latest(self.campaign.id, self.judge, limit=1)
        ]
        if check := self._find_latest_check():
            answers.append(TakenAnswer(check[0], check=True, at=check[1]))
        return max(answers, key=lambda one: make_moment_key(one.at), default=None)

    def measure_progress(self) -> Progress:
        """Return this person's progress in the campaign, over all attributes."""
        counts = self.store.progress.summarize(self.campaign.id, self.judge)
        checks = self.count_checks()
        latest = self.store.progress.latest(self.campaign.id, self.judge, PACE_OF)
        known = [one.seconds for one in latest if one.seconds is not None]
        answered, skipped = counts["answered"] + checks["answered"], counts["skipped"]
        return Progress(
            answered,
            skipped,
            self._count_left(counts, checks, answered + skipped),
            seconds=median(known) if len(known) >= 3 else None,
            latest=self.find_latest(),
            trained=checks["trained"],
            training=checks["training"],
        )

    def _count_left(self, counts: dict[str, int], checks: dict[str, int], given: int) -> int:
        """Count pairs, second answers and the checks between them; within the quota."""
        pairs, design = counts["left"], self.design
        again = counts["again"] + round(design.repeat_share * pairs) if design.repeat_share else 0
        due = (self.count_since_check() + pairs + again) // design.check_every
        left = pairs + again + min(checks["checks"] - checks["answered"], due)
        return left if design.quota is None else max(0, min(left, design.quota - given))


def progress(store: Store, campaign: Campaign, annotator: str) -> Progress:
    """Return this annotator's progress in a campaign, over all attributes."""
    return Participation.find(store, campaign, annotator).measure_progress()


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
    return [one for one in reversed(store.campaigns.list_all(dataset)) if is_asking(one)]


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
