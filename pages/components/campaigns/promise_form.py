"""What was promised of a campaign, and a promise to make before the first vote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from core.findings.people import PromiseSettings, promise
from core.store import Campaign
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
        wanted = study.store.campaigns.size(campaign.id)["wanted"]
        chosen: dict[str, Any] = {
            "votes": st.number_input(
                **describe_setting(PromiseSettings, "votes"), min_value=1,
                value=max(made[-1].votes if made else wanted, 1), width=200,
                key=f"promised {campaign.id}",
            ),
            "stopping": choose_setting(st.container(), PromiseSettings, "stopping", width=420),
        }  # fmt: skip
        if made:
            chosen["reason"] = st.text_input(
                **describe_setting(PromiseSettings, "reason"), key=f"why {campaign.id}"
            )
        st.button(
            "Promise", on_click=_promise, args=(study.store.path, campaign, chosen),
            disabled=bool(made) and not chosen["reason"].strip(), key=f"promise {campaign.id}",
        )  # fmt: skip


@action
def _promise(path: Path, campaign: Campaign, chosen: dict[str, Any]) -> None:
    with reopen(path) as store:
        promise(store, campaign, PromiseSettings(**chosen))
