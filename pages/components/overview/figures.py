"""The parts of the overview page: what there is, what to do next, the latest runs."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core.findings.judgements import describe_families, minimum
from core.records import Kind
from core.runs import plans
from core.store import Store
from pages.components.overview.steps import Holding, next_steps
from pages.components.shared.at_work import draw_while_at_work
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import lead, several, small
from pages.components.shared.runs_table import runs_table

RECENT = 6


def show_figures(study: Study, about: pd.Series, held: Holding) -> None:
    """What the chosen data set holds, a sentence and a few numbers."""
    lead(f"{_study_of(study, about)}. {_answered(held)}")
    numbers = {
        "item": int(about["items"]),
        "system": held.systems,
        "text": held.texts,
        "vote of people": held.by_people,
        "answer of judges": held.by_models,
        "score": held.scores,
    }
    shown = "".join(
        f"<div><b>{value:,}</b>{escape(_several(noun, value))}</div>"
        for noun, value in numbers.items()
        if value or noun in ("item", "system", "text")
    )
    st.html(f'<div class="tandem-figures">{shown}</div>')
    for note in describe_families(study.store, study.dataset, "found"):
        small(note)
    if about["source"] or about["licence"]:
        small(" · ".join(filter(None, (about["source"], about["licence"]))))


def summary(study: Study) -> pd.Series:
    """The row of the chosen data set among all."""
    return study.store.datasets.summary().set_index("dataset").loc[study.dataset]


def holding(study: Study, about: pd.Series) -> Holding:
    """What the next steps depend on."""
    store = study.store
    answered = store.judgement_frames.answered(study.dataset)
    people, given = answered["kind"] == Kind.HUMAN, answered["asked"] - answered["failed"]
    campaigns = [one for one in store.campaigns.of(study.dataset) if one.open]
    sizes = [store.campaigns.size(campaign.id) for campaign in campaigns]
    return Holding(
        systems=int(about["systems"]),
        texts=int(about["generations"]),
        by_people=int(given[people].sum()),
        by_models=int(given[~people].sum()),
        people=int(people.sum()),
        scores=int(about["scores"]),
        campaigns=len(campaigns),
        wanted=sum(max(size["wanted"] - size["given"], 0) for size in sizes),
        sampled=store.similarities.sampled_systems(study.dataset) > 1,
        owned=study.owned,
    )


def _study_of(study: Study, about: pd.Series) -> str:
    items, systems = several(about["items"], "item"), several(about["systems"], "system")
    if about["systems"] > 1:
        return f"{study.dataset} compares {systems} on {items}"
    return f"{study.dataset} holds {items} and {systems}"


def _answered(held: Holding) -> str:
    judgements = several(held.by_people or held.by_models, "judgement")
    be = "is" if held.by_people == 1 or (not held.by_people and held.by_models == 1) else "are"
    if held.by_people and held.by_models:
        said = f"There {be} {judgements} by people and {held.by_models:,} by judges."
    elif held.by_people:
        said = f"There {be} {judgements} by people, none by judges yet."
    elif held.by_models:
        said = f"There {be} {judgements} by judges, none by people yet."
    else:
        scored = f", only {several(held.scores, 'score')}" if held.scores else ""
        said = f"There are no judgements yet{scored}."
    lacking = " The texts they are about are not here." if held.answers and not held.texts else ""
    return said + lacking + _until_a_leader(held)


def _until_a_leader(held: Holding) -> str:
    """How many votes of people it takes to name a leader, where they are too few."""
    votes = minimum.answers_about(held.systems, held.by_people)
    if not held.by_people or votes.enough:
        return ""
    return f" A leader by people's votes is named from {votes.needed:,} on."


def _several(noun: str, number: int) -> str:
    """A noun of one or two words as it stands under a number."""
    first, _, rest = noun.partition(" ")
    return " ".join(filter(None, (first if number == 1 else f"{first}s", rest)))


def show_next_steps(held: Holding) -> None:
    """The ways on, as links: those that fit the data."""
    st.header("Next steps", anchor=False)
    steps = next_steps(held)
    for column, step in zip(st.columns(len(steps)), steps, strict=True):
        with column.container(border=True, height="stretch"):
            link_to(step.page, step.label)
            small(step.why)


def show_recent_runs(study: Study) -> None:
    """The latest runs of all data sets, drawn anew while one is at work."""
    draw_while_at_work(study.store, _runs)


def _runs(store: Store) -> None:
    latest = plans(store, kind="run").head(RECENT)
    if len(latest):
        st.header("Recent runs", anchor=False)
        runs_table(latest)
