"""Which campaign of the data set is annotated here."""

from __future__ import annotations

import streamlit as st

from core import campaigns
from core.store import Campaign
from pages.components.shared.address import select_campaign, set_campaign, wanted_campaign
from pages.components.shared.frame import Study


def choose_campaign(study: Study) -> Campaign | None:
    """The campaign of a personal link, else of the address, else the newest that is open; None
    where there is none. Where several are open, the menu has a choice.
    """
    if study.visit.campaign is not None:
        return study.store.campaigns.get(study.visit.campaign)
    named = wanted_campaign()
    open_ = [one.name for one in campaigns.open_campaigns(study.store, study.dataset)]
    there = [one.name for one in study.store.campaigns.of(study.dataset)]
    if named in there and named not in open_:
        open_.append(named)
    if len(open_) > 1:
        with st.sidebar:
            named = select_campaign(
                open_, open_[0], dataset=study.dataset, key=f"campaign of {study.dataset}"
            )
        set_campaign(named)
    return campaigns.current(study.store, study.dataset, named)


def others(study: Study, campaign: Campaign) -> list[tuple[str, str]]:
    """(data set, campaign) of what else this person could annotate; nothing for whoever has a link
    for one campaign, and for an annotator nothing of another data set.
    """
    if study.visit.campaign is not None:
        return []
    datasets = [study.dataset] if study.invited else study.store.datasets.names()
    return [
        (dataset, one.name)
        for dataset in datasets
        for one in campaigns.open_campaigns(study.store, dataset)
        if one.id != campaign.id
    ]
