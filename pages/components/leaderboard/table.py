"""Parts of the leaderboard page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from core.findings.judgements import Result, Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.leaderboard.chart import BEFORE, interval_of, slopes
from core.labels import several
from core.rendering.charts import Drawing
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import Chosen, Store
from pages.components.shared import tables
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.tables import COUNT, RIGHT, Column

RANKS_HELP = {
    "together": "Holds for all systems together with 95% confidence.",
    "pairwise": "Each two systems by themselves: among many, some are told apart by chance.",
}
HELPS = {
    "Elo": "From the same judgements, without separability",
    "as written": "From the same judgements, whatever length and style",
    "change": "The rating less the column before",
    "regularised": "As if each system had also won half a comparison and lost half. It is finite "
    "for who never lost or never won, and drawn towards the mean (Mease 2003).",
    "both bad": "Of all its comparisons, those in which both texts were called bad, with the 95% "
    "interval over items.",
}
RANKED = {
    "95% ranks": "The ranks it may have. {}",
    "tied with": "Systems that are neither better nor worse at the 95% level. {}",
}
WORDS = ("system", "tied with")
COUNTED = ("judgements", "wins", "losses", "ties")
NAMED = 1  # systems that "tied with" names in a row


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


def show_table(result: Result, shown: Sequence[str], whose: str = "") -> None:
    """The same as numbers, of the systems that are in sight."""
    rows = result.rows[result.rows["system"].isin(shown)]
    share = RATINGS[result.facts["method"]].share
    told = pd.DataFrame(
        {
            "system": rows["system"],
            "rank": rows["rank"].map(_whole),
            "95% ranks": rank_span(rows),
            "rating": [_rating(value, share) for value in rows["rating"]],
            "95% interval": [
                _span(*(_rating(end, share) for end in ends), unknown=np.isnan(ends[0]))
                for ends in rows[["low", "high"]].to_numpy(float)
            ],
            **({"regularised": rows["regularised"].map(_whole)} if "regularised" in rows else {}),
            **_changed(rows),
            **{name: rows[name] for name in COUNTED},
            **_both_bad(rows),
            "tied with": rows["tied_with"].map(_few),
            "all tied with": rows["tied_with"].map(", ".join),
        }
    )
    ranks_help = RANKS_HELP.get(result.facts["resolve"], "")
    columns = {str(name): _column(str(name), ranks_help) for name in told.columns[:-1]}
    tables.show_table(told, columns, f"Ratings of {whose.lower()}" if whose else "Ratings")


def _column(name: str, ranks_help: str) -> Column:
    form = "" if name in WORDS else COUNT if name in COUNTED else RIGHT
    helped = RANKED[name].format(ranks_help) if name in RANKED else HELPS.get(name, "")
    return Column(name, form, helped.strip(), hover="all tied with" if name == "tied with" else "")


def _few(names: Sequence[str]) -> str:
    """Few names, or how many there are."""
    return ", ".join(names) if len(names) <= NAMED else several(len(names), "system")


def _whole(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:,.0f}"


def _rating(value: float, share: bool) -> str:
    """As the rest of the page writes it."""
    if pd.isna(value):
        return "–"
    return f"{100 * value + 0.0:.1f}%" if share else f"{value + 0.0:,.0f}"


def rank_span(rows: pd.DataFrame) -> list[str]:
    """The ranks that each row's system may have: 1 to 4, or 2; a dash where nobody knows."""
    return [_span(*ends) for ends in rows[["rank_low", "rank_high"]].to_numpy()]


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
    above = caption(result, f"What {cause} changes per system", interval_of(result.facts))
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
