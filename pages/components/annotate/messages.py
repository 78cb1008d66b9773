"""What whoever runs the study wants annotators to know, until they have taken note of it."""

from __future__ import annotations

from html import escape

from core.store import Campaign
from pages.components.shared.frame import Study

MOST = 3


def messages(study: Study, campaign: Campaign, annotator: str) -> str:
    """The latest messages to this person, as HTML; panels.js hides those they have put away in this
    browser.
    """
    store = study.store
    sent = store.messages.for_annotator(campaign.id, store.judges.id_of(annotator))
    return "".join(
        f'<div class="tandem-message" data-message="{store.campaigns.seal("message", message.id)}" '
        f'hidden><span dir="auto">{escape(message.text)}</span>'
        '<button type="button" data-dismiss>Got it</button></div>'
        for message in sent[:MOST]
    )
