"""Promises of a study before its first look, and whether they are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from core.findings.judgements import Finding, Selection, write_signature
from core.findings.people.columns import PROMISES, STOPPING
from core.labels import join_names, pluralize
from core.records import Kind, TandemError, option_ref
from core.rendering import list_names
from core.settings import check_choices, declare
from core.store import Campaign, Promise, Store

MOST_VOTES = 10**9
TERMS = ("attributes", "epsilon", "judges")
"""What else is said of a first promise; attributes where it is not about all of the campaign."""


@dataclass(frozen=True)
class PromiseSettings:
    """Settings of a promise for a campaign: see `core.store.Promise`."""

    votes: int = declare(0, "how many votes are promised", metavar="N", least=1, label="Votes")
    stopping: str = declare(
        "number", "when voting stops", choices=STOPPING, label="Voting stops",
        more="At a number that is fixed before the first vote, intervals of a single look "
"hold. Until then, and where voting stops when the order is settled, wider "
"intervals allow for every look.",
    )  # fmt: skip
    about: tuple[str, ...] = declare(
        (), "the attributes whose votes are counted (default: all of the campaign)", metavar="NAME",
        label="About",
        more="Votes about these attributes are counted, all together. Results about others have "
        "no promised number.",
    )  # fmt: skip
    epsilon: float | None = declare(
        None, "what an annotator costs more than a judge, as `replace` takes it", metavar="E",
        least=0, label="Epsilon",
        more="What an annotator costs more than a judge, where judges are to replace annotators.",
    )  # fmt: skip
    beside: tuple[str, ...] = declare(
        (), "the judges whose answers count beside the votes", metavar="JUDGE",
        label="Judges beside the votes",
        more="The promise is kept once they have answered, too. Results that take other judges "
        "say so. A judge that was not asked yet can be typed in.",
    )  # fmt: skip
    reason: str = declare(
        "", "why it changes what was promised before", metavar="TEXT", label="Why it changes"
    )

    def __post_init__(self) -> None:
        check_choices(self)
        if self.votes > MOST_VOTES:
            raise TandemError(
                f"{option_ref('votes')} is {self.votes:g}: promise at most {MOST_VOTES:,}"
            )
        if self.epsilon is not None and not self.epsilon < 1:
            raise TandemError(
                f"{option_ref('epsilon')} {self.epsilon:g} is not from 0 to 1: try 0.1"
            )
        for name in ("about", "beside"):
            _check_names(name, getattr(self, name))


def _check_names(name: str, values: tuple[str, ...]) -> None:
    """Check that no value is empty or given twice. Raises TandemError."""
    for value in values:
        if not value.strip():
            raise TandemError(
                f"{option_ref(name)} {value!r} is empty: name something, or leave it out"
            )
        if values.count(value) > 1:
            raise TandemError(f"{option_ref(name)} {value!r} is there twice: leave one out")


def promise(store: Store, campaign: Campaign, settings: PromiseSettings) -> Promise:
    """Store a promise with its time. Raises TandemError for an attribute that the campaign does not
    ask about, for a person as a judge, and for a change without a reason.
    """
    asked = store.campaigns.attributes(campaign.id)
    for name in settings.about:
        if name not in asked:
            raise TandemError(
                f"campaign {campaign.name!r} does not ask about {name!r}; it asks about "
                f"{', '.join(asked)}"
            )
    for name in settings.beside:
        if store.judges.kind(name) == Kind.HUMAN:
            raise TandemError(
                f"{option_ref('beside')} {name!r} is a person, whose votes are promised already: "
                "name "
                "models"
            )
    made = Promise(
        settings.votes, settings.stopping, settings.about or tuple(asked), settings.epsilon,
        settings.beside, settings.reason,
    )  # fmt: skip
    return store.promises.add(campaign.id, made)


def promises(store: Store, selection: Selection) -> Finding:
    """List the promises of each campaign of a data set in order of time: PROMISES. Facts:
    `sentences`, one for each campaign with a promise, and `fixed`, whether all of them have the
    number of votes fixed before the first vote. Only votes about the attributes of a promise count.
    """
    rows, sentences, fixed = [], [], []
    for campaign in store.campaigns.list_all(selection.dataset):
        made = store.promises.list_all(campaign.id)
        progress = [_measure(store, campaign, one) for one in made]
        for one, so_far in zip(made, progress, strict=True):
            rows.append({"campaign": campaign.name, **asdict(one), **so_far._asdict()})
        if made:
            asked = store.campaigns.attributes(campaign.id)
            sentences.append(f"{campaign.name}: {_describe_promise(made, progress[-1], asked)}")
            fixed.append(made[-1].is_kept_at(progress[-1].given))
    return Finding(
        pd.DataFrame(rows, columns=list_names(PROMISES)),
        write_signature("promises", dataset=selection.dataset),
        0,
        facts={"sentences": sentences, "fixed": bool(fixed) and all(fixed)},
        columns=PROMISES,
    )


class _Progress(NamedTuple):
    """Number of votes `given`, judges that are `silent`, and whether the promise is `kept`."""

    given: int
    silent: tuple[str, ...]
    kept: bool


def _measure(store: Store, campaign: Campaign, promised: Promise) -> _Progress:
    given = store.promises.count_votes(campaign.id, promised.attributes)
    silent = tuple(store.promises.list_silent(campaign.id, promised))
    return _Progress(given, silent, promised.is_kept_at(given) and not silent)


def _describe_promise(made: list[Promise], so_far: _Progress, asked: Collection[str]) -> str:
    """Describe the promise of a campaign about so many attributes, its changes, and its
    progress.
    """
    first = made[0]
    after = (
        "" if first.was_made_beforehand else f", after {pluralize(first.votes_before, 'answer')}"
    )
    begins = f"{pluralize(first.votes, 'vote')} were promised on {first.created_at[:10]}{after}"
    stops = "" if first.stopping == "number" else ", and to stop when the order is settled"
    named = TERMS[1:] if set(first.attributes) == set(asked) else TERMS
    terms = list(filter(None, (_describe_terms(first)[name] for name in named)))
    beside = f" ({', '.join(terms)})" if terms else ""
    changes = [_describe_change(before, one) for before, one in pairwise(made)]
    return " ".join([f"{begins}{stops}{beside}.", *changes, *_describe_progress(made, so_far)])


def _describe_terms(promised: Promise) -> dict[str, str]:
    """Describe each term of a promise; '' if it has none."""
    epsilon, judges = promised.epsilon, promised.judges
    return {
        "votes": pluralize(promised.votes, "vote"),
        "stopping": f"to stop {STOPPING[promised.stopping]}",
        "attributes": f"about {join_names(promised.attributes)}",
        "epsilon": "" if epsilon is None else f"epsilon {epsilon:g}",
        "judges": f"beside {join_names(judges)}" if judges else "",
    }


def _describe_change(before: Promise, one: Promise) -> str:
    """Describe what a promise changed, when and why."""
    differs = [
        words or f"no {name}"
        for name, words in _describe_terms(one).items()
        if getattr(before, name) != getattr(one, name)
    ]
    became = ", ".join(differs) or "the same again"
    after = pluralize(one.votes_before, "answer")
    return f"On {one.created_at[:10]}, after {after}, that became {became}: {one.reason}."


def _describe_progress(made: list[Promise], so_far: _Progress) -> Iterator[str]:
    first, last, given = made[0], made[-1], so_far.given
    there = f"There are {given:,}"
    if not given:
        yield "Nobody has voted yet."
    elif last.is_kept_at(given):
        kept = "as many as were promised" if so_far.silent else "kept"
        yield f"{there}: {kept}. Intervals hold at this number."
    elif not first.was_made_beforehand:
        yield f"{there}. A number that is promised after the first vote may suit what was seen."
    elif not last.was_made_beforehand or (last.stopping == "number" and given > last.votes):
        yield f"{there}: not kept as it was promised. Intervals hold whenever you look."
    else:
        yield f"{there}. Intervals hold whenever you look."
    if given and so_far.silent:
        one = len(so_far.silent) == 1
        was, has = ("was", "has") if one else ("were", "have")
        yield f"{join_names(so_far.silent)} {was} promised, too, and {has} not answered yet."
