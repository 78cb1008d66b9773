"""The leaderboard of each subset, or of each attribute, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core import rendering
from core.findings.judgements import Finding
from core.findings.leaderboard import breakdown, declare_rating, rank_by_attribute
from core.findings.leaderboard.chart import side_by_side
from pages.components.leaderboard.boards import RatedBoard
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_written

_on_each = cached_report("Ranking the systems on all attributes at once …")(rank_by_attribute)
_parts = cached_report("Rating the systems of each part …")(breakdown.breakdown)

HELP = "Rating (95% interval), n answers. The best of each column has a mark (▲)."
ALL = "all together"


def show_parts(study: Study, rated: RatedBoard, by: breakdown.By, shown: Sequence[str]) -> None:
    """Show a sentence, the boards of subsets or attributes side by side, and their figures."""
    settings = rated.settings
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    selection, result = rated.board.selection, None
    with show_faults():
        result = _parts(study.store, (selection, settings, by), stamp)
    if result is None:
        return
    show_headline(breakdown.describe_breakdown(result))
    place = {name: number for number, name in enumerate(shown)}
    rows = result.rows[result.rows["system"].isin(shown)]
    rows = rows.sort_values("system", key=lambda names: names.map(place), kind="stable")
    above = caption(result, f"How good each system is, by {by}", result.interval)
    method = result.facts["method"]
    show_picture(f"by-{by}", partial(side_by_side, rows, method, by), above, rows)
    with st.expander("As a table"):
        show_written(_table(result, by, shown), f"Ratings by {by}", HELP)
    if by == "attribute":
        with show_faults():
            every = _on_each(study.store, (selection, settings), stamp)
            _show_ranks(every, list(dict.fromkeys(result.rows["attribute"])), shown)
    foot(result, result.interval, name=f"by-{by}-all", tables={f"by-{by}": result.rows})


def _show_ranks(result: Finding, attributes: Sequence[str], shown: Sequence[str]) -> None:
    pairwise = result.facts["resolve"] == "pairwise"
    rows = result.rows.assign(attribute=result.rows["attribute"].fillna(ALL))
    [ranks] = [column for column in result.columns if column.name == "rank"]
    rows = rows.assign(ranks=[ranks.write_range(row) for row in rows.to_dict("records")])
    with st.expander("Ranks on all attributes at once"):
        show_caption(
            "Ranks compare two systems at a time: among many, some are told apart by chance."
            if pairwise
            else "With 95% confidence all of these hold at once, on every attribute."
        )
        table = _lay_across(rows, "attribute", "ranks", [ALL, *attributes], shown)
        show_written(table, "Ranks by attribute")
        downloads("ranks-by-attribute", {"ranks-by-attribute": rows.drop(columns="ranks")})


def _table(result: Finding, by: str, shown: Sequence[str]) -> pd.DataFrame:
    rating = declare_rating(result.facts["method"])
    rows = result.rows.dropna(subset="rating")
    cells = rows.assign(
        cell=[
            f"{'▲ ' if row['rank'] == 1 else ''}{rating.write_with_range(row)}, "
            f"n = {rendering.COUNT.write(row['judgements'])}"
            for row in rows.to_dict("records")
        ]
    )
    columns = list(dict.fromkeys(result.rows[by]))
    counts = result.tables["parts"].set_index(by)["judgements"]
    titles = {name: f"{name} (n = {counts[name]:,})" for name in columns}
    return _lay_across(cells, by, "cell", columns, shown).rename(columns=titles)


def _lay_across(
    rows: pd.DataFrame, by: str, cells: str, columns: Sequence[str], shown: Sequence[str]
) -> pd.DataFrame:
    """Return a row for each system in sight, with its cell in each of the columns."""
    wide = rows.pivot(index="system", columns=by, values=cells)
    names = [name for name in shown if name in wide.index]
    return wide.reindex(index=names, columns=columns).fillna("–").reset_index()
