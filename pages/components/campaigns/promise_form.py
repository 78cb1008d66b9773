"""What was promised of a campaign, and a promise to make before the first vote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from core.findings.people import PromiseSettings, promise
from core.records import Kind
from core.store import Campaign, Promise
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.report import show_kept_promises
from pages.components.shared.settings import choose_setting, describe_setting
from pages.components.shared.stores import reopen


def show_promises(study: Study, campaign: Campaign) -> None:
    """What stands, in a sentence, and the form."""
    made = study.store.promises.of(campaign.id)
    show_kept_promises(study)
    with st.expander("Change what was promised" if made else "Promise a number of votes"):
        chosen = _choose(study, campaign, made[-1] if made else None)
        if made:
            chosen["reason"] = st.text_input(
                **describe_setting(PromiseSettings, "reason"), key=f"why {campaign.id}"
            )
        st.button(
            "Promise", on_click=_promise, args=(study.store.path, campaign, chosen),
            disabled=bool(made) and not chosen["reason"].strip(), key=f"promise {campaign.id}",
        )  # fmt: skip


def _choose(study: Study, campaign: Campaign, last: Promise | None) -> dict[str, Any]:
    """What is promised, at first what was promised last."""
    pairs = study.store.campaigns.size(campaign.id)["wanted"]
    attributes = study.store.campaigns.attributes(campaign.id)
    known = study.store.judgement_frames.judges(study.dataset)
    promised = last.judges if last else ()
    judges = sorted({*known.loc[known["kind"] != Kind.HUMAN, "judge"], *promised})
    number, stop, cost = st.columns([1, 3, 1])
    about, beside = st.columns(2)
    return {
        "votes": number.number_input(
            **describe_setting(PromiseSettings, "votes"), min_value=1,
            value=max(last.votes if last else pairs, 1), key=f"promised {campaign.id}",
        ),
        "stopping": choose_setting(
            stop, PromiseSettings, "stopping", key=f"stopping {campaign.id}"
        ),
        "epsilon": cost.number_input(
            **describe_setting(PromiseSettings, "epsilon"), min_value=0.0, max_value=0.99,
            value=last.epsilon if last else None, placeholder="none", key=f"epsilon {campaign.id}",
        ),
        "about": tuple(about.multiselect(
            **describe_setting(PromiseSettings, "about"), options=attributes, placeholder="all",
            default=[name for name in last.attributes if name in attributes] if last else (),
            key=f"about {campaign.id}",
        )),
        "beside": tuple(beside.multiselect(
            **describe_setting(PromiseSettings, "beside"), options=judges, default=promised,
            placeholder="none", accept_new_options=True, key=f"beside {campaign.id}",
        )),
    }  # fmt: skip


@action
def _promise(path: Path, campaign: Campaign, chosen: dict[str, Any]) -> None:
    with reopen(path) as store:
        promise(store, campaign, PromiseSettings(**chosen))
