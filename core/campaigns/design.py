"""What the owner of a campaign chooses: how many votes, in which order, with which answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.records import Outcome, TandemError, setting

ON_FAILURE = {
    "note": "note it, and say nothing",
    "warn": "say so to the annotator",
    "stop": "ask the annotator no more",
}
"""What happens when an annotator fails a gold pair or an attention check."""

ORDERS = {
    "random": "in random order",
    "item": "item by item",
}


MOST = 1000
"""People at a pair, and answers between two checks: more is a slip of the finger."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """How a campaign asks people. What it asks about is planned when it is created; everything here
    can be changed while it runs.

    `overlap` is how many people answer each pair; `quota` how many questions one person is asked at
    most. `repeat_share` of the answered pairs are asked of the same person a second time. Attribute
    after attribute, or all attributes of a pair `together`. `order` is that of the items.

    Answers: A and B always; `tie`, `both_bad`; `strength` splits A and B into much and slightly
    better; `confidence`, `comment`, and `reasons` to tick.

    After every `check_every` answers one check comes, while there are any. `on_failure` is what
    happens when one is failed; with "stop", an annotator who fails more than `failures_allowed` is
    asked no more. `instructions` are markdown; `consent` is asked for before the first pair.
    """

    overlap: int = 1
    quota: int | None = None
    repeat_share: float = 0.0
    together: bool = False
    order: str = "random"
    tie: bool = True
    both_bad: bool = True
    strength: bool = False
    confidence: bool = True
    comment: bool = True
    reasons: tuple[str, ...] = ()
    check_every: int = 10
    on_failure: str = "note"
    failures_allowed: int = 2
    instructions: str = ""
    consent: str = ""

    def __post_init__(self) -> None:
        for name in ("overlap", "check_every"):
            if not 1 <= getattr(self, name) <= MOST:
                raise TandemError(
                    f"{setting(name)} is {getattr(self, name)}: it is from 1 to {MOST:,}"
                )
        if self.quota is not None and self.quota < 1:
            raise TandemError(f"{setting('quota')} is {self.quota}: it is at least 1, or none")
        if self.failures_allowed < 0:
            raise TandemError(
                f"{setting('failures_allowed')} is {self.failures_allowed}: it is at least 0"
            )
        if not 0 <= self.repeat_share <= 1:
            raise TandemError(
                f"{setting('repeat_share')} is {self.repeat_share:g}: a share lies between 0 and 1"
            )
        for name, choices in (("on_failure", ON_FAILURE), ("order", ORDERS)):
            if getattr(self, name) not in choices:
                raise TandemError(
                    f"unknown {setting(name)} {getattr(self, name)!r}; there are "
                    f"{', '.join(choices)}"
                )
        if any(not reason.strip() for reason in self.reasons):
            raise TandemError(f"one of the {setting('reasons')} is empty: give it words")
        if len({reason.strip() for reason in self.reasons}) < len(self.reasons):
            raise TandemError(f"two of the {setting('reasons')} are the same")

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The answers an annotator may give."""
        optional = {Outcome.TIE: self.tie, Outcome.BOTH_BAD: self.both_bad}
        return tuple(outcome for outcome in Outcome if optional.get(outcome, True))

    def stored(self) -> dict[str, Any]:
        """What differs from the default, as JSON knows it."""
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) != field.default
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Design:
        """The design that `stored` gave."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in stored.items()
        }
        return cls(**values)
