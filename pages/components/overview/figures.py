"""The parts of the overview page: what there is, what to do next, the latest runs."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from core.records import Kind
from core.runs import plans
from pages.components.shared.faults import fragment
from pages.components.shared.frame import Study, carried
from pages.components.shared.notice import lead, several, small
from pages.components.shared.runs_table import runs_table
from pages.components.shared.stores import reopen


def show_figures(study: Study) -> None:
    """What the chosen data set holds, a sentence and a few numbers."""
    about = study.store.datasets.summary().set_index("dataset").loc[study.dataset]
    answered = study.store.judgement_frames.answered(study.dataset)
    people = int(answered.loc[answered["kind"] == Kind.HUMAN, "asked"].sum())
    models = int(answered.loc[answered["kind"] != Kind.HUMAN, "asked"].sum())
    study_of = (
        f"{study.dataset} compares {several(about['systems'], 'system')} on "
        f"{several(about['items'], 'item')}"
    )
    if people and models:
        judgements = several(people, "judgement")
        lead(f"{study_of}. There are {judgements} by people and {models:,} by judges.")
    elif people:
        lead(f"{study_of}. There are {several(people, 'judgement')} by people, none by judges yet.")
    elif models:
        lead(f"{study_of}. There are {several(models, 'judgement')} by judges, none by people yet.")
    else:
        scored = f", only {several(about['scores'], 'score')}" if about["scores"] else ""
        lead(f"{study_of}. There are no judgements yet{scored}.")
    numbers = {
        "items": about["items"],
        "systems": about["systems"],
        "texts": about["generations"],
        "human judgements": people,
        "judge answers": models,
        "scores": about["scores"],
    }
    shown = "".join(f"<div><b>{value:,}</b>{escape(name)}</div>" for name, value in numbers.items())
    st.html(f'<div class="tandem-figures">{shown}</div>')
    if about["source"] or about["licence"]:
        small(" · ".join(filter(None, (about["source"], about["licence"]))))


def show_next_steps(study: Study) -> None:
    """The ways on, as links."""
    st.header("Next steps", anchor=False)
    steps = (
        ("pages/annotate.py", "Annotate", "Read two texts and press a key for the better one."),
        (
            "pages/judge.py",
            "Run a judge",
            "Let a language model or a baseline answer the same questions.",
        ),
        (
            "pages/leaderboard.py",
            "Leaderboard",
            "See which system is best and how certain it is.",
        ),
        (
            "pages/data.py",
            "Your own data",
            "Import texts, judgements or scores as CSV, JSON lines or Parquet.",
        ),
    )
    if study.owned:
        steps += (("pages/people.py", "Invite people", "Give each annotator a link of their own."),)
    for column, (page, label, why) in zip(st.columns(len(steps)), steps, strict=True):
        with column.container(border=True, height="stretch"):
            st.page_link(page, label=label, query_params=carried())
            small(why)


def show_recent_runs(study: Study) -> None:
    """The latest runs of all data sets, drawn anew while one is at work."""
    every = 2.0 if study.store.runs.unfinished() else None
    fragment(_runs, every=every)(study.store.path)


def _runs(path: Path) -> None:
    with reopen(path) as store:
        frame = plans(store)
    latest = frame[frame["kind"] == "run"].head(6)
    if len(latest):
        st.header("Recent runs", anchor=False)
        runs_table(latest)
