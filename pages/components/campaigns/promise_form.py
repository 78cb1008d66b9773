"""Form to preregister a number of votes before the first one, and to show earlier promises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from core.findings.people import PromiseSettings, promise
from core.records import Kind
from core.settings import list_settings
from core.store import Campaign, Promise
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.report import show_kept_promises
from pages.components.shared.settings import choose_setting, describe_setting
from pages.components.shared.stores import reopen


def show_promises(study: Study, campaign: Campaign) -> None:
    """Show what was promised, in a sentence, and the form to change it."""
    made = study.store.promises.list_all(campaign.id)
    show_kept_promises(study)
    with st.expander("Change what was promised" if made else "Promise a number of votes"):
        _choose(study, campaign, made[-1] if made else None)
        reason = made and st.text_input(**_describe(campaign, "reason"))
        st.button(
            "Promise", on_click=_promise, args=(study.store.path, campaign),
            disabled=bool(made) and not reason.strip(), key=f"promise {campaign.id}",
        )  # fmt: skip


def _choose(study: Study, campaign: Campaign, last: Promise | None) -> None:
    """Ask for the terms of a promise, with those of the last one as defaults."""
    pairs = study.store.campaigns.size(campaign.id)["wanted"]
    attributes = study.store.campaigns.attributes(campaign.id)
    known = study.store.judgement_frames.judges(study.dataset)
    promised = last.judges if last else ()
    judges = sorted({*known.loc[known["kind"] != Kind.HUMAN, "judge"], *promised})
    number, stop, cost = st.columns([1, 3, 1])
    about, beside = st.columns(2)
    number.number_input(
        **_describe(campaign, "votes"), min_value=1, value=max(last.votes if last else pairs, 1)
    )
    stopping = _key(campaign, "stopping")
    if last:
        st.session_state.setdefault(stopping, last.stopping)
    choose_setting(stop, PromiseSettings, "stopping", key=stopping)
    cost.number_input(
        **_describe(campaign, "epsilon"), min_value=0.0, max_value=0.99,
        value=last.epsilon if last else None, placeholder="none",
    )  # fmt: skip
    about.multiselect(
        **_describe(campaign, "about"), options=attributes, placeholder="all",
        default=[name for name in last.attributes if name in attributes] if last else (),
    )  # fmt: skip
    beside.multiselect(
        **_describe(campaign, "beside"), options=judges, default=promised, placeholder="none",
        accept_new_options=True,
    )  # fmt: skip


def _key(campaign: Campaign, name: str) -> str:
    return f"promised {name} {campaign.id}"


def _describe(campaign: Campaign, name: str) -> dict[str, Any]:
    return {**describe_setting(PromiseSettings, name), "key": _key(campaign, name)}


@action
def _promise(path: Path, campaign: Campaign) -> None:
    """Save the promise as the form shows it now. A press can arrive before the page of another
    choice is drawn, and no promise is ever overwritten.
    """
    keys = {name: _key(campaign, name) for name in list_settings(PromiseSettings)}
    shown = {name: st.session_state[key] for name, key in keys.items() if key in st.session_state}
    chosen = {
        name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()
    }
    with reopen(path) as store:
        promise(store, campaign, PromiseSettings(**chosen))
