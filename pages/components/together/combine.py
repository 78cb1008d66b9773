"""The sections of the page Together: who is better, who may answer what, whom to ask next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.campaigns import CampaignDraft, Design, open_campaign
from core.findings.budget import chart as charts
from core.findings.budget import columns, list_replayed
from core.findings.chart import SHARED_COST_PICTURE
from core.findings.combine import FEWEST
from core.findings.judgements import (
    JUDGING,
    TRUTH,
    Finding,
    Selection,
    choose_truth,
    fill_sides,
    find_rest_campaigns,
    list_comparers,
)
from core.labels import KINDS, POOLS, capitalise, join_few_names, pluralize, shorten_judges
from core.pairing import REST, WAYS, Choice
from core.records import Kind
from core.rendering import Column
from core.rendering.charts import Drawn
from core.store import Store
from pages.components.campaigns.new_campaign import begin_draft, find_free_name
from pages.components.shared.address import bind_choice, set_campaign
from pages.components.shared.filters import Choices, comparers_of
from pages.components.shared.finding import (
    FindingFigure,
    FindingSection,
    Table,
    declare_picture,
    declare_table,
    show_finding,
)
from pages.components.shared.frame import Study, carry_parameters, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import Offered
from pages.components.shared.stores import store_action
from pages.components.shared.tables import call_judges

TITLE = "Systems by votes, by judges, and by both"
JUDGES_HELP = "Pairs count that all of these judges have answered."
WIDEST = 320  # pixels of a choice of names
NO_VOTES = (
    "No human votes yet, so nothing tells how far people would agree. Let people vote on "
    f"{FEWEST} items or more: both are combined from then on."
)
NO_JUDGES = "No judge has answered yet. One that answers all pairs makes few votes tell more."
UNTOLD = f"Once {FEWEST} items have votes, you see here how many more the estimate needs."
REPLAYS = "Simulated; the range holds four of five cases."
INFORMATIVE = "informative"


def find_answers(study: Study) -> pd.DataFrame:
    """Return who has answered; if nobody has, say how to get answers."""
    every = list_comparers(study.store, study.dataset)
    if every.empty and len(study.store.datasets.systems(study.dataset)) < 2:
        notice("Nothing to compare yet. People and judges need texts by at least two systems.")
        next_step_links(data="Import texts")
    elif every.empty:
        notice(
            "No judgements yet. Let a judge answer all pairs and people some of them: this page "
            "then combines both."
        )
        next_step_links(judge="Run a judge", annotate="Annotate")
    return every


def offer_people(study: Study) -> Mapping[str, Offered]:
    """Return whose votes may be taken as right."""
    every = list_comparers(study.store, study.dataset)
    voting = every["kind"].isin(TRUTH)
    if choose_truth(study.store, study.dataset) == Kind.SIMULATED:
        voting &= ~every["by_name"]  # the rater who knows the truth is no annotator
    return {"people": list(every.loc[voting, "judge"].unique())}


def choose_judges(study: Study, choices: Choices, selection: Selection) -> Selection:
    """Ask for the judges, where there are several."""
    every = list_comparers(study.store, study.dataset)
    there = [kind for kind in JUDGING if kind in set(every["kind"])]
    names = list(every.loc[every["kind"].isin(there), "judge"].unique())
    if len(names) < 2:
        return selection
    judges = choices.place().multiselect(
        "Judges", names, placeholder=POOLS[there[0]], help=JUDGES_HELP, width=WIDEST,
        format_func=call_judges(names).__getitem__, **bind_choice("judges", (), names),
    )  # fmt: skip
    return replace(selection, judges=tuple(judges))


COMBINE = FindingSection(
    "combine",
    (
        declare_picture(
            "together-systems",
            lambda result, names: result.rows[result.rows["system"].isin(names)],
            "combine", TITLE,
            count=lambda result, rows: (
                f"{result.facts['voted']:,} of {pluralize(result.facts['pairs'], 'pair')} "
                "with votes"
            ),
        ),
    ),
    find_answers,
    (
        declare_table(TITLE, is_folded=False),
        declare_table("Judges that are combined with votes", "judges"),
    ),
    offer=offer_people,
    order=lambda result: list(result.rows["system"]),
    noun="system",
    adjust=choose_judges,
)  # fmt: skip
PLAN = FindingSection(
    "plan",
    (
        declare_picture(
            "together-plan",
            lambda result, names: (
                result.rows if result.facts["now"] < 1 else result.rows.iloc[:0]
            ),
            "plan",
            intervals=lambda result, rows: REPLAYS,
            count=lambda result, rows: (
                f"{pluralize(result.facts['voted'], 'pair')} with votes so far"
            ),
        ),
    ),
    find_answers,
    (declare_table("What tells the ranks apart", "needed", is_folded=False),),
    offer=offer_people,
    adjust=choose_judges,
)  # fmt: skip


def show_combined(study: Study) -> None:
    """Show the ranking by votes and judges; where one side is missing, say how to get it."""
    voted, judged = _find_sides(study)
    if (voted and judged) or not (voted or judged):
        show_finding(study, COMBINE)
    elif judged:
        notice(NO_VOTES)
        next_step_links(
            annotate="Annotate", campaigns="Open a campaign", leaderboard="See what judges say"
        )
    else:
        notice(NO_JUDGES)
        next_step_links(judge="Run a judge", leaderboard="See who leads by votes")


def _find_sides(study: Study) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return whose votes and which judges are combined; () where there are none."""
    selection, people = fill_sides(study.store, Selection(study.dataset), ())
    every = list_comparers(study.store, study.dataset)
    there = {*every["judge"], *every["kind"]}
    return tuple(people if there & {*people} else ()), tuple(
        selection.judges if there & {*selection.judges} else ()
    )


