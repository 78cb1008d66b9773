"""Ranking by votes, by judges and by both, with its certainty.

It also says how many more votes settle the ranks, and on which pairs to ask.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.combine import FEWEST, CombineSettings, combine
from core.findings.combine.chart import estimates
from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, headline, leaderboard
from core.findings.leaderboard.chart import ratings
from core.findings.plan import PlanSettings, plan
from core.findings.plan.chart import chances
from core.labels import pluralize
from core.pairing import WAYS
from core.records import FaultError, TandemError
from core.statistics import RATINGS
from pages.components.campaigns.new_campaign import begin_by
from pages.components.leaderboard.boards import show_verdict
from pages.components.shared.cached_report import cached_report
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import Study, carry_parameters, next_step_links
from pages.components.shared.notice import notice, show_caption, show_findings, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import first_rows, show_rows
from pages.components.together.choices import CombinedJudges

_combine = cached_report("Combining votes and judges …")(combine)
_leaderboard = cached_report("Rating the systems …")(leaderboard)

HELP = """**Votes alone**: people's votes. **Judges alone**: what judges say, right or wrong.
**Votes and judges**: what people would say of all pairs, more certain by what judges say
(Angelopoulos et al. 2023; Boyeau et al. 2024). Its interval holds however wrong the judges are."""
TITLE = "Systems by votes, by judges, and by both"
NO_VOTES = (
    "No human votes yet, so nothing tells how far people would agree. Let people vote on "
    f"{FEWEST} items or more: both are combined from then on."
)
NO_JUDGES = "No judge has answered yet. One that answers all pairs makes few votes tell more."


def show_ranking(study: Study, chosen: CombinedJudges) -> None:
    """Show the ranking in a sentence, chart and table; of one side if the other is missing."""
    st.header("Which system is better?", anchor=False, help=HELP)
    if not chosen.voted:
        _show_one_side(study, chosen.selection, "judges alone")
        notice(NO_VOTES)
        next_step_links(annotate="Annotate", campaigns="Open a campaign")
    elif not chosen.judged:
        _show_one_side(study, chosen.of_people, "votes alone")
        notice(NO_JUDGES)
        next_step_links(judge="Run a judge")
    else:
        with show_faults():
            request = chosen.selection, CombineSettings(chosen.people)
            _show_both(_combine(study.store, request, f"{study.scores_stamp}{study.draws_stamp}"))


def _show_both(result: Finding) -> None:
    show_findings(result.facts["sentences"])
    rows = first_rows(result.rows, "system", "system", "together")
    of = f"{result.facts['voted']:,} of {pluralize(result.facts['pairs'], 'pair')} with votes"
    above = caption(result, TITLE, result.interval, of)
    drawn = partial(estimates, rows, result.facts["method"])
    show_picture("together-systems", drawn, above, rows)
    show_rows(rows, result.columns, TITLE)
    with st.expander("Look closer"):
        _show_closer(result)


def _show_one_side(study: Study, selection: Selection, whose: str) -> None:
    """Show the ranking by votes alone or by judges alone."""
    with show_faults():
        result = _leaderboard(study.store, (selection, RankSettings()), study.scores_stamp)
        show_verdict([result])
        show_headline(headline.headline(result))
        rows = first_rows(result.rows, "system", "system", "together")
        whose = "scores" if result.facts["of_scores"] else whose
        above = caption(result, f"Systems by {whose}", result.interval)
        drawn = partial(ratings, rows, result.facts["method"])
        show_picture("together-one-side", drawn, above, rows)


def _show_closer(result: Finding) -> None:
    """Show the weight of each judge, what the figures rest on, and the downloads."""
    facts = result.facts
    if facts["voted"] < facts["pairs"]:
        judges, columns = result.tables["judges"], result.table_columns["judges"]
        show_rows(judges, columns, "Judges that are combined with votes")
    if facts["because"]:
        show_caption(f"Rated by {RATINGS[facts['method']].label}: {facts['because']}.")
    foot(
        result, result.interval, name="together",
        tables={"estimates": result.rows, **result.tables},
    )  # fmt: skip


_plan = cached_report("Planning …")(plan)

INFORMATIVE = "informative"
PLAN_HELP = """Simulated from the votes there are: errors are taken to shrink with more votes as
they did with these. Needed are votes that tell all ranks apart in the combined estimate."""
UNTOLD = f"Once {FEWEST} items have votes, you see here how many more the estimate needs."
REPLAYS = "Simulated; the range holds four of five cases."


def show_asking(study: Study, chosen: CombinedJudges) -> None:
    """Show whom to ask next in a sentence, chart and table, and the way on."""
    if not chosen.judged and not chosen.voted:
        return
    st.header("Whom or what to ask next?", anchor=False, help=PLAN_HELP)
    try:
        if chosen.judged and chosen.voted:
            request = chosen.selection, PlanSettings(chosen.people)
            _show_plan(_plan(study.store, request, f"{study.scores_stamp}{study.draws_stamp}"))
        else:
            show_caption(UNTOLD)
    except FaultError:
        raise
    except TandemError:  # for which reason, the first answer of the page has said
        show_caption(UNTOLD)
    if chosen.judged:
        _offer_campaign(study.dataset)


def _show_plan(result: Finding) -> None:
    show_findings(result.facts["sentences"])
    if result.facts["now"] < 1:
        above = caption(
            result, "How many more votes the combined estimate needs", REPLAYS,
            pluralize(result.facts["voted"], "pair") + " with votes so far",
        )  # fmt: skip
        drawn = partial(chances, result.rows, result.facts["level"])
        show_picture("together-plan", drawn, above, result.rows)
        needed, columns = result.tables["needed"], result.table_columns["needed"]
        show_rows(needed, columns, "What tells the ranks apart")
    with st.expander("Look closer"):
        tables = {"curve": result.rows, **result.tables}
        foot(result, REPLAYS, name="together-next", tables=tables)


def _offer_campaign(dataset: str) -> None:
    """Offer a campaign of the pairs whose votes are expected to tell most."""
    show_caption(
        "Votes help most where judges are unsure or disagree. A campaign can ask about such pairs "
        "more often. Figures stay unbiased, as the chance of every pair is stored."
    )
    if st.button(f"Open a campaign: {WAYS[INFORMATIVE].label.lower()}", key="ask next"):
        begin_by(dataset, INFORMATIVE)
        st.switch_page("pages/campaigns.py", query_params=carry_parameters())
