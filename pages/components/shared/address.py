"""The address of a page: its data set, section and choices, which widgets follow and change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

DATASET = "dataset"
CAMPAIGN = "campaign"
ITEM_SET = "set"
METRIC = "metric"
SECTION = "section"
LARGEST = 1e6
"""The largest number that an address may bring."""
SHARED = ("attribute", "subset")
"""Choices that go along to other pages."""


def wanted_dataset() -> str:
    """Return the data set of the address, else the last of this session. It may be deleted."""
    return str(st.query_params.get(DATASET) or st.session_state.get(DATASET) or "")


def read_parameter(name: str) -> str:
    """Return what the address names, such as a campaign, which may be gone; '' for nothing."""
    return str(st.query_params.get(name) or "")


def set_dataset(name: str) -> None:
    """Name this data set in the address. What was chosen of another one goes."""
    named = st.query_params.to_dict()
    if named.get(DATASET, name) != name:
        named = _drop_parameters(CAMPAIGN, ITEM_SET, METRIC)
    _write({**named, DATASET: name})
    st.session_state[DATASET] = name


def rename_dataset(name: str) -> None:
    """Give the data set of the address its new name. Its campaign stays."""
    _write({**st.query_params.to_dict(), DATASET: name})
    st.session_state[DATASET] = name


def forget_dataset() -> None:
    """Name no data set, campaign or item set any more."""
    st.session_state.pop(DATASET, None)
    _write(_drop_parameters(DATASET, CAMPAIGN, ITEM_SET))


def set_campaign(name: str, dataset: str = "") -> None:
    """Name this campaign in the address, and `dataset` if given; '' drops the campaign."""
    set_choices({CAMPAIGN: name} | ({DATASET: dataset} if dataset else {}))


def set_choices(chosen: Mapping[str, str]) -> None:
    """Put these into the address at one go; '' drops one."""
    _write(_drop_parameters(*chosen) | {name: value for name, value in chosen.items() if value})


def _drop_parameters(*names: str) -> dict[str, str]:
    return {name: value for name, value in st.query_params.to_dict().items() if name not in names}


def _write(named: Mapping[str, str]) -> None:
    """Write the address at one go: each change of it is a step of the browser's Back."""
    if named != st.query_params.to_dict():
        st.query_params.from_dict(named)


def select_campaign(
    names: Sequence[str], default: str, *, dataset: str, key: str, width: int | None = None
) -> str:
    """Ask for a campaign, at first that of the address, else the default.

    The session keeps the first default that it met: a click on the page may change the default.
    """
    usual = f"usual campaign of {dataset}"
    if st.session_state.get(usual) not in names:
        st.session_state[usual] = default
    named = read_parameter(CAMPAIGN)
    st.session_state[key] = named if named in names else st.session_state[usual]
    return str(
        st.selectbox(
            "Campaign", names, key=key, on_change=_follow, args=(key,), width=width or "stretch"
        )
    )


def _follow(key: str) -> None:
    set_campaign(st.session_state[key])


def choose_section(sections: Mapping[str, str]) -> str:
    """Ask for a section of the page, at first that of the address; `sections` are their titles."""
    looks = {"format_func": sections.__getitem__, "label_visibility": "collapsed"}
    return choose_view(SECTION, "Section", sections, **looks)


def choose_view(
    name: str, label: str, views: Iterable[str], first: str = "", row: Any = st, **looks: Any
) -> str:
    """Ask for one of few views, which stand side by side; the address has the choice as `name`."""
    options = list(views)
    bound = bind_choice(name, first or options[0], options)
    return str(row.segmented_control(label, options, required=True, **looks, **bound))


def bind_choice(
    name: str,
    default: Any,
    options: Sequence[Any] | None = None,
    span: tuple[float, float] = (0, LARGEST),
) -> dict[str, Any]:
    """Return arguments of a widget that begins with what the address says of `name`, and puts a
    choice there.

    The value is the default if the address has none, none of the `options`, or a number outside of
    the `span`.
    """
    key = f"chosen {name}"
    value = read_choice(st.query_params.get(name), default, options)
    if isinstance(value, int | float) and not span[0] <= value <= span[1]:  # nor what is no number
        value = default
    st.session_state[key] = list(value) if isinstance(value, tuple) else value
    return {"key": key, "on_change": _keep_choice, "args": (name, key, default)}


def read_choice(written: str | None, default: Any, options: Sequence[Any] | None = None) -> Any:
    """Return what an address says of a choice; the default if that is nothing that it can be."""
    if written is None:
        return default
    value: Any = written
    if not isinstance(default, str):
        try:
            value = json.loads(written)
            value = float(value) if isinstance(default, float) else value
        except (ValueError, TypeError, OverflowError, RecursionError):
            return default
        value = tuple(value) if isinstance(value, list) else value
    chosen = value if isinstance(value, tuple) else (value,)
    is_offered = options is None or all(one in options for one in chosen)
    if type(value) is not type(default) or not is_offered:
        return default
    return tuple(dict.fromkeys(value)) if isinstance(value, tuple) else value


def _keep_choice(name: str, key: str, default: Any) -> None:
    value = st.session_state[key]
    value = tuple(value) if isinstance(default, tuple) else value
    _write(_drop_parameters(name) | ({} if value == default else {name: write_choice(value)}))


def write_choice(value: Any) -> str:
    """Write a choice as an address holds it."""
    return value if isinstance(value, str) else json.dumps(value)
