"""More of how a model is asked: labels, budget, system prompt and what else a server takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.judging import check_system_prompt, expected_budget, labels_of
from core.models import Member, Options, canonical_body
from core.records import Prompt, TandemError
from pages.components.judge.field_labels import with_labels
from pages.components.shared.notice import notice
from pages.components.shared.settings import describe_setting

MORE = "More of how it is asked"
MEND = f"Mend what “{MORE}” says."


@dataclass(frozen=True)
class AskingContext:
    """Who is asked in which mode with which prompt; `noun` is what the data set calls a text."""

    member: Member
    prompt: Prompt
    mode: str
    noun: str


def ask_more(asked: AskingContext) -> dict[str, Any] | None:
    """What departs from the defaults, as `Options` takes it; None while a field holds what cannot
    be.
    """
    takes = set(asked.member.options)
    drawn = [(names, draw) for names, draw in FIELDS if takes & set(names)]
    if not drawn:
        return {}
    given: dict[str, Any] = {}
    refused = False
    with st.expander(MORE):
        for _, draw in drawn:
            try:
                given |= draw(asked)
            except TandemError as error:
                notice(with_labels(error.sentence), kind="problem")
                refused = True
    return None if refused else {name: value for name, value in given.items() if name in takes}


def _budget(asked: AskingContext) -> dict[str, Any]:
    suits = expected_budget(asked.prompt, Options(mode=asked.mode), served=asked.member.served)
    tokens, temperature = st.columns(2)
    given: dict[str, Any] = {
        "max_tokens": tokens.number_input(
            **describe_setting(Options, "max_tokens"),
            min_value=1,
            value=None,
            placeholder=f"{suits:,}",
            key="judge-max-tokens",
        )
    }
    if "temperature" in asked.member.options and asked.mode != "sample":
        given["temperature"] = temperature.number_input(
            **describe_setting(Options, "temperature"),
            min_value=0.0,
            max_value=2.0,
            value=None,
            step=0.1,
            placeholder="0" if asked.mode else "usual",
            key="judge-temperature",
        )
    return {name: value for name, value in given.items() if value is not None}


def _labels(asked: AskingContext) -> dict[str, Any]:
    noun = f"{asked.noun[:1].upper()}{asked.noun[1:]}"
    usual = labels_of(asked.prompt)
    fields = zip(st.columns(2), ("first", "second"), usual, strict=False)
    words = [
        column.text_input(
            f"Label of the {place} text",
            placeholder=label.replace("{Candidate_noun}", noun),
            key=f"judge-label-{place}",
        ).strip()
        for column, place, label in fields
    ]
    if not any(words):
        return {}
    if not all(words) or len(set(words)) < 2:
        raise TandemError("give two different labels, or leave both empty")
    return {"labels": tuple(words)}


def _system(asked: AskingContext) -> dict[str, Any]:
    text = st.text_area(**describe_setting(Options, "system_prompt"), height=80, key="judge-system")
    check_system_prompt(text, compares=asked.member.answers == "comparisons")
    return {"system_prompt": text} if text.strip() else {}


def _stop(asked: AskingContext) -> dict[str, Any]:
    words = st.multiselect(
        **describe_setting(Options, "stop"),
        options=[],
        accept_new_options=True,
        placeholder="None",
        key="judge-stop",
    )
    return {"stop": tuple(words)} if words else {}


def _extra(asked: AskingContext) -> dict[str, Any]:
    text = st.text_area(
        **describe_setting(Options, "extra_body"),
        height=80,
        placeholder='{"reasoning_effort": "low"}',
        key="judge-extra",
    )
    body = canonical_body(text)
    return {"extra_body": body} if body else {}


def _switches(asked: AskingContext) -> dict[str, Any]:
    return {
        name: True
        for name in ("lenient", "stream")
        if name in asked.member.options
        and st.checkbox(**describe_setting(Options, name), key=f"judge-{name}")
    }


Draw = Callable[[AskingContext], dict[str, Any]]

FIELDS: tuple[tuple[tuple[str, ...], Draw], ...] = (
    (("max_tokens", "temperature"), _budget),
    (("labels",), _labels),
    (("system_prompt",), _system),
    (("stop",), _stop),
    (("extra_body",), _extra),
    (("lenient", "stream"), _switches),
)
"""Which options each row of fields is about, and what draws it."""
