"""Goals of campaigns, and drafts of new ones.

A goal begins with settings that suit it, and any can be changed. A draft is saved as JSON while it
is filled in, and read back by the types of its fields.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, get_args, get_origin, get_type_hints

from ..pairing import Choice
from ..records import TandemError, option_ref
from ..settings import MOST, is_many, strip_none
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


LARGEST_FILE = 2**20
"""Bytes of a file of known answers up to which a draft keeps it: it is written at each change."""


@dataclass(frozen=True)
class SavedDraft:
    """A draft as it was saved, at this moment of the server's clock."""

    draft: CampaignDraft
    saved_at: datetime


class DraftError(TandemError):
    """A draft is there, and cannot be read."""


def save_draft(store: Store, owner: str, draft: CampaignDraft) -> None:
    """Save the draft of an owner about its data set, in place of the one before."""
    # The row names the data set, which may be renamed.
    nameless = replace(draft, choice=replace(draft.choice, dataset=""))
    text = json.dumps(_encode(nameless), ensure_ascii=False)
    store.campaign_drafts.save(draft.choice.dataset, owner, text)


def load_draft(store: Store, dataset: str, owner: str) -> SavedDraft | None:
    """Load the draft of an owner about a data set; None without one.

    Raises DraftError for one that is damaged, or has settings that this Tandem does not know.
    """
    found = store.campaign_drafts.get(dataset, owner)
    if found is None:
        return None
    text, saved_at = found
    try:
        draft = _decode(CampaignDraft, json.loads(text))
        moment = datetime.fromisoformat(saved_at).astimezone()
    except (ValueError, TypeError, OverflowError, RecursionError, TandemError) as error:
        raise DraftError(
            "the draft that was saved here cannot be read: fill in the form again"
        ) from error
    return SavedDraft(replace(draft, choice=replace(draft.choice, dataset=dataset)), moment)


def _encode(value: Any) -> Any:
    """Encode a value for JSON: a record is an object of all its fields."""
    if names := get_type_hints(type(value)):
        return {name: _encode(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [_encode(one) for one in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value


def _decode(hint: Any, value: Any) -> Any:
    """Decode a value of JSON as its type has it. Raises ValueError or TypeError for one of another
    type, a number that no door takes, and a text that nobody can write.
    """
    kind = strip_none(hint)
    if value is None and kind is not hint:
        return None
    if get_origin(kind) is tuple:
        kinds = get_args(kind)[:1] * len(value) if is_many(kind) else get_args(kind)
        return tuple(_decode(*each) for each in zip(kinds, _check(list, value), strict=True))
    if hints := get_type_hints(kind):
        given = _check(dict, value)
        if unknown := given.keys() - hints.keys():
            raise ValueError(f"unknown fields: {unknown}")
        return kind(**{name: _decode(hints[name], one) for name, one in given.items()})
    if kind is bytes:
        return b64decode(_check(str, value), validate=True)
    if kind is float:
        number = value if type(value) is int else _check(float, value)
        if not -MOST <= number <= MOST:
            raise ValueError(f"{number} is out of range")
        return float(number)
    if kind is int and not 0 <= _check(int, value) <= MOST:
        raise ValueError(f"{value} is out of range")
    if kind is str:
        _check(str, value).encode()  # half of a surrogate pair has no UTF-8
    return _check(kind, value)


def _check(kind: type, value: Any) -> Any:
    """Return the value. Raises TypeError unless it is of exactly this type: True is no number."""
    if type(value) is not kind:
        raise TypeError(f"a {type(value).__name__} instead of a {kind.__name__}")
    return value
