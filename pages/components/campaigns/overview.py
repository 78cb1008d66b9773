"""The campaigns of a data set: how far each is, in a sentence and a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.campaigns import Design, current
from core.pairing import MOST_OTHERS, WAYS
from core.runs import span
from core.store import Campaign
from pages.components.shared.address import select_campaign
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, notice, several

CHOSEN = "campaign"
"""The key of the widget that says which campaign the page is about."""

USUAL_SECONDS = 20.0
"""What an answer takes where nobody has given one yet."""

LONG = 2 * 3600.0
"""Seconds of work beyond which a campaign should have a size that somebody chose."""


def show_campaigns(study: Study) -> Campaign | None:
    """The campaigns there are, and the one that was chosen among them."""
    campaigns = study.store.campaigns.of(study.dataset)
    if not campaigns:
        notice(
            "Nothing to ask people about: no item of this data set has texts by two systems. "
            "Import texts first."
        )
        ways_on(data="Import texts")
        return None
    asked = current(study.store, study.dataset)
    lead(_sentence(study, asked))
    st.dataframe(
        _table(study, campaigns),
        hide_index=True,
        column_config={
            "votes": st.column_config.ProgressColumn(
                "votes",
                format="%.0f%%",
                help="Of those that are wanted",
                min_value=0,
                max_value=100,
            ),
            "pairs": st.column_config.NumberColumn(help="Each counts once for each attribute"),
        },
    )
    names = [campaign.name for campaign in campaigns]
    usual = asked.name if asked else names[-1]
    name = select_campaign(names, usual, dataset=study.dataset, key=CHOSEN, width=420)
    return next(campaign for campaign in campaigns if campaign.name == name)


def _sentence(study: Study, asked: Campaign | None) -> str:
    if asked is None or not asked.open:
        return "People are asked nothing now: no campaign is open."
    size = study.store.campaigns.size(asked.id)
    if not size["given"]:
        return (
            f"People are asked about {several(size['pairs'], 'pair')} in “{asked.name}”. "
            f"Nobody has answered yet.{_too_many(study, asked, size['wanted'])}"
        )
    return (
        f"“{asked.name}” has {size['given']:,} of the {size['wanted']:,} votes it wants "
        f"({size['given'] / size['wanted']:.0%})."
    )


def _too_many(study: Study, campaign: Campaign, votes: int) -> str:
    """What all pairs come to, of the campaign whose size nobody chose."""
    seconds = votes * seconds_a_vote(study)
    if campaign.choice or seconds < LONG:
        return ""
    return f" That takes {span(seconds)} of somebody's time: open one of a size you choose."


def seconds_a_vote(study: Study) -> float:
    """The pace of people so far, or a guess."""
    pace = study.store.headway.pace(study.dataset)
    return USUAL_SECONDS if pace is None else pace


def _table(study: Study, campaigns: list[Campaign]) -> pd.DataFrame:
    rows = []
    many = len(study.store.datasets.systems(study.dataset)) > MOST_OTHERS + 1
    unchosen = f"{MOST_OTHERS} others a text" if many else "All"
    for campaign in reversed(campaigns):
        size = study.store.campaigns.size(campaign.id)
        way = campaign.choice.get("way")
        rows.append(
            {
                "campaign": campaign.name,
                "status": campaign.status,
                "votes": 100 * size["given"] / size["wanted"] if size["wanted"] else 0.0,
                "given": size["given"],
                "wanted": size["wanted"],
                "pairs": size["pairs"],
                "people a pair": Design.of(campaign.design).overlap,
                "pairs chosen": WAYS[way].label if way else unchosen,
                "since": campaign.created_at[:10],
            }
        )
    return pd.DataFrame(rows)
