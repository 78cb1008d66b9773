"""Parts of the leaderboard page."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, choose_columns, leaderboard
from core.findings.leaderboard.chart import slopes
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import ChosenGenerations
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.picture import caption, show_picture

_leaderboard = cached_report("Rating the systems …")(leaderboard)


def compute(
    study: Study, selection: Selection, settings: RankSettings, otherwise: Any = None
) -> Any:
    """Compute the leaderboard, again only when its data has changed."""
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    if settings.separability:
        metric = make_metric(settings.separability, encoder=settings.encoder)
        stamp += str(
            study.store.similarities.extent(
                metric.signatures[metric.name], ChosenGenerations(selection.dataset)
            )
        )
    return _leaderboard(study.store, (selection, settings), stamp, otherwise)


TOLD = 12  # systems whose change is described in a sentence


def show_changes(result: Finding) -> None:
    """Show ratings without and with separability, or at equal style or length.

    The largest changes follow, one line each.
    """
    rows = result.rows.dropna(subset="change")
    rows = rows.loc[rows["change"].abs().sort_values(ascending=False).index]
    method = result.facts["method"]
    share = RATINGS[method].share
    cause = "separability" if "elo" in rows else "equal length" if share else "equal style"
    above = caption(result, f"What {cause} changes per system", result.interval)
    show_picture("changes", partial(slopes, result.rows, method=method), above, rows)
    for row in rows.head(TOLD).to_dict("records"):
        show_caption(f"{row['system']}: {row.get('why') or _describe_change(row, method, cause)}")


def _describe_change(row: dict[Any, Any], method: str, cause: str) -> str:
    names = ("rating", "uncontrolled", "change")
    rating, plain, change = (column.unit for column in choose_columns(method, *names))
    ends = change.write_range(row["change_low"], row["change_high"])
    interval = "" if pd.isna(row["change_low"]) else f" (95% interval {ends})"
    return (
        f"{plain.write(row['uncontrolled'])} as written, {rating.write(row['rating'])} at {cause}: "
        f"{change.write(row['change'])}{interval}."
    )
