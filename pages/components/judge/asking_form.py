"""Form for how a model is asked: verdict format, labels, budget, system prompt and other server
options. It also holds the labels that the page gives these options.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.judging import (
    asks_in_any_form,
    check_system_prompt,
    declared_form,
    edit_prompt,
    expected_budget,
    forms_of,
    labels_of,
)
from core.models import Member, Options, canonical_body
from core.records import Prompt, TandemError
from core.settings import get_default
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import (
    SettingsForm,
    choose_setting,
    list_labels,
    render_labels,
)

MORE = "More of how it is asked"
MEND = f"Mend what “{MORE}” says."


@dataclass(frozen=True)
class AskingContext:
    """Model, mode and prompt of the form; `noun` is the data set's word for a text."""

    member: Member
    prompt: Prompt
    mode: str
    noun: str


def ask_more(asked: AskingContext) -> dict[str, Any] | None:
    """Ask for further options; return them as `Options` takes them, None if a field is invalid."""
    takes = set(asked.member.options)
    drawn = [draw for names, draw in FIELDS if takes & set(names)]
    if not drawn:
        return {}
    form, is_refused = SettingsForm(Options(), "judge"), False
    with st.expander(MORE):
        for draw in drawn:
            try:
                draw(asked, form)
            except TandemError as error:
                notice(render_labels(error.sentence, LABELS), kind="problem")
                is_refused = True
    given = {name: value for name, value in form.values.items() if name in takes}
    return None if is_refused else {
        name: value for name, value in given.items() if value != get_default(Options, name)
    }  # fmt: skip


OptionsForm = SettingsForm[Options]
WARMTH = {"max_value": 2.0, "step": 0.1}
"""What a temperature may be."""


def _ask_budget(asked: AskingContext, form: OptionsForm) -> None:
    suits = expected_budget(asked.prompt, Options(mode=asked.mode), served=asked.member.is_served)
    tokens, temperature = st.columns(2)
    form.ask(tokens, "max_tokens", placeholder=f"{suits:,}")
    if "temperature" in asked.member.options and asked.mode != "sample":
        usual = "0" if asked.mode else "usual"
        form.ask(temperature, "temperature", placeholder=usual, **WARMTH)


def _ask_labels(asked: AskingContext, form: OptionsForm) -> None:
    noun = f"{asked.noun[:1].upper()}{asked.noun[1:]}"
    fields = zip(st.columns(2), ("first", "second"), labels_of(asked.prompt), strict=False)
    words = [
        column.text_input(
            f"Label of the {place} text",
            placeholder=label.replace("{Candidate_noun}", noun),
            key=f"judge-label-{place}",
        ).strip()
        for column, place, label in fields
    ]
    if any(words) and (not all(words) or len(set(words)) < 2):
        raise TandemError("give two different labels, or leave both empty")
    form.values["labels"] = tuple(filter(None, words))


def _ask_system_prompt(asked: AskingContext, form: OptionsForm) -> None:
    text = choose_setting(st.container(), Options, "system_prompt", height=80, key="judge-system")
    check_system_prompt(text, compares=asked.member.answers == "comparisons")
    form.values["system_prompt"] = text if text.strip() else ""


def _ask_extra_body(asked: AskingContext, form: OptionsForm) -> None:
    example = '{"reasoning_effort": "low"}'
    text = form.ask(st.container(), "extra_body", height=80, placeholder=example)
    form.values["extra_body"] = canonical_body(text)


def _ask_switches(asked: AskingContext, form: OptionsForm) -> None:
    for name in ("lenient", "stream"):
        if name in asked.member.options:
            form.ask(st.container(), name)


FIELDS: tuple[tuple[tuple[str, ...], Callable[[AskingContext, OptionsForm], object]], ...] = (
    (("max_tokens", "temperature"), _ask_budget),
    (("labels",), _ask_labels),
    (("system_prompt",), _ask_system_prompt),
    (
        ("stop",),
        lambda asked, form: form.ask(
            st.container(), "stop", (), accept_new_options=True, placeholder="None"
        ),
    ),
    (("extra_body",), _ask_extra_body),
    (("engine",), lambda asked, form: form.ask(st.container(), "engine")),
    (("lenient", "stream"), _ask_switches),
)
"""Which options each row of fields is about, and what draws it."""


def choose_prompt(study: Study, there: dict[str, Prompt], mode: str) -> tuple[Prompt, bool]:
    """Ask for the prompt and its form; return it, and whether the mode can read that form."""
    names = [name for name in there if "@" not in name]
    if (written := st.session_state.pop("steps-written", None)) in names:
        st.session_state["judge-prompt"] = written
    if not forms_of(mode):
        return there[st.selectbox("Prompt", names, key="judge-prompt")], True
    left, right = st.columns(2)
    prompt = there[left.selectbox("Prompt", names, key="judge-prompt")]
    wording = st.session_state.get(wording_key(prompt), prompt.template)
    current = Prompt(prompt.name, prompt.version, wording, prompt.form, prompt.labels)
    with right:
        name = _choose_form(current, mode)
    form = forms_of(mode)[name]
    show_caption(form.help)
    if not asks_in_any_form(current):
        free = [name for name in names if asks_in_any_form(there[name])]
        show_caption(
            f"This prompt asks so in its own words. These ask in any form: {', '.join(free)}."
        )
    if mode == "classifier" and not getattr(form, "has_token", True):
        notice(
            f"The form {name} has no label whose probability could be read: choose another form, "
            "or let it generate or sample.",
            kind="problem",
        )
        return prompt, False
    return _with_chosen_form(study, prompt, name, mode), True


def wording_key(prompt: Prompt) -> str:
    """Return the key of the field in which the prompt is edited, the same for each answer form."""
    digest = hashlib.blake2b(prompt.template.encode(), digest_size=6).hexdigest()
    return f"wording-{prompt.name}-{digest}"


def _choose_form(prompt: Prompt, mode: str) -> str:
    forms: dict[str, Any] = dict(forms_of(mode))
    own = declared_form(prompt, mode)
    usual = list(forms).index(own.name) if own else 0
    is_free = asks_in_any_form(prompt)
    name = st.selectbox(
        LABELS["form"], list(forms), index=usual, disabled=not is_free,
        key=f"form-{prompt.name}@{prompt.version}-{is_free}-{usual}-{len(forms)}",
        help="  \n".join(f"**{name}**: {form.help}" for name, form in forms.items()),
    )  # fmt: skip
    return str(name)


def _with_chosen_form(study: Study, prompt: Prompt, form: str, mode: str) -> Prompt:
    if (own := declared_form(prompt, mode)) and own.name == form:
        return prompt
    return edit_prompt(
        study.store, prompt.name, prompt.template, mode, form=form, labels=prompt.labels
    )


LABELS = {**list_labels(Options), "form": "Form of the verdict", "retry_failed": "Ask again"}
"""The label of each setting's field."""
