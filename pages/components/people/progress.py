"""Progress of people on the chosen votes, and whether the order of the systems is settled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import state_verdict
from core.findings.people import Scope
from core.labels import pluralize
from core.records import choose_voting_kind
from core.store import Campaign, Store
from pages.components.shared.address import CAMPAIGN, bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import WIDE, Choices, choose_attribute
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import (
    fragment,
    notice,
    show_caption,
    show_faults,
    show_headline,
)
from pages.components.shared.report import AT_ONCE, foot
from pages.components.shared.stores import reopen
from pages.components.shared.tables import show_rows

ALL = "all votes"


def choose_scope(study: Study) -> Scope | None:
    """Ask for the campaign and attribute to look at; None, with a notice, if nobody has judged."""
    judges = study.store.judgement_frames.judges(study.dataset, excluded=True)
    voting = choose_voting_kind(judges["kind"])
    people = judges[judges["kind"] == voting]
    if people.empty:
        notice("Nobody has judged here yet. Annotate some pairs, or invite people who do.")
        next_step_links(annotate="Annotate")
        return None
    row = Choices()
    names = {one.name: one.id for one in study.store.campaigns.list_all(study.dataset)}
    campaign = ""
    if names:
        campaign = row.place().selectbox(
            "Campaign", ["", *names], format_func=lambda name: name or ALL, width=WIDE,
            help="“All votes” has imported ones, too.", **bind_choice(CAMPAIGN, "", list(names)),
        )  # fmt: skip
    attribute = choose_attribute(people["attribute"], row)
    return Scope(Selection(study.dataset, attribute=attribute), names.get(campaign))


def stamp(study: Study) -> str:
    """Return a text that changes with the judgements, exclusions and answers to checks."""
    return f"{study.judgements_stamp}-{study.store.annotator_stats.stamp(study.dataset)}"


_settled = cached_report("Looking whether it is settled …")(state_verdict)

EVERY = 10.0  # seconds until the counts are redrawn


def show_progress(study: Study) -> None:
    """Show the counts of a campaign first, then what they settle."""
    scope = choose_scope(study)
    if scope is None:
        return
    if study.store.datasets.volume() <= AT_ONCE:
        fragment(_live, every=EVERY)(scope)
    else:
        _counts(study.store, _read_counts(study.store, scope, stamp(study)), scope)
    st.header("Is it settled?", anchor=False)
    with show_faults():
        about = replace(scope.selection, judges=())
        _show_outlook(_settled(study.store, (about, scope.campaign), stamp(study)))


def _live(scope: Scope) -> None:
    with reopen() as store:
        _counts(store, _count(store, scope), scope)
    show_caption("These counts are updated every ten seconds.")


def _count(store: Store, scope: Scope) -> tuple[pd.DataFrame, pd.DataFrame]:
    dataset, attribute = scope.selection.dataset, scope.selection.attribute
    people = store.annotator_stats.count_given(dataset, scope.campaign, attribute)
    return people, store.annotator_stats.progress(dataset, scope.campaign)


_read_counts = cached_report("Counting the votes of each pair …")(_count)


def _counts(store: Store, counts: tuple[pd.DataFrame, pd.DataFrame], scope: Scope) -> None:
    people, pairs = counts
    attribute = scope.selection.attribute
    missing = store.annotator_stats.count_missing(scope.selection.dataset, scope.campaign)
    if attribute:
        pairs = pairs[pairs["attribute"] == attribute]
        missing = {name: votes for name, votes in missing.items() if name == attribute}
    campaign = None if scope.campaign is None else store.campaigns.get(scope.campaign)
    show_headline(
        f"{_describe_answers(people)} {_describe_target(pairs, campaign, sum(missing.values()))}"
    )
    right = st.container()
    if len(people):
        left, right = st.columns([2, 3], gap="large")
        left.dataframe(people.rename(columns={"judge": "person"}), hide_index=True)
    if len(pairs):
        right.dataframe(_tabulate_pairs(pairs), hide_index=True, column_config=_columns())
    show_caption("Excluded people are not in these counts.")


def _describe_answers(people: pd.DataFrame) -> str:
    if people.empty:
        return "No person has answered yet."
    answers = pluralize(int(people["answered"].sum()), "answer")
    given = f"{pluralize(len(people), 'person').replace('persons', 'people')} have given {answers}."
    return given.replace("1 person have", "1 person has")


def _describe_target(pairs: pd.DataFrame, campaign: Campaign | None, missing: int) -> str:
    """Describe the progress of the open campaigns, or of the chosen one even if it is not open."""
    if pairs.empty:
        return "No campaign asks for more."
    complete, number = int(pairs["complete"].sum()), int(pairs["pairs"].sum())
    votes, wanted = int(pairs["votes"].sum()), int(pairs["wanted"].sum())
    if campaign is None or campaign.open:
        wanted = votes + missing
    who = "Open campaigns have" if campaign is None else "The campaign has"
    is_shut = campaign is not None and not campaign.open
    return (
        f"{who} {votes:,} of the {pluralize(wanted, 'vote')} wanted, and {complete:,} of "
        f"{pluralize(number, 'pair')} have all of theirs."
        f"{f' It is {campaign.status}, so nobody is asked.' if is_shut else ''}"
    )


def _tabulate_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    several_attributes = pairs["attribute"].nunique() > 1
    systems = pairs["system_1"] + " / " + pairs["system_2"]
    share = pairs["votes"] / pairs["wanted"].clip(lower=1)
    frame = pd.DataFrame(
        {"attribute": pairs["attribute"], "systems": systems, "votes": 100 * share,
         "given": pairs["votes"], "wanted": pairs["wanted"]}
    )  # fmt: skip
    return frame if several_attributes else frame.drop(columns="attribute")


def _columns() -> dict[str, Any]:
    return {
        "systems": st.column_config.TextColumn(width=150),
        "votes": st.column_config.ProgressColumn(
            help="Share of the votes that are wanted",
            width=95, format="%.0f%%", min_value=0, max_value=100,
        ),
        "given": st.column_config.NumberColumn(width=55),
        "wanted": st.column_config.NumberColumn(width=65),
    }  # fmt: skip


def _show_outlook(result: Finding) -> None:
    show_headline(result.facts["sentence"])
    table = result.tables["attributes"]
    for row in table[~table["settled"] & (table["planned"] > 0)].head(1).itertuples():
        if pd.notna(row.planned_settle):
            chance = row.planned_settle
            likely = f"{chance:.0%}" if chance >= 0.01 else "below 1%"
            show_caption(
                f"Campaigns still ask for {row.planned:,} votes: the chance that these settle all "
                f"ranks is {likely}."
            )
    if len(table) > 1:
        show_rows(table, result.table_columns["attributes"], "The verdict on each attribute")
    if len(result.rows):
        show_rows(result.rows, result.columns, "Neighbours in the order")
    foot(result, "95% confidence for all systems together, whenever you look.")
