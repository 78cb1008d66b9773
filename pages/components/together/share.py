"""The section Share: which answers of judges may stand, and a campaign of what people answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.campaigns import Design, open_campaign
from core.findings.chart import SHARED_COST_PICTURE
from core.findings.judgements import Finding, Selection, find_rest_campaigns
from core.labels import join_few_names, pluralize, shorten_judges
from core.pairing import REST, Choice
from core.store import Store
from pages.components.shared.address import set_campaign
from pages.components.shared.finding import (
    FindingFigure,
    FindingSection,
    declare_picture,
    declare_table,
)
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.stores import store_action
from pages.components.together.combine import choose_judges, find_answers, offer_people

ONE_QUESTION = "Choose one attribute to ask people about the rest."
AS_CHOSEN = "A campaign keeps the promise as surely as chosen, against the majority: choose both."


def _offer_rest(study: Study, selection: Selection, result: Finding, names: Sequence[str]) -> None:
    """Offer a campaign of the pairs that no judge is trusted with, or say what it takes."""
    facts, attributes = result.facts, study.store.datasets.attributes(study.dataset)
    attribute = selection.attribute or (attributes[0].name if len(attributes) == 1 else "")
    about = study.store.campaigns.attributes
    every = find_rest_campaigns(study.store, study.dataset)
    asking = [one for one in every if one.open and (not attribute or attribute in about(one.id))]
    sizes = [study.store.campaigns.size(one.id) for one in asking]
    if facts["left"] and any(size["given"] < size["wanted"] for size in sizes):
        given, wanted = (sum(size[name] for size in sizes) for name in ("given", "wanted"))
        names = join_few_names([one.name for one in asking])
        notice(f"{names}: {given:,} of {pluralize(wanted, 'vote')}.", kind="good")
        next_step_links(annotate="Annotate", campaigns="See its progress", people="Invite people")
    elif not facts["accepted"]:
        next_step_links(annotate="Annotate", campaigns="Ask about pairs at random")
    elif facts["left"] and not attribute:
        show_caption(ONE_QUESTION)
    elif facts["left"] and (facts["promise"], facts["against"]) != ("sure", "majority"):
        show_caption(AS_CHOSEN)
    elif facts["left"]:
        choice = Choice(
            dataset=study.dataset,
            attributes=(attribute,),
            subset=selection.subset or "",
            item_set=selection.item_set or "",
            judges=selection.judges,
            way=REST,
            accept_error=facts["accept_error"],
            certainty=facts["confidence"],
            signal=facts["signal"],
        )
        judges = " and ".join(map(shorten_judges, facts["judges"]))
        st.button(
            f"Ask people about the other {pluralize(facts['left'], 'pair')}",
            help="Opens a campaign. Pairs on which a vote tells most come first.",
            on_click=_open, args=(study.store.path, f"rest of {judges}"[:60], choice),
        )  # fmt: skip


@store_action()
def _open(store: Store, name: str, choice: Choice) -> None:
    taken = {campaign.name for campaign in store.campaigns.list_all(choice.dataset)}
    numbered = (f"{name[:56]} {number}" for number in range(2, len(taken) + 3))
    name = name if name not in taken else next(one for one in numbered if one not in taken)
    campaign = open_campaign(store, name, choice, Design())
    set_campaign(campaign.name)


VOTED: dict[str, Any] = {
    "intervals": lambda result, rows: "",
    "count": lambda result, rows: f"Votes on {pluralize(result.facts['sampled'], 'pair')}",
}


def _choose_costs(frontier: pd.DataFrame) -> pd.DataFrame:
    """Choose the thresholds with costs; none for a judge alone, which is asked about every pair."""
    known = frontier.dropna(subset=["error", "money"])
    return known if known["way"].nunique() > 1 else known[:0]


SHARE = FindingSection(
    "share",
    (
        declare_picture(
            "share", lambda result, names: result.tables["frontier"].dropna(subset="error"), **VOTED
        ),
        FindingFigure(
            "share_cost", SHARED_COST_PICTURE.title,
            lambda result, names: _choose_costs(result.tables["frontier"]),
            lambda result, rows: partial(SHARED_COST_PICTURE.draw, rows, result.facts), **VOTED,
        ),
    ),
    find_answers,
    (
        declare_table("Who answers", is_folded=False),
        declare_table("Every threshold", "frontier"),
        declare_table("Every pair", "answers"),
    ),
    offer=offer_people,
    adjust=choose_judges,
    look_closer=_offer_rest,
)  # fmt: skip
