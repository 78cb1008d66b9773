"""What a data set holds, what to do next, and its runs at work."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.records import Kind, Status
from core.runs import plans
from core.store import Store
from pages.components.overview.steps import Holding, next_steps
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import small
from pages.components.shared.runs_table import draw_while_at_work, runs_table


def read_holding(study: Study) -> Holding:
    """What the sentences and the next steps depend on."""
    store = study.store
    about = store.datasets.summary().set_index("dataset").loc[study.dataset]
    answered = store.judgement_frames.answered(study.dataset)
    people, given = answered["kind"] == Kind.HUMAN, answered["asked"] - answered["failed"]
    campaigns = [one for one in store.campaigns.of(study.dataset) if one.open]
    sizes = [store.campaigns.size(campaign.id) for campaign in campaigns]
    return Holding(
        items=int(about["items"]),
        systems=int(about["systems"]),
        texts=int(about["generations"]),
        by_people=int(given[people].sum()),
        by_models=int(given[~people].sum()),
        people=int(people.sum()),
        judges=int((~people).sum()),
        scores=int(about["scores"]),
        campaigns=len(campaigns),
        wanted=sum(max(size["wanted"] - size["given"], 0) for size in sizes),
        sampled=store.similarities.sampled_systems(study.dataset) > 1,
        owned=study.owned,
        source=" · ".join(filter(None, (about["source"], about["licence"]))),
    )


def show_next_step(held: Holding) -> None:
    """What fits best and why, and the other ways on as quiet links."""
    first, *others = next_steps(held)
    small(first.why)
    link_to(first.page, first.label)
    with st.container(horizontal=True, key="tandem-others"):
        for step in others:
            link_to(step.page, step.label)


def show_runs_at_work(study: Study) -> None:
    """How far the runs on this data set are, for as long as one waits or works."""
    dataset = study.dataset

    def draw(store: Store) -> None:
        runs = plans(store, dataset=dataset, kind="run")
        at_work = runs[runs["status"].isin([Status.QUEUED, Status.RUNNING])]
        if len(at_work):
            st.header("At work", anchor=False)
            runs_table(pd.DataFrame(at_work))

    draw_while_at_work(study.store, draw)
