"""Find items worth another look, read them, and save them as a set for campaigns and filters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.items import ItemSearch, describe_found, describe_search, find_items, save_items
from core.findings.judgements import Finding, Selection
from core.findings.separability import Settings, label_metrics, request_similarities
from core.labels import pluralize
from core.records import TandemError
from core.settings import check_values, list_settings
from core.store import Store
from pages.components.shared.address import FIND, set_choices, write_search
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import notice, show_caption, show_headline
from pages.components.shared.settings import describe_setting
from pages.components.shared.stores import store_action
from pages.components.shared.tables import call_judges, choose_rows
from pages.components.shared.texts import show_candidates, show_pair_answers, show_stored_pair

_find = cached_report("Looking for items …")(find_items)

ABOUT = ("attribute", "subset")
"""What of a selection the section offers."""
RANGE = ("low", "high")
MOST = 500  # rows of the table; a set takes all that are found
TALLEST = 320  # pixels of the table
SAID = "item set said"
"""The message about a set, shown when the page is redrawn: a sentence, and its name or ''."""


def show_search(study: Study) -> None:
    """Show the search that the address asks for, its results, and the saved sets."""
    asked = _read_search()
    with st.expander("Find items, and save them as a set", expanded=FIND in st.query_params):
        said, name = st.session_state.pop(SAID, ("", ""))
        if said:
            notice(said, kind="good")
        if name:
            _lead_on(name)
        values = _choose(study, asked)
        if values:
            _show_found(study, values)
        else:
            show_caption(
                "Choose what the items should have. All of it holds for each that is found."
            )
        _show_sets(study)


def _read_search() -> dict[str, Any]:
    try:
        asked = json.loads(st.query_params.get(FIND, "{}"))
        json.dumps(asked, ensure_ascii=False).encode()  # half of a pair of surrogates is no text
        about = {name: str(asked[name]) for name in ABOUT if name in asked}
        given = {name: asked[name] for name in list_settings(ItemSearch) if name in asked}
        return {**ItemSearch(**check_values(ItemSearch, given)).to_stored(), **about}
    except (TandemError, ValueError, TypeError, RecursionError):
        return {}


def _stamp(study: Study, search: ItemSearch) -> str:
    measured = 0
    if search.separability:
        settings = Settings(search.separability).fill_metric(study.store, study.dataset)
        wanted = request_similarities(Selection(study.dataset), settings)
        measured = study.store.similarities.extent(settings.key, wanted.chosen).measured
    return f"{study.scores_stamp}-{study.store.datasets.volume()}-{measured}"


def _choose(study: Study, asked: dict[str, Any]) -> dict[str, Any]:
    """Show widgets that follow the address, which follows them; return what was chosen."""
    attributes = [one.name for one in study.store.datasets.attributes(study.dataset)]
    subsets = study.store.datasets.subsets(study.dataset)
    judges = study.store.judgement_frames.judges(study.dataset)["judge"].unique().tolist()
    row = st.container(horizontal=True, vertical_alignment="bottom")

    def follow(name: str, value: Any) -> dict[str, Any]:
        st.session_state[_key(name)] = value
        return {"key": _key(name), "on_change": _write, "args": (name, dict(asked))}

    def switch(place: DeltaGenerator, name: str) -> None:
        values[name] = place.toggle(**_describe(name), **follow(name, bool(asked.get(name))))

    def choose(place: DeltaGenerator, name: str, named: Mapping[str, str], every: str) -> None:
        wanted = asked.get(name)
        values[name] = place.selectbox(
            **_describe(name), options=["", *named], width=260,
            format_func=lambda one: named.get(one, every),
            **follow(name, wanted if wanted in named else ""),
        )  # fmt: skip

    values: dict[str, Any] = {}
    switch(row, "split")
    choose(row, "judge", call_judges(judges), "any")
    values["text"] = row.text_input(
        **_describe("text"), width=220, **follow("text", asked.get("text", ""))
    ).strip()
    more = row.popover("More")
    if values["judge"]:
        switch(row, "contradicts")
        switch(row, "differs")
    switch(more, "unanswered")
    if len(attributes) > 1:
        choose(more, "attribute", {name: name for name in attributes}, "all attributes")
    if subsets:
        choose(more, "subset", {name: name for name in subsets}, "all subsets")
    choose(more, "separability", label_metrics(), "any")
    values = {name: value for name, value in values.items() if value}
    if "separability" in values:
        span = asked.get("low", -1.0), asked.get("high", 1.0)
        low, high = more.slider("Separability", -1.0, 1.0, step=0.05, **follow("range", span))
        values |= ({"low": low} if low > -1 else {}) | ({"high": high} if high < 1 else {})
    return values


def _key(name: str) -> str:
    return f"find {name}"


def _write(name: str, asked: dict[str, Any]) -> None:
    """Let the address follow a widget; what belongs to a judge or metric goes with it."""
    value = st.session_state[_key(name)]
    if name == "range":
        changed = {"low": value[0], "high": value[1]}
    else:
        changed = {name: value.strip() if isinstance(value, str) else value}
    gone = {"judge": ("contradicts", "differs"), "separability": RANGE}
    dropped = gone.get(name, ()) if not value else ()
    asked = {key: one for key, one in {**asked, **changed}.items() if key not in dropped}
    asked = {key: one for key, one in asked.items() if one not in ("", False, None)}
    set_choices({FIND: write_search(asked)})  # an empty search is an open one


def _describe(name: str) -> dict[str, Any]:
    if name in ABOUT:
        return {"label": name.capitalize()}
    return describe_setting(ItemSearch, name)


def _show_found(study: Study, values: dict[str, Any]) -> None:
    try:
        about = {name: values[name] for name in ABOUT if name in values}
        asked = {name: one for name, one in values.items() if name in list_settings(ItemSearch)}
        search = ItemSearch(**check_values(ItemSearch, asked))
        request = Selection(study.dataset, **about), search
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
        item = str(row["item"])
        found = study.store.datasets.items(study.dataset, [item])
        texts = study.store.texts.generations(study.dataset, items=[item])
        shown = [None if pd.isna(text) else str(text) for text in texts["text"]]
        text_format = study.store.datasets.text_format(study.dataset, "")
        show_candidates(
            str(found["context"].iloc[0]),
            study.context_noun,
            list(zip(texts["system"], shown, strict=True)),
            text_format,
        )
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
            args=(study.store.path, items, request, study.visit.audit_name, bool(picked)),
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
    st.button("Delete this set", on_click=_delete, args=(study.store.path, study.dataset, one.name))


@store_action()
def _delete(store: Store, dataset: str, name: str) -> None:
    store.item_sets.delete(dataset, name)
    st.session_state[SAID] = f"The set {name} is deleted. Its items stay.", ""