def show_plan(study: Study) -> None:
    """Show how many more votes the estimate needs, and offer a campaign of such pairs."""
    voted, judged = _find_sides(study)
    if judged and not voted:
        show_caption(UNTOLD)
    else:
        show_finding(study, PLAN)
    if judged:
        _offer_campaign(study.dataset)


def _offer_campaign(dataset: str) -> None:
    show_caption(
        "Votes help most where judges are unsure or disagree. A campaign can ask about such pairs "
        "more often. Figures stay unbiased, as the chance of every pair is stored."
    )
    if st.button(f"Open a campaign: {WAYS[INFORMATIVE].label.lower()}", key="ask next"):
        choice = Choice(dataset=dataset, way=INFORMATIVE, budget=100)
        begin_draft(CampaignDraft(choice, Design()))
        st.switch_page("pages/campaigns.py", query_params=carry_parameters())


ONE_QUESTION = "Choose one attribute to ask people about the rest."
AS_CHOSEN = "A campaign keeps the promise as surely as chosen, against the majority: choose both."


def _offer_rest(study: Study, selection: Selection, result: Finding, names: Sequence[str]) -> None:
    """Offer a campaign of the pairs that no judge is trusted with, or say what it takes."""
    facts, attributes = result.facts, study.store.datasets.attributes(study.dataset)
    attribute = selection.attribute or (attributes[0].name if len(attributes) == 1 else "")
    about = study.store.campaigns.attributes
    every = find_rest_campaigns(study.store, study.dataset)
    asking = [one for one in every if one.open and (not attribute or attribute in about(one.id))]
    sizes = [study.store.campaigns.size(one.id) for one in asking]
    if facts["left"] and any(size["given"] < size["wanted"] for size in sizes):
        given, wanted = (sum(size[name] for size in sizes) for name in ("given", "wanted"))
        names = join_few_names([one.name for one in asking])
        notice(f"{names}: {given:,} of {pluralize(wanted, 'vote')}.", kind="good")
        next_step_links(annotate="Annotate", campaigns="See its progress", people="Invite people")
    elif not facts["accepted"]:
        next_step_links(annotate="Annotate", campaigns="Ask about pairs at random")
    elif facts["left"] and not attribute:
        show_caption(ONE_QUESTION)
    elif facts["left"] and (facts["promise"], facts["against"]) != ("sure", "majority"):
        show_caption(AS_CHOSEN)
    elif facts["left"]:
        choice = Choice(
            dataset=study.dataset,
            attributes=(attribute,),
            subset=selection.subset or "",
            item_set=selection.item_set or "",
            judges=selection.judges,
            way=REST,
            accept_error=facts["accept_error"],
            certainty=facts["confidence"],
            signal=facts["signal"],
        )
        judges = " and ".join(map(shorten_judges, facts["judges"]))
        st.button(
            f"Ask people about the other {pluralize(facts['left'], 'pair')}",
            help="Opens a campaign. Pairs on which a vote tells most come first.",
            on_click=_open, args=(f"rest of {judges}"[:60], choice),
        )  # fmt: skip


@store_action()
def _open(store: Store, name: str, choice: Choice) -> None:
    name = find_free_name(store, choice.dataset, name)
    campaign = open_campaign(store, name, choice, Design())
    set_campaign(campaign.name)


VOTED: dict[str, Any] = {
    "intervals": lambda result, rows: "",
    "count": lambda result, rows: f"Votes on {pluralize(result.facts['sampled'], 'pair')}",
}


