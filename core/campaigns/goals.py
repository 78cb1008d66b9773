"""Goals of campaigns: each begins with settings that suit it, and any can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..pairing import Choice
from ..records import TandemError, option_ref
from ..store import Campaign, Store
from .design import Design
from .known_answers import NewChecks

Changes = Mapping[str, Any]


@dataclass(frozen=True)
class Goal:
    """Goal of a campaign: its label, when to choose it, and the defaults it changes.

    Those belong to the choice of pairs, to the design, or to the number of checks.
    """

    label: str
    help: str
    choice: Changes = field(default_factory=dict)
    design: Changes = field(default_factory=dict)
    checks: NewChecks = field(default_factory=NewChecks)


GOALS = {
    "pilot": Goal(
        "Pilot",
        "Three people answer the same 20 pairs: is the question clear, and how long does it take?",
        {"budget": 20},
        {"people": 3, "overlap": 3},
    ),
    "crowd": Goal(
        "Paid crowd",
        "Many people answer a few pairs each. A pair gets three answers; checks show who reads.",
        {"budget": 100},
        {"overlap": 3, "quota": 30, "on_failure": "stop"},
        NewChecks(attention=3, at_most=True),
    ),
    "experts": Goal(
        "Experts",
        "A few experts go item by item, say how much better, and see some pairs twice.",
        {"budget": 100},
        {"people": 3, "overlap": 2, "order": "item", "strength": True, "repeat_share": 0.1},
    ),
    "fewest": Goal(
        "Fewest votes",
        "The next pair is always of the two systems whose order is most in doubt.",
        {"budget": 100, "way": "active"},
        {"people": 2},
    ),
}


@dataclass(frozen=True)
class CampaignDraft:
    """A campaign before it is opened.

    It has the goal it began with ('' for none) and its name, as far as it has one. Raises
    TandemError for an unknown goal.
    """

    choice: Choice
    design: Design
    checks: NewChecks = field(default_factory=NewChecks)
    goal: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if self.goal and self.goal not in GOALS:
            raise TandemError(
                f"unknown {option_ref('goal')} {self.goal!r}; there are {', '.join(GOALS)}"
            )


def begin_with(goal: str, dataset: str) -> CampaignDraft:
    """Return the draft that a goal begins with; '' is a campaign of all pairs.

    Raises TandemError for an unknown goal.
    """
    suits = GOALS.get(goal, Goal("", ""))
    return CampaignDraft(
        Choice(dataset=dataset, **suits.choice),
        replace(Design(), **suits.design),
        suits.checks,
        goal,
    )


def copy_campaign(store: Store, campaign: Campaign) -> CampaignDraft:
    """Build a draft that asks as a campaign does, about pairs chosen in the same way.

    The checks are the same. A last day that is over is left out.
    """
    design = Design.from_stored(campaign.design)
    return CampaignDraft(
        Choice.from_campaign(campaign) if campaign.choice else Choice(dataset=campaign.dataset),
        replace(design, deadline="") if design.is_over() else design,
        NewChecks(copied=tuple(store.checks.list_active(campaign.id))),
    )
