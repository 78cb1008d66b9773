"""Parts of the leaderboard page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.ranking import RankSettings, leaderboard
from core.charts import slopes
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import Chosen, Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import several, small
from pages.components.shared.style import theme


def board(study: Study, selection: Selection, settings: RankSettings) -> Result:
    """The leaderboard, counted anew only when something it is made of has changed."""
    stamp = study.store.judgement_frames.stamp(selection.dataset)
    if settings.separability:
        metric = make_metric(settings.separability, encoder=settings.encoder)
        stamp += str(
            study.store.similarities.extent(
                metric.signatures[metric.name], Chosen(selection.dataset)
            )
        )
    if settings.reweight:
        stamp += study.store.inclusions.draws_stamp(selection.dataset)
    return _counted(study.store.path, stamp, selection, settings)


@st.cache_data(max_entries=64, show_spinner="Counting the judgements …")
def _counted(path: Path, stamp: str, selection: Selection, settings: RankSettings) -> Result:
    with Store(path) as store:
        return leaderboard(store, selection, settings)


def sentence(result: Result) -> str:
    """Who leads, and whether that is certain."""
    rows = result.rows.dropna(subset="rating")
    if len(rows) < 2:
        return "There is only one system to rate here."
    first = rows.iloc[0]
    level = rows.loc[rows["rank"] == first["rank"], "system"].tolist()
    share = RATINGS[result.facts["method"]].share

    def shown(value: float) -> str:
        return f"{value:.0%}" if share else f"{value:.0f}"

    # Resamples of a few unanimous answers are all alike: no interval is better than one of no
    # width.
    told = first["low"] < first["high"]
    interval = f" (95% interval {shown(first['low'])} to {shown(first['high'])})" if told else ""
    leads = f"{first['system']} leads with" if len(level) == 1 else f"{_listed(level)} are level at"
    lead = f"{leads} {shown(first['rating'])}{interval}"
    tied = [name for name in rows["system"] if name in first["tied_with"].split("; ")]
    if not result.facts["connected"]:
        return f"{lead}, but not all systems can be compared with each other yet."
    if len(level) > 1:
        return f"{lead}."
    if not told:
        return f"{lead}; there are too few judgements to say how certain that is."
    if tied:
        return f"{lead}, but that is not certain: {_listed(tied)} may be as good."
    return f"{lead}, ahead of {rows.iloc[1]['system']} in nearly every resample."


def _listed(names: list[str]) -> str:
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def show_table(result: Result) -> None:
    """The same as numbers, sortable."""
    share = RATINGS[result.facts["method"]].share
    form = "%.1f%%" if share else "%.0f"
    ranks = result.rows[["rank_low", "rank_high"]].astype("string").fillna("-")
    shown = result.rows.assign(
        ranks=ranks["rank_low"].where(
            ranks["rank_low"] == ranks["rank_high"], ranks["rank_low"] + " to " + ranks["rank_high"]
        )
    )
    if share:
        shown = shown.assign(**{name: 100 * shown[name] for name in ("rating", "low", "high")})
    beside = [name for name in ("elo", "change") if name in shown]
    columns = [
        "rank",
        "ranks",
        "system",
        "rating",
        "low",
        "high",
        *beside,
        "judgements",
        "wins",
        "losses",
        "ties",
        "tied_with",
    ]
    st.dataframe(
        shown[columns],
        hide_index=True,
        column_config={
            "rank": st.column_config.NumberColumn(width=60),
            "ranks": st.column_config.TextColumn(
                "rank, 95%", help="The ranks it takes in 95% of the resamples"
            ),
            "rating": st.column_config.NumberColumn(format=form),
            "low": st.column_config.NumberColumn("95% from", format=form),
            "high": st.column_config.NumberColumn("to", format=form),
            **{
                name: st.column_config.NumberColumn(format="localized")
                for name in ("judgements", "wins", "losses", "ties")
            },
            "elo": st.column_config.NumberColumn(
                "Elo", format="%.0f", help="Of the same judgements, unweighted"
            ),
            "change": st.column_config.NumberColumn(format="%+.0f", help="sep-Elo less Elo"),
            "tied_with": st.column_config.TextColumn(
                "tied with",
                help="Systems of which these judgements do not tell, at 95%, whether they are "
                "better or worse",
            ),
        },
    )
    unanswered = (
        ", ".join(f"{count:,} {reason}" for reason, count in result.unanswered.items()) or "none"
    )
    small(
        f"{several(result.judgements, 'judgement')} used; unanswered: {unanswered}. Intervals "
        "by bootstrap over items."
    )
    st.code(result.signature, language=None, wrap_lines=True)


TOLD = 12  # systems whose change is told in a sentence


def show_changes(result: Result) -> None:
    """Elo beside sep-Elo, and where the largest changes come from, a sentence each."""
    st.subheader("What separability changes", anchor=False)
    st.altair_chart(slopes(result.rows, theme=theme()), width="stretch", theme=None)
    rows = result.rows.dropna(subset="change")
    for row in (
        rows.loc[rows["change"].abs().sort_values(ascending=False).index].head(TOLD).itertuples()
    ):
        small(f"{row.system}: {row.why}")
