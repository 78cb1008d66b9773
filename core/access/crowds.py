"""The link of a crowd: opened, changed and closed."""

from __future__ import annotations

from ..records import TandemError
from ..store import Campaign, Crowd, Store
from .codes import new_code
from .crowd_terms import CrowdTerms


def open_crowd(
    store: Store, who: str, campaign: Campaign, terms: CrowdTerms, *, new_link: bool = False
) -> Crowd:
    """Let a panel's participants come to a campaign by one link. Where it has one, its terms become
    these; with a `new_link`, the one before lets nobody in any more.

    Raises TandemError for a campaign that is closed.
    """
    if campaign.is_closed:
        raise TandemError(f"campaign {campaign.name!r} is closed: resume it first")
    before = store.crowds.find_by_campaign(campaign.id)
    code = before.code if before and not new_link else new_code()
    with store.transaction(durable=True):
        store.crowds.open(campaign.id, code, terms.to_stored())
        store.audit.add(
            who, "opened to a crowd", campaign.name, dataset=campaign.dataset, panel=terms.platform
        )
    opened = store.crowds.find_by_campaign(campaign.id)
    assert opened
    return opened


def close_crowd(store: Store, who: str, campaign: Campaign) -> None:
    """Let nobody new in by a campaign's link; those who have begun go on."""
    if store.crowds.find_by_campaign(campaign.id) is None:
        raise TandemError(f"campaign {campaign.name!r} has no link for a crowd: `crowd open`")
    with store.transaction(durable=True):
        store.crowds.close(campaign.id)
        store.audit.add(who, "closed to a crowd", campaign.name, dataset=campaign.dataset)
