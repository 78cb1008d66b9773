"""How a prompt has its verdict stated: the form, beside the prompt."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from core.judging import asks_in_any_form, declared_form, edited, forms_of
from core.records import Prompt
from pages.components.judge.field_labels import LABELS
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small


def choose_prompt(study: Study, there: dict[str, Prompt], mode: str) -> tuple[Prompt, bool]:
    """The prompt, in the form that was chosen for it, and whether its mode can read that form."""
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
    small(form.help)
    if not asks_in_any_form(current):
        free = [name for name in names if asks_in_any_form(there[name])]
        small(f"This prompt asks so in its own words. These ask in any form: {', '.join(free)}.")
    if mode == "classifier" and not getattr(form, "has_token", True):
        notice(
            f"The form {name} has no label whose probability could be read: choose another form, "
            "or let it generate or sample.",
            kind="problem",
        )
        return prompt, False
    return with_chosen_form(study, prompt, name, mode), True


def wording_key(prompt: Prompt) -> str:
    """The key of the field in which a prompt is edited, whatever form was chosen for it."""
    return f"wording-{prompt.name}-{_hash(prompt.template)}"


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _choose_form(prompt: Prompt, mode: str) -> str:
    """The name of the form; of a prompt that asks in its own words it is shown alone."""
    forms: dict[str, Any] = dict(forms_of(mode))
    own = declared_form(prompt, mode)
    usual = list(forms).index(own.name) if own else 0
    is_free = asks_in_any_form(prompt)
    name = st.selectbox(
        LABELS["form"],
        list(forms),
        index=usual,
        disabled=not is_free,
        key=f"form-{prompt.name}@{prompt.version}-{is_free}-{usual}-{len(forms)}",
        help="  \n".join(f"**{name}**: {form.help}" for name, form in forms.items()),
    )
    return str(name)


def with_chosen_form(study: Study, prompt: Prompt, form: str, mode: str) -> Prompt:
    """The version of a prompt that has its verdict stated in a form."""
    if (own := declared_form(prompt, mode)) and own.name == form:
        return prompt
    return edited(study.store, prompt.name, prompt.template, mode, form=form, labels=prompt.labels)
