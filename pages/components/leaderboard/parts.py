"""The leaderboard of each subset, or of each attribute, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.ranking import RankSettings, breakdown
from core.charts import interval_of
from core.statistics import RATINGS
from core.store import Store
from pages.components.leaderboard.boards import Rated
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import told
from pages.components.shared.first_rows import FIRST
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead
from pages.components.shared.report import foot

HELP = "Rating (95% interval), n answers. The best of each column has a mark (▲)."


def show_parts(study: Study, rated: Rated, by: breakdown.By, shown: Sequence[str]) -> None:
    """A sentence, and a table of systems by subsets or attributes."""
    settings = rated.settings
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    result = None
    with told():
        result = _parts(study.store, (rated.board.selection, settings, by), stamp)
    if result is None:
        return
    lead(breakdown.sentence(result))
    right = st.column_config.TextColumn(alignment="right", help=HELP)
    table = _table(result, by, shown)
    height = "content" if len(table) <= FIRST else "auto"
    st.dataframe(table, column_config=dict.fromkeys(table.columns, right), height=height)
    foot(result, interval_of(result.facts))
    downloads(f"by-{by}", {f"by-{by}": result.rows})


@cached_report("Rating the systems of each part …")
def _parts(store: Store, request: tuple[Selection, RankSettings, breakdown.By]) -> Result:
    return breakdown.breakdown(store, *request)


def _table(result: Result, by: str, shown: Sequence[str]) -> pd.DataFrame:
    share = RATINGS[result.facts["method"]].share
    rows = result.rows.dropna(subset="rating")
    cells = rows.assign(cell=[_cell(row, share) for _, row in rows.iterrows()])
    wide = cells.pivot(index="system", columns=by, values="cell")
    names = [name for name in shown if name in wide.index]
    columns = list(dict.fromkeys(result.rows[by]))
    counts = result.tables["parts"].set_index(by)["judgements"]
    titles = {name: f"{name} (n = {counts[name]:,})" for name in columns}
    return wide.reindex(index=names, columns=columns).fillna("–").rename(columns=titles)


def _cell(row: pd.Series, share: bool) -> str:
    def value(number: float) -> str:
        return f"{100 * number + 0.0:.0f}" if share else f"{number + 0.0:,.0f}"

    unit = "%" if share else ""
    ends = "" if pd.isna(row["low"]) else f" ({value(row['low'])} to {value(row['high'])})"
    best = "▲ " if row["rank"] == 1 else ""
    return f"{best}{value(row['rating'])}{unit}{ends}, n = {row['judgements']:,}"
