"""Judge: let a baseline or a language model answer the same questions."""

import streamlit as st

from pages.components.judge.active_runs import asked_so_far, runs_before, runs_now
from pages.components.judge.judge_form import choose_judge, show_prompt
from pages.components.judge.lab import LAB
from pages.components.judge.request_form import ask, probe_a_judge
from pages.components.judge.run_answers import opened_run
from pages.components.judge.servers import manage_servers
from pages.components.judge.start import start
from pages.components.judge.versions import show_versions
from pages.components.shared.address import choose_section
from pages.components.shared.filters import lacks_texts
from pages.components.shared.finding import show_finding
from pages.components.shared.frame import Study, frame
from pages.components.shared.notice import show_faults

SECTIONS = {"ask": "Ask", "compare": "Old and new", LAB.name: "Lab"}
TASKS = ("compare", "score", "attack")


def ask_a_judge(study: Study) -> None:
    """Show the form, the button that starts it with its progress, and what the judge will read."""
    form, beside = st.columns([6, 7], gap="large")
    what, who = form.container(), form.container()
    starting, at_work, prompt = (beside.container() for _ in range(3))
    request = None
    with who:
        chosen = choose_judge(study)
    with what, show_faults():
        request = ask(study, marks=chosen.marks)
    if request:
        with prompt, show_faults():
            chosen = show_prompt(study, chosen, request)
        with starting, show_faults():
            start(study, request, chosen)
    with at_work:
        runs_now(study, tasks=TASKS)


with frame("Judge", title="Judge") as study:
    section = choose_section(SECTIONS)
    if section == "compare":
        show_versions(study)
    elif section == LAB.name:
        show_finding(study, LAB)
    elif not lacks_texts(study, "A judge reads texts"):
        asked_so_far(study)
        ask_a_judge(study)
        probe_a_judge(study)
        manage_servers(study)
        runs_before(study, tasks=TASKS)
        opened_run(study)
