"""Attacking a judge: whom, with what, on how many comparisons."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.judging import ATTACKS, Judge, ServerList, attacks, registry, remake
from core.labels import glossary
from core.records import Kind, TandemError
from core.runs import attack, execution, worker
from core.store import Store
from pages.components.judge.active_runs import STARTED
from pages.components.judge.request_form import ALL
from pages.components.shared.faults import told
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small
from pages.components.shared.settings import choose_number

ABOUT = (
    "A sentence is added to one of the two texts, and to the other. How many verdicts turn is on "
    "the page Bias, beside a harmless sentence. The texts stay as they are."
)


def attack_a_judge(study: Study) -> None:
    """The form, once a rule or model has compared texts here."""
    names = _list_comparing(study.store, study.dataset)
    if not names:
        return
    with st.expander("Attack a judge"):
        small(ABOUT)
        with told():
            _show_form(study, names)


def _show_form(study: Study, names: list[str]) -> None:
    who, what = st.columns([6, 7], gap="large")
    name = who.selectbox("Judge that is attacked", names)
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    attribute = who.selectbox(
        "Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes, key="attack-about"
    )
    number = choose_number(who, attack.AttackRequest, "number")
    chosen = what.multiselect(
        "Attacks", list(ATTACKS), default=list(ATTACKS)[:1], help=glossary(ATTACKS.values()),
        format_func=lambda one: f"{one}: {ATTACKS[one].sentence}",
    )  # fmt: skip
    written = what.text_input(
        "Or a sentence of your own", help="{label} stands for what the attacked text is called."
    )
    own = [attacks.own(written)] if written.strip() else []
    request = attack.AttackRequest(
        study.dataset,
        (*(ATTACKS[one] for one in chosen), *own),
        number=number,
        attributes=() if attribute == ALL else (attribute,),
    )
    judge, how = _make_again(study, name)
    if request.attacks:
        small(
            f"At most {request.expect(study.store, judge.spec):,} comparisons. What this judge has "
            "not compared yet is asked as it is first, and counts as any answer."
        )
    else:
        small("Choose an attack, or write a sentence.")
    if st.button("Start the attack", disabled=not request.attacks):
        _start(study, attack.enqueue(study.store, judge, request, how))


def _start(study: Study, run: int) -> None:
    standing = execution.standing(study.store, run)
    if standing.done == standing.planned:
        notice("This judge has answered all of these already: see the page Bias.", kind="good")
        return
    st.session_state[STARTED] = run
    worker.ensure(study.store.path)
    st.rerun()


def _list_comparing(store: Store, dataset: str) -> list[str]:
    """The rules and models that have compared texts here and can be asked again."""
    answered = store.judgement_frames.answered(dataset)
    names = answered.loc[answered["kind"].isin((Kind.LLM, Kind.BASELINE)), "judge"].tolist()
    return [name for name in names if _compares(store, name)]


def _compares(store: Store, name: str) -> bool:
    spec = store.judges.spec(name)
    try:
        return registry.find(spec.spec, spec.mode).answers == "comparisons"
    except TandemError:  # imported, or of a family that is no more
        return False


def _make_again(study: Study, name: str) -> tuple[Judge, dict[str, Any]]:
    """A judge that has compared texts here, and how its latest run was done."""
    store = study.store
    runs = store.runs.asking(study.dataset)
    latest = runs.loc[runs["judge"] == name, "run"]
    how = store.runs.get(int(latest.iloc[-1])).execution if len(latest) else {}
    judge = remake(store.judges.spec(name), how, ServerList(store.path).permit)
    assert isinstance(judge, Judge)
    return judge, how
