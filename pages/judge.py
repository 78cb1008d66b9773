"""Judge: let a baseline or a language model answer the same questions."""

import streamlit as st

from core import planning
from pages.components.answering import answering, worded
from pages.components.asking import ask
from pages.components.frame import frame
from pages.components.opened import opened_run
from pages.components.running import runs_at_work
from pages.components.trying import start

with frame("Judge", title="Judge") as study:
    form, reading = st.columns([5, 7], gap="large")
    with form:
        request = ask(study)
        chosen = answering(study)
    if chosen:
        with reading:
            question = next(iter(planning.first(study.store, request, 1)), None)
            chosen = worded(study, chosen, question)
            start(study, request, chosen)
    runs_at_work(study)
    opened_run(study)
