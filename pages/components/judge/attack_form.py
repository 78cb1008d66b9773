"""Attacking a judge: whom, with what, on how many comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.judging import ATTACKS, Attack, Judge, ServerList, attacks, registry, remake
from core.labels import glossary
from core.records import Kind, TandemError
from core.runs import attack, worker
from core.store import Store
from pages.components.judge.active_runs import STARTED
from pages.components.judge.request_form import ALL
from pages.components.shared.faults import told
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small

ABOUT = (
    "A sentence is added to one of the two texts, and to the other. How many verdicts turn is on "
    "the page Bias, beside a harmless sentence. The texts stay as they are."
)


@dataclass(frozen=True)
class Attackable:
    """A judge that has compared texts here, and how its latest run was done."""

    judge: Judge
    execution: dict[str, Any]


def attack_a_judge(study: Study) -> None:
    """The form, once a rule or model has compared texts here."""
    names = _comparing(study.store, study.dataset)
    if not names:
        return
    with st.expander("Attack a judge"):
        small(ABOUT)
        with told():
            _form(study, names)


def _form(study: Study, names: list[str]) -> None:
    who, what = st.columns([6, 7], gap="large")
    name = who.selectbox("Judge that is attacked", names)
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    attribute = who.selectbox(
        "Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes, key="attack-about"
    )
    number = who.number_input("Comparisons of each attribute", 1, value=attack.NUMBER)
    chosen = what.multiselect(
        "Attacks", list(ATTACKS), default=list(ATTACKS)[:1], help=glossary(ATTACKS.values()),
        format_func=lambda one: f"{one}: {ATTACKS[one].sentence}",
    )  # fmt: skip
    written = what.text_input(
        "Or a sentence of your own", help="{label} stands for what the attacked text is called."
    )
    request = attack.Request(
        study.dataset,
        (*(ATTACKS[one] for one in chosen), *_own(written)),
        number=int(number),
        attributes=() if attribute == ALL else (attribute,),
    )
    known = _attackable(study.store, study.dataset, name)
    small(_expected(study.store, request, known))
    if st.button("Start the attack", disabled=not request.attacks):
        _start(study, request, known)


def _own(written: str) -> list[Attack]:
    return [attacks.own(written)] if written.strip() else []


def _start(study: Study, request: attack.Request, known: Attackable) -> None:
    run = attack.enqueue(study.store, known.judge, request, known.execution)
    row = study.store.runs.get(run)
    planned, done = attack.Attacking.counts(study.store, row)
    if done == planned:
        notice("This judge has answered all of these already: see the page Bias.", kind="good")
        return
    st.session_state[STARTED] = run
    worker.ensure(study.store.path)
    st.rerun()


def _expected(store: Store, request: attack.Request, known: Attackable) -> str:
    """The most that is asked, in a sentence."""
    if not request.attacks:
        return "Choose an attack, or write a sentence."
    said = attack.said_by(store, request, known.judge.spec)
    sentences = {sentence for _, *pair in said for sentence in pair}
    attributes = len(request.attributes or store.datasets.attributes(request.dataset))
    most = request.number * attributes * (1 + len(attack.SIDES) * len(sentences))
    return (
        f"At most {most:,} comparisons. What this judge has not compared yet is asked as it is "
        "first, and counts as any answer."
    )


def _comparing(store: Store, dataset: str) -> list[str]:
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


def _attackable(store: Store, dataset: str, name: str) -> Attackable:
    runs = store.runs.asking(dataset)
    latest = runs.loc[runs["judge"] == name, "run"]
    execution = store.runs.get(int(latest.iloc[-1])).execution if len(latest) else {}
    judge = remake(store.judges.spec(name), execution, ServerList(store.path).permit)
    assert isinstance(judge, Judge)
    return Attackable(judge, execution)
