"""Participation: people's campaigns, names and consent before their first answer."""

from __future__ import annotations

from ..records import JudgeSpec, Kind, TandemError
from ..store import Campaign, Store, check_name
from .design import Design


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
