"""Figures of the overview: counts of a data set, its leader, next steps, and active runs."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.access import Right
from core.campaigns import open_campaigns
from core.contents import Holding, read_holding
from core.findings.items import ItemSearch
from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, choose_first_board, headline
from core.labels import capitalise, pluralize
from core.records import Status
from core.runs import load_overview
from core.store import Store
from pages.components.judge.active_runs import show_run
from pages.components.leaderboard.boards import compute, draw_ratings, show_verdict
from pages.components.overview.summary import next_steps
from pages.components.shared.faults import show_faults
from pages.components.shared.finding import compute as compute_finding
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.runs_table import draw_while_at_work
from pages.components.shared.texts import show_stored_pair


def read_contents(study: Study) -> Holding:
    """Read the counts that the sentences and next steps depend on."""
    campaigns = open_campaigns(study.store, study.dataset)
    sizes = [study.store.campaigns.size(campaign.id) for campaign in campaigns]
    return replace(
        read_holding(study.store, study.dataset),
        campaigns=len(campaigns),
        wanted=sum(max(size["wanted"] - size["given"], 0) for size in sizes),
        owned=study.may(Right.PEOPLE),
    )


def show_next_step(held: Holding) -> None:
    """Show the best next step with its reason, and the others as quiet links."""
    first, *others = next_steps(held)
    show_caption(first.why)
    link_to(first.page, first.label)
    with st.container(horizontal=True, key="tandem-others"):
        for step in others:
            link_to(step.page, step.label)


def show_runs_at_work(study: Study) -> None:
    """Show the progress of active runs on this data set, redrawn while there are any."""
    dataset = study.dataset

    def draw(store: Store) -> None:
        runs = load_overview(store, dataset=dataset, kind="run")
        at_work = runs[runs["status"].isin([Status.QUEUED, Status.RUNNING])]
        if len(at_work):
            st.header("At work", anchor=False)
        for _, run in at_work.iterrows():
            show_run(store, run, changing=False)

    draw_while_at_work(study.store, draw)


MOST = 8  # systems in the picture


def rate_systems(study: Study) -> Finding | None:
    """Return the leaderboard that a reader sees first; None without comparers, or until counted."""
    first = choose_first_board(study.store, Selection(study.dataset))
    if not first.judges:
        return None
    with show_faults():
        return compute(study, first, RankSettings(), otherwise="") or None
    return None


def show_result(result: Finding | None, otherwise: str) -> None:
    """Show who leads, or the sentence `otherwise` if nobody has compared yet."""
    if result:
        show_verdict([result])
    show_headline(headline.headline(result) if result else otherwise)


def draw_result(result: Finding) -> None:
    """Draw the first systems as a chart, and link to the rest."""
    rows = result.rows.dropna(subset="rating").head(MOST)
    draw_ratings("overview", result, rows)
    more = len(result.rows) - len(rows)
    if more > 0:
        show_caption(f"The first {MOST} of {len(result.rows)} systems.")
    link_to("leaderboard", "See the leaderboard")


SPLIT = "The pairs on which people are most evenly split, one of each item."
WORTH = 3  # pairs


def show_splits(study: Study) -> None:
    """Show pairs worth reading with their texts, if the store has these."""
    if study.store.texts.lacks_texts(study.dataset):
        return
    with show_faults():
        search = ItemSearch(split=True)
        found = compute_finding(study, "find_items", Selection(study.dataset), search)
        if found is None or found.rows.empty:
            return
        st.header("Worth reading", anchor=False, help=SPLIT)
        for row in found.rows.drop_duplicates("item").head(WORTH).to_dict("records"):
            sides = [(row[f"system_{n}"], pluralize(int(row[f"for_{n}"]), "vote")) for n in (1, 2)]
            titles = tuple(f"{system}: {votes}" for system, votes in sides)
            with st.container(gap="xsmall"):
                show_caption(f"{row['item']}: {' or '.join(system for system, _ in sides)}?")
                with st.expander(f"{capitalise(str(row['why']))}."):  # no name: it is Markdown here
                    show_stored_pair(study, (row["candidate_1"], row["candidate_2"]), titles)
