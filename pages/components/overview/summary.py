"""What was collected, whether judges agree, whom to be wary of: a sentence each."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.findings.agreement import AgreementSettings, describe_agreement
from core.findings.bias import describe_position
from core.findings.judgements import Selection, describe_families
from core.labels import isolated, join_names
from core.records import Kind
from pages.components.agreement import figures as agreement
from pages.components.bias import figures as bias
from pages.components.overview.steps import Holding
from pages.components.shared.faults import told
from pages.components.shared.filters import first_measured
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import several


def show_summary(study: Study, held: Holding) -> None:
    """What was collected, whether judges agree, and the judge to be wary of, side by side."""
    said = {
        "Collected so far": (describe_data(study, held), ("data", "Browse the texts")),
        "Agreement": (_read_agreement(study), ("agreement", "See who agrees")),
        "Position bias": (_read_bias(study), ("bias", "See all biases")),
    }
    there = {title: fact for title, fact in said.items() if fact[0]}
    for column, (title, (sentence, way)) in zip(
        st.columns(len(there), gap="large"), there.items(), strict=True
    ):
        with column:
            st.html(_lay_out(title, sentence))
            link_to(*way)


def _lay_out(title: str, sentence: str) -> str:
    return f'<p class="tandem-fact"><b>{escape(title)}</b><br>{escape(isolated(sentence))}</p>'


def describe_data(study: Study, held: Holding) -> str:
    """What a data set holds, and which of its items repeat something."""
    families = describe_families(study.store, study.dataset, "found")
    return " ".join([describe_holding(held), *families])


def describe_holding(held: Holding) -> str:
    """What a data set holds: 24 items, 4 systems, 96 texts. 240 votes by 4 people."""
    there = [several(held.items, "item"), several(held.systems, "system")]
    there += [several(held.texts, "text")] * bool(held.texts)
    given = [
        f"{several(held.by_people, 'vote')} by {_people(held.people)}" * bool(held.by_people),
        f"{several(held.by_models, 'answer')} by {several(held.judges, 'judge')}"
        * bool(held.by_models),
        several(held.scores, "score") * bool(held.scores),
    ]
    answers = list(filter(None, given)) or ["No judgement yet"]
    said = f"{join_names(there)}. {join_names(answers)}."
    if held.answers and not held.texts:
        said += " The texts they are about are not here."
    return f"{said} {several(held.wanted, 'vote')} still wanted." if held.wanted else said


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def _read_agreement(study: Study) -> str:
    """How far judges agree; '' where no two have answered, or it is still being counted."""
    request = Selection(study.dataset), AgreementSettings(first_measured(study))
    with told():
        result = agreement.compute(study, *request, otherwise="")
        return describe_agreement(result) if result and len(result.rows) else ""
    return ""


def _read_bias(study: Study) -> str:
    """The judge whose answers depend most on position; '' where people alone have judged."""
    with told():
        result = bias.compute(study, Selection(study.dataset), otherwise="")
        if result and result.rows["kind"].ne(Kind.HUMAN.value).any():
            return describe_position(result)
    return ""
