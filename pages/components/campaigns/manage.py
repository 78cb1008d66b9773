"""The campaigns of a data set and their progress; one of them can be paused, closed or changed."""

from __future__ import annotations

import dataclasses

import pandas as pd
import streamlit as st

from core.campaigns import (
    Design,
    NewChecks,
    add_checks,
    copy_campaign,
    count_people_needed,
    current,
    extend,
    is_asking,
    show_example,
)
from core.labels import describe_duration, join_names, pluralize
from core.pairing import MOST_OTHERS, WAYS
from core.records import TandemError
from core.store import Campaign, Store
from pages.components.annotate.answers import show_preview
from pages.components.campaigns.crowd_form import show_crowd
from pages.components.campaigns.forms import design_form, learn_pace
from pages.components.campaigns.new_campaign import begin_draft
from pages.components.shared.address import select_campaign, set_campaign
from pages.components.shared.frame import Study, link_to, next_step_links
from pages.components.shared.notice import notice, show_caption, show_done, show_headline
from pages.components.shared.stores import store_action

CHOSEN = "campaign"
"""The key of the widget that says which campaign the page is about."""

LONG = 2 * 3600.0
"""Seconds of work beyond which a campaign should have a size that somebody chose."""


def show_campaigns(study: Study) -> Campaign | None:
    """Show the campaigns, and the chosen one in full."""
    campaigns = study.store.campaigns.list_all(study.dataset)
    if not campaigns:
        notice(
            "Nothing to ask people about: no item of this data set has texts by two systems. "
            "Import texts first."
        )
        next_step_links(data="Import texts")
        return None
    asked = current(study.store, study.dataset)
    show_headline(_sentence(study, asked))
    st.dataframe(
        _table(study, campaigns),
        hide_index=True,
        column_config={
            "votes": st.column_config.ProgressColumn(
                "votes",
                format="%.0f%%",
                help="Share of the votes that are wanted",
                min_value=0,
                max_value=100,
            ),
            **dict.fromkeys(("given", "wanted"), st.column_config.NumberColumn(format="localized")),
            "pairs": st.column_config.NumberColumn(
                help="Each counts once for each attribute", format="localized"
            ),
            "people needed": st.column_config.NumberColumn(
                help="More people who are enough for the votes that are missing"
            ),
        },
    )
    names = [campaign.name for campaign in campaigns]
    usual = asked.name if asked else names[-1]
    name = select_campaign(names, usual, dataset=study.dataset, key=CHOSEN, width=420)
    return next(campaign for campaign in campaigns if campaign.name == name)


def _sentence(study: Study, asked: Campaign | None) -> str:
    if asked is None or not is_asking(asked):
        return "People are asked nothing now: no campaign is open."
    size = study.store.campaigns.size(asked.id)
    if not size["given"]:
        return (
            f"People are asked about {pluralize(size['pairs'], 'pair')} in “{asked.name}”. "
            f"Nobody has answered yet.{_too_many(study, asked, size['wanted'])}"
        )
    return (
        f"“{asked.name}” has {size['given']:,} of the {size['wanted']:,} votes it wants "
        f"({size['given'] / size['wanted']:.0%})."
    )


def _too_many(study: Study, campaign: Campaign, votes: int) -> str:
    """Describe how long all pairs take; '' for a campaign of chosen size or little work."""
    seconds = votes * learn_pace(study)
    if campaign.choice or seconds < LONG:
        return ""
    time = describe_duration(seconds)
    return f" One person would need {time}. You can open a smaller campaign below."


def _table(study: Study, campaigns: list[Campaign]) -> pd.DataFrame:
    rows = []
    many = len(study.store.datasets.systems(study.dataset)) > MOST_OTHERS + 1
    unchosen = f"{MOST_OTHERS} others a text" if many else "All"
    for campaign in reversed(campaigns):
        size = study.store.campaigns.size(campaign.id)
        way, design = campaign.choice.get("way"), Design.from_stored(campaign.design)
        checks = sum(
            check.role != "training" for check in study.store.checks.list_active(campaign.id)
        )
        rows.append(
            {
                "campaign": campaign.name,
                "status": "over" if campaign.open and design.is_over() else campaign.status,
                "votes": 100 * size["given"] / size["wanted"] if size["wanted"] else 0.0,
                "given": size["given"],
                "wanted": size["wanted"],
                "pairs": size["pairs"],
                "people a pair": design.overlap,
                "people needed": count_people_needed(size, design, checks),
                "pairs chosen": WAYS[way].label if way else unchosen,
                "since": campaign.created_at[:10],
                "last day": design.deadline,
            }
        )
    table = pd.DataFrame(rows)
    return table if table["last day"].any() else table.drop(columns="last day")


SAID = "campaign changed"
SAVED = "campaigns saved"
"""How often a form was saved here: a new number resets the form."""

WORDS = {
    "open": "People are asked again.",
    "paused": "People are asked nothing until you resume it. What they answered is kept.",
    "closed": "It is closed: nobody is asked, and nobody can change an answer.",
}

