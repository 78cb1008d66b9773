"""An example question of a campaign, to look at: nothing is reserved, and no answer is taken."""

from __future__ import annotations

from ..store import Campaign, Store
from .presentation import Presentation, build_presentation


def show_example(
    store: Store, campaign: Campaign, pair: tuple[str, int, int] | None = None
) -> Presentation | None:
    """Return a pair as it looks to an annotator; None for a campaign without pairs.

    A pair is its attribute and two rows; without one it is the campaign's first.
    """
    pair = pair or _find_first(store, campaign)
    if pair is None:
        return None
    attribute, a, b = pair
    if store.secrets.draw("example", campaign.id) % 2:
        a, b = b, a
    about = store.assignments.load_question(
        store.datasets.attribute_id(campaign.dataset, attribute), a, b
    )
    return build_presentation(
        campaign,
        about,
        key="",
        round=0,
        campaign_attribute=0,
        generation_a=a,
        generation_b=b,
        text_a=about["text_1"],
        text_b=about["text_2"],
    )


def _find_first(store: Store, campaign: Campaign) -> tuple[str, int, int] | None:
    pair = next(iter(store.campaigns.pairs(campaign.id)), None)
    attributes = store.campaigns.attributes(campaign.id)
    return (attributes[0], pair[0], pair[1]) if pair and attributes else None
