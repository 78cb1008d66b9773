"""What to ask: attribute, pairs and budget of a run."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from core.judging import asks_in_any_form, declared_form, edited, forms_of
from core.labels import glossary
from core.pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, Strategy, TextRequest, planning
from core.records import Candidate, Prompt, Question
from core.runs import score
from pages.components.judge.field_labels import LABELS
from pages.components.shared.filters import choose_number, choose_setting, describe_setting
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small

ALL = "all attributes"


def ask(study: Study, *, marks: bool) -> planning.Request | score.ScoringRequest:
    """The form of what to ask: pairs or, for a judge that `marks` texts one by one, texts.

    Raises TandemError when the data set has nothing of the kind.
    """
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    st.header("What to ask", anchor=False)
    attribute = st.selectbox("Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes)
    about = () if attribute in (ALL, None) else (attribute,)
    if marks:
        small(
            "This judge marks each text once. Comparisons are derived from the marks wherever "
            "they are needed."
        )
        request = score.ScoringRequest(study.dataset, attributes=about, **_more(study))
        return request.fill_attributes(study.store)
    name = choose_setting(
        st.container(), planning.Request, "strategy", more=glossary(STRATEGIES.values())
    )
    strategy = STRATEGIES[name]
    settings: dict[str, Any] = {"attributes": about}
    if "budget" in strategy.takes and not strategy.sorts:
        step = 2 if strategy.even else 1
        settings["budget"] = choose_number(
            st.container(), planning.Request, "budget", 6, min_value=step, step=step
        )
    if strategy.sorts:
        settings |= _sort(strategy)
    settings |= _more(study)
    return planning.checked(study.store, planning.Request(study.dataset, name, **settings))


def _sort(strategy: Strategy) -> dict[str, Any]:
    """What PairS (Liu et al. 2024) may be told."""
    found: dict[str, Any] = {
        "calibrate": st.checkbox(**describe_setting(planning.Request, "calibrate"))
    }
    if "beam_size" in strategy.takes:
        size, gap = st.columns(2)
        found["beam_size"] = choose_number(size, planning.Request, "beam_size", BEAM_SIZE)
        found["prob_gap"] = choose_number(gap, planning.Request, "prob_gap", PROB_GAP, step=0.05)
    return found


def _more(study: Study) -> dict[str, Any]:
    """What most people leave alone."""
    with st.expander("More"):
        subsets = study.store.datasets.subsets(study.dataset)
        subset = st.selectbox("Items", ["all", *subsets]) if subsets else "all"
        systems = st.multiselect(
            "Systems", study.store.datasets.systems(study.dataset), placeholder="all of them"
        )
        numbers = zip(st.columns(3), ("samples", "seed", "trial"), strict=True)
        return {
            "subset": "" if subset == "all" else subset,
            "systems": tuple(systems),
            **{name: choose_number(column, TextRequest, name) for column, name in numbers},
        }


def first_of(
    study: Study, request: planning.Request | score.ScoringRequest, n: int
) -> list[Question] | list[Candidate]:
    """The first questions of a request, for a look at them."""
    if isinstance(request, score.ScoringRequest):
        return list(score.first(study.store, request, n))
    return list(planning.first(study.store, request, n))


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
