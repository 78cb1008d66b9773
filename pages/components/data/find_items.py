"""Browse items, find those worth another look, and save them as a set for campaigns and filters."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.items import ItemSearch, describe_found, describe_search, find_items, save_items
from core.findings.judgements import Finding, Selection
from core.findings.separability import Settings, label_metrics, request_similarities
from core.labels import pluralize
from core.records import TandemError
from core.settings import get_default, list_settings
from core.store import Sought, Store
from pages.components.data.browse import show_item, show_items
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import (
    Choices,
    choose_attribute,
    choose_settings,
    choose_subset,
)
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import notice, show_caption, show_headline
from pages.components.shared.stores import store_action
from pages.components.shared.tables import call_judges, choose_rows
from pages.components.shared.texts import show_pair_answers, show_stored_pair

_find = cached_report("Looking for items …")(find_items)

MOST = 500  # rows of the table; a set takes all that are found
TALLEST = 320  # pixels of the table
OPEN = "search open"
"""Whether something was searched for: the section stays open once nothing is any more."""
SAID = "item set said"
"""The message about a set, shown when the page is redrawn: a sentence, and its name or ''."""


def show_search(study: Study) -> None:
    """Show all items, or those that the address searches for, and the saved sets."""
    is_asked = any(name in st.query_params for name in list_settings(ItemSearch))
    st.session_state[OPEN] = is_asked or st.session_state.get(OPEN, False)
    with st.expander(
        "Browse items, find some, and save them as a set", expanded=st.session_state[OPEN]
    ):
        said, name = st.session_state.pop(SAID, ("", ""))
        if said:
            notice(said, kind="good")
        if name:
            _lead_on(name)
        selection, values = _choose(study)
        if values:
            _show_found(study, selection, values)
        else:
            show_items(study, Sought(study.dataset, attribute=selection.attribute or ""))
        _show_sets(study)


def _choose(study: Study) -> tuple[Selection, dict[str, Any]]:
    """Ask what the items should have; return whose items, and the terms that were chosen."""
    store, dataset, chosen = study.store, study.dataset, dict[str, Any]()
    judges = store.judgement_frames.judges(dataset)["judge"].unique().tolist()
    offered = {
        "judge": {"": "any", **call_judges(judges)},
        "separability": {"": "any", **label_metrics()},
    }
    asked = {end: {"span": (-1.0, 1.0), "step": 0.05} for end in ("low", "high")}
    choices = Choices()
    ask = partial(choose_settings, choices, [ItemSearch], chosen, offered, asked)
    ask(["split", "judge", "text", "contradicts", "differs"])
    ask(["unanswered"], are_rarer=True)
    attributes = [one.name for one in store.datasets.attributes(dataset)]
    attribute, subset = choose_attribute(attributes, choices), choose_subset(study, choices)
    ask(["separability", "low", "high"], are_rarer=True)
    chosen["text"] = chosen["text"].strip()
    values = {name: one for name, one in chosen.items() if one != get_default(ItemSearch, name)}
    return Selection(dataset, attribute=attribute, subset=subset), values


def _stamp(study: Study, search: ItemSearch) -> str:
    measured = 0
    if search.separability:
        settings = Settings(search.separability).fill_metric(study.store, study.dataset)
        wanted = request_similarities(Selection(study.dataset), settings)
        measured = study.store.similarities.extent(settings.key, wanted.chosen).measured
    return f"{study.scores_stamp}-{study.store.datasets.volume()}-{measured}"


def _show_found(study: Study, selection: Selection, values: dict[str, Any]) -> None:
    try:
        search = ItemSearch(**values)
        request = selection, search
        result = _find(study.store, request, _stamp(study, search))
    except TandemError as error:
        notice(str(error))
        return
    show_headline(describe_found(result))
    for note in result.notes:
        show_caption(note)
    if result.rows.empty:
        return
    rows = result.rows.head(MOST)
    ticked = choose_rows(rows, result.columns, f"found {hash(request)}", tallest=TALLEST)
    is_cut = len(result.rows) > MOST
    first = f" These are the first {MOST} of {len(result.rows):,} rows." if is_cut else ""
    show_caption(f"Tick rows to read their texts, or to save only their items.{first}")
    st.header("Texts", anchor=False)
    _read(study, rows.iloc[ticked[-1] if ticked else 0])
    picked = rows.iloc[ticked]["item"].unique().tolist()
    _save_form(study, request, result, picked)


def _read(study: Study, row: pd.Series) -> None:
    if pd.isna(row.get("system_1")):
        show_item(study, Sought(study.dataset), str(row["item"]))
        return
    texts_of = int(row["candidate_1"]), int(row["candidate_2"])
    systems = str(row["system_1"]), str(row["system_2"])
    attribute = "" if pd.isna(row["attribute"]) else str(row["attribute"])
    show_stored_pair(study, texts_of, systems, attribute)
    if attribute:
        show_pair_answers(study, attribute, texts_of, systems)


def _save_form(
    study: Study, request: tuple[Selection, ItemSearch], result: Finding, picked: list[str]
) -> None:
    items = picked or result.rows["item"].unique().tolist()
    number = pluralize(len(items), "item")
    which = f"{number} of the ticked rows" if picked else f"all that was found, {number}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the set", key="item set name", max_chars=60, width=260)
        st.button(
            "Save as a set", type="primary", on_click=_save,
            args=(items, request, study.visit.audit_name, bool(picked)),
        )  # fmt: skip
    biased = result.facts["by_answers"] or picked
    because = " They are chosen by answers: figures on them will say so." if biased else ""
    show_caption(
        f"It saves {which}. A campaign asks about every two systems on them, unless it names "
        f"some.{because}"
    )


@store_action()
def _save(
    store: Store, items: list[str], request: tuple[Selection, ItemSearch], who: str,
    are_picked: bool,
) -> None:  # fmt: skip
    name = str(st.session_state.get("item set name", ""))
    saved = save_items(store, name, items, request, by=who, are_picked=are_picked)
    st.session_state[SAID] = f"{pluralize(saved.size, 'item')} saved as {saved.name}.", saved.name


def _lead_on(name: str) -> None:
    with st.container(horizontal=True):
        link_to("campaigns", "Ask people about these", set=name)
        link_to("leaderboard", "See the leaderboard on these", set=name)
        link_to("agreement", "See agreement on these", set=name)


def _show_sets(study: Study) -> None:
    sets = {one.name: one for one in study.store.item_sets.list_all(study.dataset)}
    if not sets:
        return
    st.subheader("Sets", anchor=False)
    chosen = st.selectbox(
        "Item set", list(sets), index=None, placeholder=pluralize(len(sets), "set"),
        key=f"saved sets {study.dataset}", width=420,
    )  # fmt: skip
    if chosen is None:
        return
    one = sets[chosen]
    size, asked = pluralize(one.size, "item"), "; ".join(describe_search(one.search))
    because = " Answers decided which: figures on it say so." if one.by_answers else ""
    saved = f"Saved on {one.created_at[:10]} by {one.created_by}."
    show_caption(f"{size}: {asked or 'all items'}. {saved}{because}")
    _lead_on(one.name)
    st.button("Delete this set", on_click=_delete, args=(study.dataset, one.name))


@store_action()
def _delete(store: Store, dataset: str, name: str) -> None:
    store.item_sets.delete(dataset, name)
    st.session_state[SAID] = f"The set {name} is deleted. Its items stay.", ""