OVER_WORDS = "It is open, and its last day is over: nobody is asked until you choose a later one."


def manage(study: Study, campaign: Campaign) -> None:
    """Show the actions for the chosen campaign."""
    show_caption(_describe_questions(study, campaign))
    with st.container(horizontal=True, vertical_alignment="center"):
        link_to("annotate", "Annotate", campaign=campaign.name)
        link_to("people", "Invite people", campaign=campaign.name)
        if st.button("Preview"):
            _preview(study, campaign)
        st.button("Duplicate", on_click=_duplicate, args=(study.dataset,))
        if campaign.open:
            st.button("Pause", on_click=_set_status, args=(study.dataset, "paused"))
        else:
            st.button("Resume", on_click=_set_status, args=(study.dataset, "open"))
        if campaign.status != "closed":
            st.button("Close", on_click=_set_status, args=(study.dataset, "closed"))
    show_done(SAID)
    show_crowd(study, campaign)
    if campaign.status != "closed":
        with st.expander("Change this campaign"):
            _change(study, campaign)


@st.dialog("As an annotator sees it", width="large")
def _preview(study: Study, campaign: Campaign) -> None:
    show_caption("Nothing is recorded here.")
    show_preview(show_example(study.store, campaign), Design.from_stored(campaign.design))


def _describe_questions(study: Study, campaign: Campaign) -> str:
    attributes = study.store.campaigns.attributes(campaign.id)
    checks = study.store.checks.list_active(campaign.id)
    roles = {"training": "practice pair", "gold": "gold pair", "attention": "attention check"}
    counts = {words: sum(check.role == role for check in checks) for role, words in roles.items()}
    with_ = [pluralize(count, words) for words, count in counts.items() if count]
    beside = f", with {join_names(with_)}" if with_ else ""
    return f"Asks about {', '.join(attributes)}{beside}."


def _change(study: Study, campaign: Campaign) -> None:
    key = f"{campaign.id} {st.session_state.get(SAVED, 0)}"
    # What the form showed at first: it keeps showing it, even if others change it meanwhile.
    shown = st.session_state.setdefault(f"shown {key}", campaign)
    name = st.text_input("Name", shown.name, max_chars=60, width=420, key=f"name {key}")
    try:
        design, checks = design_form(key, Design.from_stored(shown.design))
    except TandemError as error:
        notice(f"{error}.", kind="problem")
        return
    budget = _budget(campaign, key)
    show_caption("What was answered stays as it is.")
    st.button(
        "Save changes",
        type="primary",
        key=f"save {key}",
        disabled=not name.strip(),
        on_click=_save,
        args=(shown, (name, design, budget, checks)),
    )


def _budget(campaign: Campaign, key: str) -> int | None:
    """Ask for a larger number of drawn pairs; None if it stays or the pairs were not drawn."""
    budget = campaign.choice.get("budget")
    if budget is None or campaign.choice.get("way") not in ("random", "active"):
        return None
    wanted = st.number_input(
        "Pairs per attribute", int(budget), step=10, key=f"budget {key}", width=200
    )
    return int(wanted) if wanted > budget else None


@store_action()
def _set_status(store: Store, dataset: str, status: str) -> None:
    """Set the status of the campaign that the page shows now, if a press arrives late."""
    campaign = store.campaigns.find(dataset, st.session_state[CHOSEN])
    if campaign:
        store.campaigns.set_status(campaign.id, status)
        over = status == "open" and Design.from_stored(campaign.design).is_over()
        st.session_state[SAID] = OVER_WORDS if over else WORDS[status]


@store_action()
def _duplicate(store: Store, dataset: str) -> None:
    campaign = store.campaigns.find(dataset, st.session_state[CHOSEN])
    if campaign:
        begin_draft(copy_campaign(store, campaign))
        st.session_state[SAID] = "The new campaign below begins with its settings."


def _merge_changes(now: Design, shown: Design, form: Design) -> Design:
    """Return the current design with the fields that the form has changed.

    Other people may have changed the other fields since the form was shown.
    """
    differing = {
        field.name: getattr(form, field.name)
        for field in dataclasses.fields(Design)
        if getattr(form, field.name) != getattr(shown, field.name)
    }
    return dataclasses.replace(now, **differing)


@store_action()
def _save(
    store: Store, campaign: Campaign, changed: tuple[str, Design, int | None, NewChecks]
) -> None:
    name, form, budget, checks = changed
    with store.transaction(durable=True):
        now = store.campaigns.get(campaign.id)
        design = _merge_changes(
            Design.from_stored(now.design), Design.from_stored(campaign.design), form
        )
        name = " ".join((name if name != campaign.name else now.name).split())
        store.campaigns.edit(
            campaign.id, name=name, design=design.to_stored(), overlap=design.overlap
        )
        if budget is not None:
            extend(store, store.campaigns.get(campaign.id), budget)
        add_checks(store, campaign, checks)
    st.session_state[SAVED] = st.session_state.get(SAVED, 0) + 1
    set_campaign(name)
    st.session_state[SAID] = "Saved. It holds from the next question on."
