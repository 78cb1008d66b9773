"""Parts of the leaderboard page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.ranking import RankSettings, leaderboard
from core.charts import BEFORE, Drawing, slopes
from core.labels import INTERVALS
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import Chosen, Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.first_rows import FIRST
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.picture import caption, show_picture

RANKS_HELP = {
    "together": "Holds for all systems together with 95% confidence.",
    "pairwise": "Each two systems by themselves: among many, some are told apart by chance.",
}
BOTH_BAD_HELP = """Of all its comparisons, those in which both texts were called bad, with the 95%
interval over items."""


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


def show_table(result: Result, shown: Sequence[str]) -> None:
    """The same as numbers, of the systems that are in sight."""
    rows = result.rows[result.rows["system"].isin(shown)]
    share = RATINGS[result.facts["method"]].share
    ranks_help = RANKS_HELP.get(result.facts["resolve"], "")
    table = pd.DataFrame(
        {
            "rank": rows["rank"].map(_whole),
            "95% ranks": [_span(*ends) for ends in rows[["rank_low", "rank_high"]].to_numpy()],
            "system": rows["system"],
            "rating": [_rating(value, share) for value in rows["rating"]],
            "95% interval": [
                _span(*(_rating(end, share) for end in ends), unknown=np.isnan(ends[0]))
                for ends in rows[["low", "high"]].to_numpy(float)
            ],
            **_changed(rows),
            **{name: rows[name] for name in ("judgements", "wins", "losses", "ties")},
            **_both_bad(rows),
            "tied with": rows["tied_with"].map(", ".join),
        }
    )
    number = st.column_config.NumberColumn(format="localized")
    right = st.column_config.TextColumn(alignment="right")
    plain = ("system", "tied with", "judgements", "wins", "losses", "ties")
    st.dataframe(
        table,
        hide_index=True,
        height="content" if len(table) <= FIRST else "auto",
        column_config={
            **{name: right for name in table if name not in plain},
            **dict.fromkeys(("judgements", "wins", "losses", "ties"), number),
            "95% ranks": st.column_config.TextColumn(
                alignment="right", help=f"The ranks it may have. {ranks_help}"
            ),
            "Elo": st.column_config.TextColumn(
                alignment="right", help="From the same judgements, without separability"
            ),
            "as written": st.column_config.TextColumn(
                alignment="right", help="From the same judgements, whatever length and style"
            ),
            "change": st.column_config.TextColumn(
                alignment="right", help="The rating less the column before"
            ),
            "both bad": st.column_config.TextColumn(alignment="right", help=BOTH_BAD_HELP),
            "tied with": st.column_config.TextColumn(
                help=f"Systems that are neither better nor worse at the 95% level. {ranks_help}",
            ),
        },
    )


def _whole(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:,.0f}"


def _rating(value: float, share: bool) -> str:
    """As the rest of the page writes it."""
    if pd.isna(value):
        return "–"
    return f"{100 * value + 0.0:.1f}%" if share else f"{value + 0.0:,.0f}"


def _span(low: Any, high: Any, *, unknown: bool = False) -> str:
    """1 to 4, or 2 where both ends are."""
    if unknown or pd.isna(low):
        return "–"
    return f"{low}" if low == high else f"{low} to {high}"


def _changed(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """The rating without what the method takes into account, and what that changes."""
    before = [name for name in BEFORE if name in rows]
    if not before:
        return {}
    change = rows["change"].round() + 0.0  # never -0
    told = {BEFORE[name][0]: rows[name].map(_whole) for name in before}
    return {**told, "change": change.map(_signed)}


def _signed(value: float) -> str:
    """A difference: +5, -3, 0."""
    if pd.isna(value):
        return "–"
    return f"{value:+,.0f}" if value else "0"


def _both_bad(rows: pd.DataFrame) -> dict[str, list[str]]:
    """How often a system's comparisons were called both bad, where anybody ever said so."""
    if rows["both_bad_share"].isna().all():
        return {}
    figures = rows[["both_bad_share", "both_bad_low", "both_bad_high"]].to_numpy(float)
    return {
        "both bad": [
            f"{100 * share:.0f}% ({100 * low:.0f} to {100 * high:.0f})"
            for share, low, high in figures
        ]
    }


TOLD = 12  # systems whose change is told in a sentence


def show_changes(result: Result) -> None:
    """Ratings without and with separability, or at equal style; and the largest changes, a line
    each.
    """
    rows = result.rows.dropna(subset="change")
    rows = rows.loc[rows["change"].abs().sort_values(ascending=False).index]
    cause = "separability" if "elo" in rows else "equal style"
    above = caption(result, f"What {cause} changes per system", INTERVALS["rating"])
    show_picture("changes", Drawing(partial(slopes, result.rows), above), rows)
    for row in rows.head(TOLD).to_dict("records"):
        small(f"{row['system']}: {row.get('why') or _moved(row)}")


def _moved(row: dict[Any, Any]) -> str:
    ends = f"{row['change_low'] + 0.0:+,.0f} to {row['change_high'] + 0.0:+,.0f}"
    interval = "" if pd.isna(row["change_low"]) else f" (95% interval {ends})"
    return (
        f"{row['uncontrolled']:,.0f} as written, {row['rating']:,.0f} at equal style: "
        f"{_signed(round(row['change']))}{interval}."
    )
