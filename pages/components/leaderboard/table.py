"""Parts of the leaderboard page."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.analysis.judgements import Result, Selection, joined
from core.analysis.ranking import RankSettings, leaderboard
from core.charts import Drawing, slopes
from core.labels import INTERVALS
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import Chosen, Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot

RANKS_HELP = {
    "together": "Holds for all systems together with 95% confidence.",
    "pairwise": "Each two systems by themselves: among many, some are told apart by chance.",
}


def compute(study: Study, selection: Selection, settings: RankSettings) -> Result:
    """The leaderboard, computed anew only when something it is made of has changed."""
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    if settings.separability:
        metric = make_metric(settings.separability, encoder=settings.encoder)
        stamp += str(
            study.store.similarities.extent(
                metric.signatures[metric.name], Chosen(selection.dataset)
            )
        )
    return _leaderboard(study.store, (selection, settings), stamp)


@cached_report("Rating the systems …")
def _leaderboard(store: Store, request: tuple[Selection, RankSettings]) -> Result:
    return leaderboard(store, *request)


def sentence(result: Result) -> str:
    """Who leads, and whether that is certain."""
    rows = result.rows.dropna(subset="rating")
    if len(rows) < 2:
        return "There is only one system to rate."
    first = rows.iloc[0]
    level = rows.loc[rows["rank"] == first["rank"], "system"].tolist()
    share = RATINGS[result.facts["method"]].share

    def shown(value: float) -> str:
        return f"{value:.0%}" if share else f"{value:.0f}"

    told = first["low"] < first["high"]
    interval = f" (95% interval {shown(first['low'])} to {shown(first['high'])})" if told else ""
    leads = f"{first['system']} leads with" if len(level) == 1 else f"{_listed(level)} are tied at"
    lead = f"{leads} {shown(first['rating'])}{interval}"
    tied = [name for name in rows["system"] if name in first["tied_with"]]
    if not result.facts["connected"]:
        return f"{lead}, but some systems cannot be compared with each other yet."
    if len(level) > 1:
        return f"{lead}."
    if not told:
        return f"{lead}. There are too few judgements to say how certain that is."
    if tied:
        return f"{lead}, but that is not certain: {_listed(tied)} may be as good."
    return f"{lead}, certainly ahead of {rows.iloc[1]['system']}."


def _listed(names: list[str]) -> str:
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def show_table(result: Result) -> None:
    """The same as numbers, sortable."""
    share = RATINGS[result.facts["method"]].share
    form = "%.1f%%" if share else "%.0f"
    ranks_help = RANKS_HELP.get(result.facts["resolve"], "")
    ranks = result.rows[["rank_low", "rank_high"]].astype("string").fillna("–")
    shown = result.rows.assign(
        ranks=ranks["rank_low"].where(
            ranks["rank_low"] == ranks["rank_high"], ranks["rank_low"] + " to " + ranks["rank_high"]
        )
    )
    if share:
        shown = shown.assign(**{name: 100 * shown[name] for name in ("rating", "low", "high")})
    if "change" in shown:
        shown = shown.assign(change=shown["change"].round() + 0.0)  # never -0
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
        joined(shown[columns]),
        hide_index=True,
        column_config={
            "rank": st.column_config.NumberColumn(width=60),
            "ranks": st.column_config.TextColumn(
                "95% ranks", help=f"The ranks it may have. {ranks_help}"
            ),
            "rating": st.column_config.NumberColumn(format=form),
            "low": st.column_config.NumberColumn("95% low", format=form),
            "high": st.column_config.NumberColumn("95% high", format=form),
            **{
                name: st.column_config.NumberColumn(format="localized")
                for name in ("judgements", "wins", "losses", "ties")
            },
            "elo": st.column_config.NumberColumn(
                "Elo", format="%.0f", help="From the same judgements, without separability"
            ),
            "change": st.column_config.NumberColumn(format="%+.0f", help="sep-Elo minus Elo"),
            "tied_with": st.column_config.TextColumn(
                "tied with",
                help=f"Systems that are neither better nor worse at the 95% level. {ranks_help}",
            ),
        },
    )
    foot(result, INTERVALS["rating"])


TOLD = 12  # systems whose change is told in a sentence


def show_changes(result: Result) -> None:
    """Elo beside sep-Elo, and where the largest changes come from, a sentence each."""
    st.header("Elo and sep-Elo compared", anchor=False)
    rows = result.rows.dropna(subset="change")
    above = caption(result, "How separability changes each system's rating", INTERVALS["rating"])
    show_picture("elo-and-sep-elo", Drawing(partial(slopes, result.rows), above), rows)
    for row in (
        rows.loc[rows["change"].abs().sort_values(ascending=False).index].head(TOLD).itertuples()
    ):
        small(f"{row.system}: {row.why}")
