"""The address of a page: it names the data set and the campaign that the page is about. Widgets
follow the address, and a change in a widget changes it; so reload and Back show what they showed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

DATASET = "dataset"
CAMPAIGN = "campaign"


def wanted_dataset() -> str:
    """The data set that the address names, else the last of this session. It may be gone."""
    return str(st.query_params.get(DATASET) or st.session_state.get(DATASET) or "")


def wanted_campaign() -> str:
    """The campaign that the address names, '' where it names none. It may be gone."""
    return str(st.query_params.get(CAMPAIGN) or "")


def set_dataset(name: str) -> None:
    """Name this data set in the address. A campaign of another one goes."""
    named = st.query_params.to_dict()
    if named.get(DATASET, name) != name:
        named.pop(CAMPAIGN, None)
    _write({**named, DATASET: name})
    st.session_state[DATASET] = name


def rename_dataset(name: str) -> None:
    """Give the data set of the address its new name. Its campaign stays."""
    _write({**st.query_params.to_dict(), DATASET: name})
    st.session_state[DATASET] = name


def forget_dataset() -> None:
    """Name neither a data set nor a campaign any more."""
    st.session_state.pop(DATASET, None)
    _write(_without(DATASET, CAMPAIGN))


def set_campaign(name: str, dataset: str = "") -> None:
    """Name this campaign in the address, and its data set where that is another; '' names none."""
    about = {DATASET: dataset, CAMPAIGN: name}
    _write(_without(CAMPAIGN) | {which: value for which, value in about.items() if value})


def _without(*names: str) -> dict[str, str]:
    return {name: value for name, value in st.query_params.to_dict().items() if name not in names}


def _write(named: Mapping[str, str]) -> None:
    """At one go, as each change of the address is a step of the browser's Back."""
    if named != st.query_params.to_dict():
        st.query_params.from_dict(named)


def select_campaign(
    names: Sequence[str], default: str, *, dataset: str, key: str, width: int | None = None
) -> str:
    """The campaign of the address, else the default this session met first: a press on the page
    may make another one the default.
    """
    usual = f"usual campaign of {dataset}"
    if st.session_state.get(usual) not in names:
        st.session_state[usual] = default
    named = wanted_campaign()
    st.session_state[key] = named if named in names else st.session_state[usual]
    return str(
        st.selectbox(
            "Campaign", names, key=key, on_change=_follow, args=(key,), width=width or "stretch"
        )
    )


def _follow(key: str) -> None:
    set_campaign(st.session_state[key])
