"""Parts of the leaderboard page."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from core import rankings
from core.charts import SHARES, picture
from core.rankings import RankSettings
from core.records import Kind
from core.selections import Result, Selection
from core.statistics.ratings import RATINGS
from core.store import Store
from pages.components.frame import Study
from pages.components.notice import notice, small

GROUPS = {
    Kind.HUMAN: "people",
    Kind.LLM: "all language models",
    Kind.GOLD: "gold labels",
    Kind.BASELINE: "all baselines",
}
ALL = "all attributes"
METHODS = {
    "win-ratio": "win ratio",
    "bradley-terry": "Bradley-Terry",
    "elo": "Elo",
    "average-probability": "average probability",
    "bradley-terry-soft": "Bradley-Terry on probabilities",
    "product-of-experts": "product of experts",
    "likelihood": "likelihood ranking",
}
HELP = """**Win ratio**: wins and half the ties, per comparison. **Bradley-Terry**: strengths that make the observed wins most
likely; takes the opponents into account. **Elo**: as in chess, one comparison after another. **Average probability**: a
judge's mean probability for the system. **Bradley-Terry on probabilities** and **product of experts**: strengths that fit
a judge's probabilities best; few comparisons go a long way. (These three for judges that give probabilities.)
**Likelihood ranking**: the order that makes all answers together most likely."""


def board(study: Study, selection: Selection, settings: RankSettings) -> Result:
    """The leaderboard, counted anew only when a judgement has been added or withdrawn."""
    return _counted(study.store.path, study.store.stamp(selection.dataset), selection, settings)


@st.cache_data(max_entries=64, show_spinner="Counting the judgements …")
def _counted(path: Path, stamp: str, selection: Selection, settings: RankSettings) -> Result:
    with Store(path) as store:
        return rankings.leaderboard(store, selection, settings)


def filters(study: Study) -> tuple[Selection, RankSettings] | None:
    """Whose judgements, on which attribute, rated how; None after saying what to do when there are none."""
    tally = study.store.tally(study.dataset)
    if tally.empty:
        notice("No judgements yet. Annotate some pairs, or run a judge, and the leaderboard appears here.")
        left, right, _ = st.columns([1, 1, 4])
        left.page_link("pages/annotate.py", label="Annotate", query_params={"dataset": study.dataset})
        right.page_link("pages/judge.py", label="Run a judge", query_params={"dataset": study.dataset})
        return None
    judges = _judges(tally)
    attributes = list(dict.fromkeys(tally["attribute"]))
    who, what, how, ties = st.columns([3, 3, 3, 2])
    judge = who.selectbox("Judged by", list(judges))
    attribute = what.selectbox("Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes)
    method = how.selectbox("Rated by", list(METHODS), format_func=METHODS.__getitem__, help=HELP)
    chosen_ties = ties.selectbox("Ties", _ties(method), help="Count a tie as half a win for each, or leave ties out.")
    selection = Selection(study.dataset, attribute=None if attribute == ALL else attribute, judges=judges[judge])
    return selection, RankSettings(method=method, ties=chosen_ties)


def _judges(tally: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """What can be chosen -> the judges it means: groups first, then each judge, the coin last."""
    kinds = set(tally["kind"])
    groups = {name: (kind.value,) for kind, name in GROUPS.items() if kind in kinds}
    names = sorted(set(tally["judge"]), key=lambda name: (name.startswith("baseline:random"), name))
    one_by_one = {name: (name,) for name in names}
    # A pool of baselines means little: it is there, but not what the page opens with.
    pool = {name: groups.pop(name) for name in [GROUPS[Kind.BASELINE]] if name in groups}
    return {**groups, **one_by_one, **pool}


def _ties(method: str) -> list[str]:
    if RATINGS[method].outcome == "probabilities":
        return ["half"]
    return ["half", "drop", "model"] if method == "bradley-terry" else ["half", "drop"]


def sentence(result: Result) -> str:
    """Who leads, and whether that is certain."""
    rows = result.rows.dropna(subset="rating")
    if len(rows) < 2:
        return "There is only one system to rate here."
    first = rows.iloc[0]
    level = rows.loc[rows["rank"] == first["rank"], "system"].tolist()
    share = result.facts["method"] in SHARES

    def shown(value: float) -> str:
        return f"{value:.0%}" if share else f"{value:.0f}"

    # Resamples of a few unanimous answers are all alike: no interval is better than one of no width.
    told = first["low"] < first["high"]
    interval = f" (95% interval {shown(first['low'])} to {shown(first['high'])})" if told else ""
    leads = f"{first['system']} leads with" if len(level) == 1 else f"{_listed(level)} are level at"
    lead = f"{leads} {shown(first['rating'])}{interval}"
    tied = rows[(rows["rank_low"] <= 1) & (rows["system"] != first["system"])]["system"].tolist()
    if not result.facts["connected"]:
        return f"{lead}, but not all systems can be compared with each other yet."
    if len(level) > 1:
        return f"{lead}."
    if tied:
        return f"{lead}, but that is not certain: {_listed(tied)} may be as good."
    if not told:
        return f"{lead}; there are too few judgements to say how certain that is."
    return f"{lead}, ahead of {rows.iloc[1]['system']} in nearly every resample."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def show_table(result: Result) -> None:
    """The same as numbers, sortable."""
    share = result.facts["method"] in SHARES
    form = "%.1f%%" if share else "%.0f"
    ranks = result.rows[["rank_low", "rank_high"]].astype("string").fillna("-")
    shown = result.rows.assign(
        ranks=ranks["rank_low"].where(
            ranks["rank_low"] == ranks["rank_high"], ranks["rank_low"] + " to " + ranks["rank_high"]
        )
    )
    if share:
        shown = shown.assign(**{name: 100 * shown[name] for name in ("rating", "low", "high")})
    st.dataframe(
        shown[["rank", "ranks", "system", "rating", "low", "high", "wins", "losses", "ties", "judgements"]],
        hide_index=True,
        column_config={
            "rank": st.column_config.NumberColumn(width=60),
            "ranks": st.column_config.TextColumn("rank, 95%", help="The ranks it takes in 95% of the resamples"),
            "rating": st.column_config.NumberColumn(format=form),
            "low": st.column_config.NumberColumn("95% from", format=form),
            "high": st.column_config.NumberColumn("to", format=form),
        },
    )
    unanswered = ", ".join(f"{count:,} {reason}" for reason, count in result.unanswered.items()) or "none"
    small(f"{result.judgements:,} judgements used; unanswered: {unanswered}. Intervals by bootstrap over items.")
    small(result.signature)


def downloads(result: Result, chart: alt.LayerChart) -> None:
    """The table and the picture as files."""
    csv, png, svg, _ = st.columns([1, 1, 1, 5])
    table = result.rows.to_csv(index=False)
    csv.download_button("CSV", table, "leaderboard.csv", "text/csv", width="stretch", on_click="ignore")
    for column, form, mime in ((png, "png", "image/png"), (svg, "svg", "image/svg+xml")):
        column.download_button(
            form.upper(),
            lambda form=form: picture(chart, form),
            f"leaderboard.{form}",
            mime,
            width="stretch",
            on_click="ignore",
        )
