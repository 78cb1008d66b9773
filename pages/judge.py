"""Judge: let a baseline or a language model answer the same questions."""

import streamlit as st

from pages.components.judge.active_runs import asked_so_far, runs_at_work
from pages.components.judge.judge_form import answering, worded
from pages.components.judge.request_form import ask, first_of
from pages.components.judge.run_answers import opened_run
from pages.components.judge.start import start
from pages.components.shared.faults import told
from pages.components.shared.frame import frame

with frame("Judge", title="Judge") as study:
    asked_so_far(study)
    form, reading = st.columns([6, 7], gap="large")
    what, who = form.container(), form.container()
    with who:
        chosen = answering(study)
    request = None
    with what, told():
        request = ask(study, marks=bool(chosen and chosen.marks))
    if chosen and request:
        with reading, told():
            chosen = worded(study, chosen, first_of(study, request))
            start(study, request, chosen)
    runs_at_work(study, tasks=("compare", "score"))
    opened_run(study)
