"""Consent: what people agree to before they answer, and again when its wording changes."""

from __future__ import annotations

from core.annotation.design import Design
from core.records import TandemError
from core.store import Campaign, Store


def has_consented(store: Store, campaign: Campaign, design: Design, judge: int) -> bool:
    """Whether this person has agreed to the campaign's consent as it is worded now."""
    text = design.consent
    return not text or store.campaigns.has_consented(campaign.id, judge, text)


def check_consent(store: Store, campaign: Campaign, design: Design, judge: int) -> None:
    """Raises TandemError for an answer under a consent that this person has not given."""
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
    now = Design.of(campaign.design).consent
    agreed = now if text is None else text
    store.campaigns.consent(campaign.id, store.judges.id_of(annotator), agreed)
    return agreed == now


def agreed_at(store: Store, campaign: Campaign, annotator: str) -> str:
    """When this person last agreed to any wording (UTC text); '' when they never did."""
    return store.campaigns.consented_at(campaign.id, store.judges.id_of(annotator))
