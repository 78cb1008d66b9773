"""Wording of a data set and its questions, now and before, for annotators and models alike."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.access import Right
from core.labels import TEXT_FORMATS, pluralize
from core.pairing import open_default
from core.records import Attribute
from core.store import dataset_decisions
from pages.components.shared.address import rename_dataset
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption, show_done, show_faults
from pages.components.shared.settings import choose_one
from pages.components.shared.stores import reopen

SAID = "reworded"  # the message after a change, shown when the page is redrawn


def show_wording(study: Study) -> None:
    """Show the questions and guidelines to edit, and a form for one more question."""
    with st.expander("Name, guidelines and questions"):  # no name in it: a label is markdown
        show_done(SAID)
        attributes = study.store.datasets.attributes(study.dataset)
        _show_description_form(study)
        if attributes:
            _edit_question(study, attributes)
        _add_question(study, attributes)


def _show_description_form(study: Study) -> None:
    about, dataset = study.store.datasets.load_description(study.dataset), study.dataset
    with st.form(f"about-{dataset}", border=False):
        may_rename = study.may(Right.DATASETS)
        name = st.text_input("Name of this data set", dataset).strip() if may_rename else dataset
        instructions = st.text_area("Guidelines for annotators", about.instructions)
        row = st.columns(4)
        words = {
            "instructions": instructions,
            "context_noun": row[0].text_input("A context is called", about.context_noun),
            "candidate_noun": row[1].text_input("A text is called", about.candidate_noun),
            "source": row[2].text_input("Source", about.source),
            "licence": row[3].text_input("Licence", about.licence),
        }
        if not st.form_submit_button("Save"):
            return
        with show_faults():
            changed = dataset_decisions.reword(study.store, study.visit.audit_name, dataset, words)
            if name != dataset:
                with reopen(Right.DATASETS) as store:
                    dataset_decisions.rename(store, study.visit.audit_name, dataset, name)
                rename_dataset(name)
                changed.append(f"the name, which is {name} now")
            _report_saved(changed)


def _edit_question(study: Study, attributes: list[Attribute]) -> None:
    st.subheader("A question", anchor=False)
    by_name = {attribute.name: attribute for attribute in attributes}
    attribute = by_name[st.selectbox("Attribute", list(by_name), key="worded attribute")]
    answers = study.store.dataset_changes.answers(study.dataset, attribute.name)
    with st.form(f"question-{study.dataset}-{attribute.name}", border=False):
        words = {
            "adjective": st.text_input("Adjective", attribute.adjective),
            "question": st.text_input("Question", attribute.question),
            "guideline": st.text_area("Guideline", attribute.guideline),
        }
        text_format = choose_one(
            st.radio, "People see the texts as", TEXT_FORMATS, attribute.text_format,
            horizontal=True,
            help="Models always read them to the character. Each vote records how its texts were "
            "shown.",
        )  # fmt: skip
        about = "" if st.checkbox("so for every question", value=True) else attribute.name
        if answers:
            show_caption(
                f"{pluralize(answers, 'answer')} had this wording. They stay, and count together "
                "with those to a new one. For another question, add an attribute instead."
            )
        if st.form_submit_button("Save the question"):
            which = study.store, study.visit.audit_name, study.dataset
            with show_faults():
                changed = dataset_decisions.reword_attribute(*which, attribute.name, words)
                if text_format is not attribute.text_format:
                    changed += dataset_decisions.set_text_format(*which, text_format, about)
                _report_saved(changed)
    old = dataset_decisions.list_wordings(study.store, study.dataset, attribute)
    if len(old):
        show_caption("How it was worded before, and how many answers there were by then:")
        until = old["until"].str[:16].str.replace("T", " ")
        st.dataframe(old.assign(until=until), hide_index=True)


def _report_saved(changed: list[str]) -> None:
    if changed:
        words = ", ".join(name.replace("_", " ") for name in changed)
        st.session_state[SAID] = f"Saved: {words}. The log of this store has the wording before."
        st.rerun()
    show_caption("It was worded so already.")


def _add_question(study: Study, attributes: list[Attribute]) -> None:
    st.subheader("One more question about the same pairs", anchor=False)
    with st.form("attribute", border=False, clear_on_submit=True):
        name, adjective = st.columns(2)
        attribute = Attribute(
            name.text_input("New attribute", placeholder="brevity").strip(),
            adjective.text_input("Its adjective", placeholder="brief").strip(),
            st.text_input(
                "Its question", placeholder="Which summary is briefer without losing anything?"
            ).strip(),
            st.text_area("Its guideline").strip(),
        )
        if not st.form_submit_button("Add"):
            return
        if not attribute.name or attribute.name in [known.name for known in attributes]:
            notice("Give the attribute a name that is not taken yet.", kind="problem")
            return
        store, dataset = study.store, study.dataset
        attribute = replace(attribute, text_format=store.datasets.text_format(dataset))
        store.datasets.add_attributes(dataset, [attribute])
        open_default(store, dataset)
        st.rerun()
