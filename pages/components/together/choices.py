"""Whose votes are the truth, and which judges stand beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.combine import FEWEST
from core.findings.judgements import Finding, Selection, comparers
from core.findings.plan import PlanSettings, plan
from core.findings.plan.chart import chances
from core.labels import POOLS
from core.pairing import WAYS
from core.records import FaultError, Kind, TandemError
from core.rendering.charts import CaptionedChart
from core.store import Store
from pages.components.campaigns.choice_form import WAY
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import choose_answers, choose_attribute, choose_subset
from pages.components.shared.frame import Study, carried, ways_on
from pages.components.shared.notice import conclude, notice, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_rows

VOTES_HELP = """Whose answers are taken as right. The combined figures estimate what these people
would say about all pairs. Scores count as votes: the higher wins."""
JUDGES_HELP = "Pairs count that all of these judges have answered."
TRUTH = (Kind.HUMAN, Kind.GOLD)
JUDGING = (Kind.LLM, Kind.BASELINE)
WIDEST = 320  # pixels of a choice of names


@dataclass(frozen=True)
class CombinedJudges:
    """What the page is about: the selection's `judges`, beside the votes of `people`, both names or
    kinds as the command line takes them; whether anybody has `voted`, or `judged`, at all; and
    whether the votes are `gold` labels.
    """

    selection: Selection
    people: tuple[str, ...]
    voted: bool
    judged: bool
    gold: bool

    @property
    def of_people(self) -> Selection:
        """The same answers, by people in place of the judges."""
        return replace(self.selection, judges=self.people)

    @property
    def with_people(self) -> Selection:
        """The same answers, by people beside the judges; gold labels are nobody's judgement."""
        if not self.voted or self.gold:
            return self.selection
        return replace(self.selection, judges=(*self.selection.judges, *self.people))

    @property
    def against(self) -> str:
        """What judges are held against."""
        return (Kind.GOLD if self.gold else Kind.HUMAN).value


def choices(study: Study) -> CombinedJudges | None:
    """What the reader asks about; None, after a sentence, where nothing has been answered."""
    every = comparers(study.store, study.dataset)
    if every.empty:
        _nothing_yet(study)
        return None
    row = st.container(horizontal=True)
    people = _choose_people(every, row)
    judges = _choose_judges(every, row)
    selection = Selection(
        study.dataset,
        attribute=choose_attribute(every["attribute"], row),
        subset=choose_subset(study, row),
    )
    truth, judging = _of(every, people), _of(every, judges)
    scores = any(len(side) and bool(side["by_name"].all()) for side in (truth, judging))
    selection = replace(choose_answers(study, selection), judges=judges, scores=scores)
    return CombinedJudges(
        selection,
        people,
        voted=not truth.empty,
        judged=not judging.empty,
        gold=set(truth["kind"]) == {Kind.GOLD.value},
    )


def _of(every: pd.DataFrame, wanted: tuple[str, ...]) -> pd.DataFrame:
    return every[every["judge"].isin(wanted) | every["kind"].isin(wanted)]


def _nothing_yet(study: Study) -> None:
    if len(study.store.datasets.systems(study.dataset)) < 2:
        notice("Nothing to compare yet. People and judges need texts by at least two systems.")
        ways_on(data="Import texts")
        return
    notice(
        "No judgements yet. Let a judge answer all pairs and people some of them: this page then "
        "combines both."
    )
    ways_on(judge="Run a judge", annotate="Annotate")


def _choose_people(every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Those that are named, else all people, else gold labels."""
    default = (Kind.HUMAN if Kind.HUMAN in set(every["kind"]) else Kind.GOLD).value
    names = list(every.loc[every["kind"].isin(TRUTH), "judge"].unique())
    if len(names) < 2:
        return (default if names else Kind.HUMAN.value,)
    named = row.multiselect(
        "Votes of", names, placeholder=POOLS[Kind(default)], help=VOTES_HELP, width=WIDEST
    )
    return tuple(named) or (default,)


def _choose_judges(every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Those that are named, else all language models, else all baselines."""
    there = [kind for kind in JUDGING if kind in set(every["kind"])]
    if not there:
        return (Kind.LLM.value,)
    names = list(every.loc[every["kind"].isin(there), "judge"].unique())
    if len(names) < 2:
        return (there[0].value,)
    named = row.multiselect(
        "Judges", names, placeholder=POOLS[there[0]], help=JUDGES_HELP, width=WIDEST
    )
    return tuple(named) or (there[0].value,)


INFORMATIVE = "informative"
HELP = """Simulated from the votes there are: errors are taken to shrink with more votes as they did
with these. **Settled**: all ranks are told apart, for all systems together."""
UNTOLD = f"Once {FEWEST} items have votes, you see here how many more settle the ranks."
REPLAYS = "Simulated; the range holds four of five cases."


def show_asking(study: Study, chosen: CombinedJudges) -> None:
    """The answer in a sentence, a picture and a table, and the way on."""
    if not chosen.judged and not chosen.voted:
        return
    st.header("Whom or what to ask next?", anchor=False, help=HELP)
    try:
        if chosen.judged and chosen.voted:
            _show_plan(_plan(study.store, chosen, f"{study.scores_stamp}{study.draws_stamp}"))
        else:
            small(UNTOLD)
    except FaultError:
        raise
    except TandemError:  # for which reason, the first answer of the page has said
        small(UNTOLD)
    if chosen.judged:
        _offer_campaign()


@cached_report("Planning …")
def _plan(store: Store, chosen: CombinedJudges) -> Finding:
    return plan(store, chosen.selection, PlanSettings(chosen.people))


def _show_plan(result: Finding) -> None:
    conclude(result.facts["sentences"])
    if result.facts["now"] < 1:
        above = caption(
            result, "How many more votes settle the ranks", REPLAYS,
            several(result.facts["voted"], "pair") + " with votes so far",
        )  # fmt: skip
        drawn = partial(chances, result.rows, result.facts["level"])
        show_picture("together-plan", CaptionedChart(drawn, above), result.rows)
        needed, columns = result.tables["needed"], result.table_columns["needed"]
        show_rows(needed, columns, "What settles the ranks")
    with st.expander("Look closer"):
        foot(result, REPLAYS)
        downloads("together-next", {"curve": result.rows, **result.tables})


def _offer_campaign() -> None:
    """The pairs whose votes are expected to tell most, as a campaign."""
    small(
        "Votes help most where judges are unsure or disagree. A campaign can ask about such pairs "
        "more often. Figures stay unbiased, as the chance of every pair is stored."
    )
    if st.button(f"Open a campaign: {WAYS[INFORMATIVE].label.lower()}", key="ask next"):
        st.session_state[WAY] = INFORMATIVE
        st.switch_page("pages/campaigns.py", query_params=carried())
