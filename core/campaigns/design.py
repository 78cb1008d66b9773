"""The choices of a campaign's owner: how many votes, in which order, with which answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from ..records import Outcome, TandemError, option_ref
from ..settings import StoredChanges, check_choices, declare

ON_FAILURE = {
    "note": "note it, and say nothing",
    "warn": "say so to the annotator",
    "stop": "ask the annotator no more",
}
"""What happens when an annotator fails a gold pair or an attention check."""

ORDERS = {"random": "in random order", "item": "item by item"}


MOST = 1000
"""People at a pair, and answers between two checks: more is a slip of the finger."""

LAST_MIDNIGHT = timedelta(days=1, hours=12)
"""From the start of a day in UTC until it is over everywhere on Earth."""


@dataclass(frozen=True, kw_only=True)
class Design(StoredChanges):
    """The way in which a campaign asks people. Its questions are planned when it is created;
    everything here can be changed while it runs.

    Answers: A and B always, and what is offered besides. After every `check_every` answers one
    check comes, while there are any; with `on_failure` "stop", an annotator who fails more than
    `failures_allowed` is asked no more.
    """

    overlap: int = declare(
        1,
        "people for each pair",
        label="People per pair",
        metavar="N",
        least=1,
        most=MOST,
        more="How many people answer each pair. Two or more show how far they agree.",
    )
    quota: int | None = declare(
        None,
        "questions one person gets at most; 0 no limit",
        label="Questions per person",
        metavar="N",
        more="At most. 0: no limit.",
    )
    people: int | None = declare(
        None,
        "people the campaign counts on; 0 not known",
        label="People",
        metavar="N",
        more="How many you count on. 0: not known yet.",
    )
    deadline: str = declare(
        "",
        "last day on which people are asked, such as 2026-12-24; it ends when that day is over "
        "everywhere on Earth",
        label="Last day",
        metavar="DAY",
        more="People are asked until this day is over everywhere on Earth. Empty: until you close "
        "the campaign.",
    )
    repeat_share: float = declare(
        0.0,
        "share asked twice of the same person",
        label="Asked twice, %",
        metavar="X",
        least=0,
        most=1,
        more="This share of the pairs comes a second time, after ten others or more. It shows "
        "how far people agree with themselves.",
    )
    together: bool = declare(
        False,
        "all attributes of a pair in a row",
        label="Asked in a row",
        is_switch=True,
        more="Attribute after attribute keeps one question in mind. All attributes of a pair "
        "saves reading it again, and lets one answer colour the next.",
    )
    order: str = declare(
        "random",
        "order of the pairs",
        label="Order",
        choices=ORDERS,
        more="The order in which pairs are planned. It holds for pairs that are added.",
    )
    tie: bool = declare(True, "offer a tie", label="Tie", is_switch=True)
    both_bad: bool = declare(True, "offer both bad", label="Both bad", is_switch=True)
    strength: bool = declare(
        False, "offer much and slightly better", label="How much better", is_switch=True
    )
    confidence: bool = declare(True, "offer how sure", label="How sure", is_switch=True)
    comment: bool = declare(True, "offer a comment", label="Comment", is_switch=True)
    reasons: tuple[str, ...] = declare(
        (),
        "reasons to tick",
        label="Reasons to tick, one per line",
        metavar="WORD",
        more="None: nothing to tick.",
    )
    check_every: int = declare(
        10, "a check after N answers", label="A check after so many answers", metavar="N",
        least=1, most=MOST,
    )  # fmt: skip
    on_failure: str = declare(
        "note",
        "what happens when a check is failed",
        label="When somebody fails one",
        choices=ON_FAILURE,
    )
    failures_allowed: int = declare(
        2,
        "checks that may be failed before on-failure stops",
        label="Failures allowed",
        metavar="N",
        least=0,
        more="Counts where people are asked no more.",
    )
    instructions: str = declare(
        "",
        "markdown, or @FILE",
        label="Instructions",
        metavar="TEXT",
        more="Markdown. People see it before their first pair, and at a key. **Examples** help "
        "more than definitions.",
    )
    consent: str = declare(
        "",
        "what people agree to first, and again once it is reworded; or @FILE",
        label="Consent",
        metavar="TEXT",
        more="People agree to this text before their first pair, and again before their next "
        "answer when you reword it. Empty: nothing to agree to.",
    )

    def __post_init__(self) -> None:
        for name in ("quota", "people"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise TandemError(f"{option_ref(name)} is {value}: it is at least 1, or none")
        if self.deadline:
            _read_day(self.deadline)
        check_choices(self)
        if any(not reason.strip() for reason in self.reasons):
            raise TandemError(f"one of the {option_ref('reasons')} is empty: give it words")
        if len({reason.strip() for reason in self.reasons}) < len(self.reasons):
            raise TandemError(f"two of the {option_ref('reasons')} are the same")

    def is_over(self, now: datetime | None = None) -> bool:
        """Return whether the last day is over, at this instant or at present."""
        if not self.deadline:
            return False
        there = (now or datetime.now(UTC)) - LAST_MIDNIGHT  # where the day begins latest
        return there.date() >= _read_day(self.deadline)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The answers an annotator may give."""
        optional = {Outcome.TIE: self.tie, Outcome.BOTH_BAD: self.both_bad}
        return tuple(outcome for outcome in Outcome if optional.get(outcome, True))


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise TandemError(
            f"{option_ref('deadline')} is {text!r}: write a day as 2026-12-24"
        ) from error