def _choose_costs(frontier: pd.DataFrame) -> pd.DataFrame:
    """Choose the thresholds with costs; none for a judge alone, which is asked about every pair."""
    known = frontier.dropna(subset=["error", "money"])
    return known if known["way"].nunique() > 1 else known[:0]


SHARE = FindingSection(
    "share",
    (
        declare_picture(
            "share", lambda result, names: result.tables["frontier"].dropna(subset="error"), **VOTED
        ),
        FindingFigure(
            "share_cost", SHARED_COST_PICTURE.title,
            lambda result, names: _choose_costs(result.tables["frontier"]),
            lambda result, rows: partial(SHARED_COST_PICTURE.draw, rows, result.facts), **VOTED,
        ),
    ),
    find_answers,
    (
        declare_table("Who answers", is_folded=False),
        declare_table("Every threshold", "frontier"),
        declare_table("Every pair", "answers"),
    ),
    offer=offer_people,
    adjust=choose_judges,
    look_closer=_offer_rest,
)  # fmt: skip


GROWTH = """Stored answers are asked once more, as each strategy would have chosen them. Bands hold
95% of the replays: what one run might have come to (Liusie et al. 2024, figures 4 and 5)."""
FEWER = """Some of the candidates are drawn at random and compared with each other alone: the share
of their pairs in the same order (Liusie et al. 2024, table 8)."""
TITLES = {
    "spearman": "How quickly a ranking settles",
    "pair_accuracy": "How quickly the order of pairs settles",
    "human_spearman": "How well rankings follow people",
    "human_accuracy": "How many pairs are ordered as people do",
}


def _choose_judge(study: Study, choices: Choices, selection: Selection) -> Selection:
    names = list_replayed(study.store, study.dataset)
    called = {**call_judges(names), **KINDS}
    judge = choices.place().selectbox(
        "Whose answers", names, format_func=called.__getitem__, width=300,
        help="Answers of one judge, or of people together", **bind_choice("of", names[0], names),
    )  # fmt: skip
    return replace(selection, judges=(judge,))


def _declare_growth(figure: Column) -> FindingFigure:
    def take(result: Finding, names: Sequence[str]) -> pd.DataFrame:
        rows, facts = result.rows, result.facts
        named = (rows["method"] == facts["method"]) & (rows["debias"] == facts["debias"])
        return rows[named | ~rows["method"].isin(facts["methods"])].dropna(subset=figure.name)

    def draw(result: Finding, rows: pd.DataFrame) -> Callable[..., Drawn]:
        level = None
        if figure.name == result.facts["figure"]:
            level = charts.Level(result.facts["goal"], "goal")
        elif figure.name in (by_all := result.tables["all"]) and by_all[figure.name].notna().any():
            level = charts.Level(float(by_all[figure.name].max()), "all comparisons")
        return partial(charts.draw_by_comparisons, rows, figure, level=level)

    return FindingFigure(
        f"budget-growth-{figure.name.replace('_', '-')}", TITLES[figure.name], take, draw,
        lambda result, rows: figure.interval.caption if figure.interval else "", _count,
        help=GROWTH,
    )  # fmt: skip


def _count(result: Finding, rows: pd.DataFrame) -> str:
    facts = result.facts
    of = f" × {facts['attributes']} attributes" if facts["attributes"] > 1 else ""
    return f"{pluralize(result.judgements, 'judgement')}, {pluralize(facts['items'], 'item')}{of}"


def _declare_fewer(figure: Column) -> FindingFigure:
    return FindingFigure(
        f"budget-{figure.name.replace('_', '-')}", capitalise(figure.label),
        lambda result, names: result.tables["fewer"].dropna(subset=figure.name),
        lambda result, rows: partial(charts.draw_by_candidates, rows, figure),
        lambda result, rows: figure.interval.caption if figure.interval else "",
        lambda result, rows: f"{columns.SUBSETS:,} draws",
    )  # fmt: skip


_fewer = [_declare_fewer(figure) for figure in columns.SOME]
BUDGET = FindingSection(
    "budget",
    (
        *map(_declare_growth, columns.FIGURES),
        replace(_fewer[0], heading="Fewer candidates", help=FEWER), *_fewer[1:],
    ),
    lambda study: comparers_of(study, "A budget"),
    (
        Table(
            "Comparisons needed",
            lambda result, names: result.tables["needed"].sort_values(
                "needed", na_position="last", kind="stable"
            ),
            lambda result: columns.NEEDED,
            is_folded=False,
        ),
        declare_table("All comparisons", "all"),
    ),
    adjust=_choose_judge,
)  # fmt: skip
