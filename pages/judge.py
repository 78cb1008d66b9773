"""Judge: let a baseline or a language model answer the same questions."""

import streamlit as st

from pages.components.answering import answering, worded
from pages.components.asking import ask, first_of
from pages.components.frame import frame
from pages.components.opened import opened_run
from pages.components.running import runs_at_work
from pages.components.trying import start

with frame("Judge", title="Judge") as study:
    form, reading = st.columns([5, 7], gap="large")
    what, who = form.container(), form.container()
    with who:
        chosen = answering(study)
    with what:
        request = ask(study, marks=bool(chosen and chosen.marks))
    if chosen:
        with reading:
            chosen = worded(study, chosen, first_of(study, request))
            start(study, request, chosen)
    runs_at_work(study, tasks=("compare", "score"))
    opened_run(study)
