"""More texts of a data set, which a model writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.judging import ServerList, make_writer, registry
from core.models import Decoding
from core.runs import GenerationRequest, generate, worker
from pages.components.judge.active_runs import runs_before, runs_now
from pages.components.judge.judge_form import NO_SERVER, choose_endpoint, limits
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption, show_faults
from pages.components.shared.settings import choose_setting

TASKS = ("generate",)


def sample_texts(study: Study) -> None:
    """Show the form, what the model will read, and the runs that write texts."""
    with st.expander("Let a model write texts"):
        show_caption(
            "Several texts of one model for each item are what separability is measured on: "
            "five, as a rule."
        )
        left, right = st.columns(2, gap="large")
        with left:
            writers = {member.family.name: member for member in registry.members(["texts"])}
            who = st.selectbox(
                "Model from", list(writers), format_func=lambda who: writers[who].label
            )
            chosen, family = writers[who], writers[who].family
            name = st.text_input("Model", placeholder=family.example, key="writer").strip()
            served = chosen.is_served
            given = choose_endpoint(study, "writer") | limits("writer") if served else {}
            row = st.container(horizontal=True)
            wanted = choose_setting(row, GenerationRequest, "samples", width=120)
            warmth = choose_setting(row, Decoding, "temperature", step=0.1, width=120)
            tokens = choose_setting(row, Decoding, "max_tokens", width=120)
            system = st.text_input(
                "System",
                value=f"{name.rpartition('/')[2]}-t{warmth:g}" if name else "",
                help="What the texts are called.",
            ).strip()
        with right:
            noun, written = study.store.datasets.nouns(study.dataset)
            usual = f"Write a {written} for this {noun}."
            instruction = st.text_area("Instruction", usual, height=120)
            spec, url = f"{family.name}:{name}", str(given.get("base_url", ""))
            decoding = Decoding(spec, instruction, warmth, tokens, base_url=url)
            context = study.store.datasets.first_context(study.dataset)
            if context is not None:
                with st.container(height=220, border=False):
                    st.text(decoding.prompt(context))
        if not name:
            notice(family.choose)
        elif served and not url:
            notice(NO_SERVER)
        elif st.button("Write", type="primary"):
            _start(study, GenerationRequest(study.dataset, system, decoding, wanted), given)
        runs_now(study, tasks=TASKS)
        runs_before(study, tasks=TASKS)


def _start(study: Study, wanted: GenerationRequest, given: dict[str, Any]) -> None:
    with show_faults():
        permit = ServerList(study.store.path).permit
        options = replace(wanted.decoding.options(given), permit=permit)
        make_writer(wanted.decoding.model, options)
        generate.enqueue(study.store, wanted, options.execution)
        worker.ensure(study.store.path)
