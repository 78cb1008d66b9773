"""What to do next, as far as it fits what a data set holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from pages.components.shared.notice import several

MOST = 5


@dataclass(frozen=True)
class Holding:
    """What is known of a data set: how many items, systems and `texts` at hand; how many answers
    people and judges (`models`) gave, and how many these are; how many `scores`; the votes that its
    open campaigns still want (`wanted`); whether two systems have several texts of an item
    (`sampled`); whether whoever looks decides about people (`owned`); where it is from.
    """

    items: int = 0
    systems: int = 0
    texts: int = 0
    by_people: int = 0
    by_models: int = 0
    people: int = 0
    judges: int = 0
    scores: int = 0
    campaigns: int = 0
    wanted: int = 0
    sampled: bool = False
    owned: bool = False
    source: str = ""

    @property
    def answers(self) -> int:
        return self.by_people + self.by_models

    @property
    def comparable(self) -> bool:
        """Whether there is something to read: texts by two systems."""
        return self.texts > 1 and self.systems > 1


class NextStep(NamedTuple):
    """A page, what one does there, and why."""

    page: str
    label: str
    why: str


def next_steps(held: Holding) -> list[NextStep]:
    """What fits, what matters most first, and the way to data of one's own."""
    fitting = _steps(held)
    own = NextStep("data", "Your own data", "Import texts, votes or scores from a file.")
    return [*islice(fitting, MOST - 1), own]


def _steps(held: Holding) -> Iterator[NextStep]:
    yield from _missing(held)
    yield from _asking(held)
    if held.owned and held.wanted:
        yield NextStep("people", "Invite people", "Give each annotator a link of their own.")
    yield from _understanding(held)


def _missing(held: Holding) -> Iterator[NextStep]:
    if not held.texts and (held.answers or held.scores):
        why = "Votes are here without their texts. With them, people and judges can answer more."
        yield NextStep("data", "Import the texts", why)
    elif not held.texts:
        yield NextStep("data", "Import texts", "Nothing is here to compare yet.")
    elif not held.comparable:
        why = "Comparing takes texts by two systems. Import them, or let a model write."
        yield NextStep("data", "Add a second system", why)


def _asking(held: Holding) -> Iterator[NextStep]:
    """Who can answer more."""
    if not held.comparable:
        return
    if held.wanted:
        still = f"{several(held.wanted, 'vote')} still wanted."
        yield NextStep("annotate", "Annotate", f"{still} Read two texts, and press a key.")
    another = "Another judge" if held.by_models else "Run a judge"
    yield NextStep("judge", another, "Let a model or a rule answer the same questions.")
    if not held.wanted:
        why = "Every pair has its votes." if held.campaigns else "No campaign is open."
        yield NextStep("campaigns", "Ask people more", f"{why} Begin another campaign.")


def _understanding(held: Holding) -> Iterator[NextStep]:
    """What the answers tell beside who is best."""
    if held.by_people and held.by_models:
        yield NextStep("agreement", "Agreement", "See how far judges answer as people do.")
    elif held.people > 1:
        yield NextStep("agreement", "Agreement", "See how far people answer alike.")
    if held.by_models:
        yield NextStep("bias", "Bias", "See whether judges favour a position or a length.")
    if held.scores and held.answers:
        yield NextStep("correlation", "Correlation", "Hold rankings against the scores.")
    if held.sampled:
        yield NextStep("separability", "Separability", "See which items tell systems apart.")
