"""Trust in each judge: accuracy by people's votes and consistency with itself. Details follow one
view at a time, each computed on request.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.findings.calibration import CalibrateSettings, calibration
from core.findings.calibration.chart import draw_reliability
from core.findings.judgements import Finding, Selection, label_rows, unless_refused
from core.findings.judges import (
    MEASURES,
    RIGHT,
    describe_unlabelled,
    judges,
    name_measure,
)
from core.findings.judges.chart import scatter
from core.findings.jury import jury
from core.findings.jury.chart import draw_discriminations
from core.findings.leaderboard import RankSettings
from core.findings.replacement import VERDICT, ReplaceSettings, replacement
from core.findings.replacement.chart import advantages
from core.labels import pluralize
from core.rendering import describe_intervals
from core.rendering.charts import AxisScale, EstimateColumns, dots
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import WIDE, choose_measure
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import first_names, show_rows
from pages.components.together.choices import CombinedJudges

_calibration = cached_report("Holding probabilities against votes …")(calibration)


HELP = """**Right**: as most people say, or the gold labels. **Same in both orders**: the judge
keeps its verdict when texts change places. **Three texts agree**: A over B, B over C, so A over C.
**Discrimination**: how closely a judge follows what all judges together say; 1 is the average.
Only the first says whether a judge is right: one that always takes the longer text never
contradicts itself."""
KEYS = ["judge", "attribute"]
PLACE = replace(VERDICT, label="an annotator's place", help="The alternative annotator test")


class Trust(NamedTuple):
    """Statistics of the judges and, where people voted, whether a judge may replace an
    annotator.
    """

    measured: Finding
    replacing: Finding | None


def show_trust(study: Study, chosen: CombinedJudges) -> None:
    """Show how far to trust judges, in a sentence, chart and table, and offer closer views."""
    if not chosen.judged:
        return
    st.header("How far can each judge be trusted?", anchor=False, help=HELP)
    with show_faults():
        found = _trust(study.store, chosen, study.scores_stamp)
        rows = _table(found)
        if rows.empty:
            show_caption("Nothing is known of these judges yet: let them answer more pairs.")
            return
        unlabelled = " ".join(
            [describe_unlabelled(rows, voted=chosen.voted), *found.measured.facts["cautions"]]
        )
        show_headline(found.measured.facts["right"] or unlabelled)
        names = first_names(rows["label"].tolist(), "judge", "trust")
        rows = rows[rows["label"].isin(names)]
        _show_picture(found, rows)
        columns = [column for column in found.measured.columns if column.name in rows]
        if "verdict" in rows and rows[RIGHT.name].notna().any():
            columns.append(PLACE)
        show_rows(rows, columns, "How far each judge can be trusted")
        show_closer(study, chosen, found.replacing)


@cached_report("Comparing judges …", lane=SLOW)
def _trust(store: Store, chosen: CombinedJudges) -> Trust:
    selection = chosen.selection
    return Trust(
        judges(store, selection, chosen.kind.value),
        unless_refused(partial(replacement, store, selection, ReplaceSettings(chosen.people))),
    )


def _table(found: Trust) -> pd.DataFrame:
    """Return a row for each judge and attribute, those most often right first."""
    rows = label_rows(found.measured.rows)
    if found.replacing is not None:
        rows = rows.merge(found.replacing.rows[[*KEYS, "verdict"]], how="left", on=KEYS)
    best = [RIGHT.name, *MEASURES]
    return rows.sort_values(best, ascending=False, na_position="last", kind="stable")


def _show_picture(found: Trust, rows: pd.DataFrame) -> None:
    """Show judges as points if people voted and several can be compared; else as dots."""
    is_right = rows[RIGHT.name].notna()
    held = [name for name in MEASURES if (rows[name].notna() & is_right).sum() > 1]
    if held:
        measure = MEASURES[choose_measure(held)]
        points = rows.dropna(subset=[measure.name, RIGHT.name])
        title, of = (
            "Judges without labels, and how often they are right",
            pluralize(len(points), "judge"),
        )
        above = caption(found.measured, title, describe_intervals(points, (measure, RIGHT)), of)
        show_picture("together-trust", partial(scatter, points, measure), above, points)
        return
    column = next(one for one in (RIGHT, *MEASURES.values()) if rows[one.name].notna().any())
    title = "right answers (a tie is half)" if column is RIGHT else name_measure(column)
    scale = AxisScale(reference=0.5)
    if column.name == "discrimination":
        scale = AxisScale(None, column.unit.form, 1.0)
    [counted] = [one for one in found.measured.columns if one.name == f"{column.name}_n"]
    drawn = partial(
        dots, rows, column.label, EstimateColumns.from_name(column.name, counted.name), scale
    )
    number = f"{rows[counted.name].sum():,.0f} {counted.label}"
    title = f"{title[:1].upper()}{title[1:]}"
    above = caption(found.measured, title, describe_intervals(rows, (column,)), number)
    show_picture("together-trust", drawn, above, rows)


REPLACING, CALIBRATION, JURY = "An annotator's place", "Calibration", "Jury"


def show_closer(study: Study, chosen: CombinedJudges, replacing: Finding | None) -> None:
    """Offer views, none shown at first, and show the chosen one."""
    views = [REPLACING, CALIBRATION, JURY] if replacing else [CALIBRATION, JURY]
    view = st.segmented_control("Look closer", views, key="trust closer")
    with show_faults():
        if view == REPLACING and replacing:
            _show_replacing(replacing)
        elif view == CALIBRATION:
            request = chosen.selection, CalibrateSettings(against=chosen.kind.value)
            _show_calibration(_calibration(study.store, request, study.judgements_stamp))
        elif view == JURY:
            _show_jury(_jury(study.store, chosen.with_people, study.judgements_stamp))


def _show_replacing(result: Finding) -> None:
    for sentence in result.facts["sentences"]:
        show_caption(sentence)
    each = result.tables["annotators"]
    tested = each[each["tested"]]
    if len(tested):
        pairs = tested[["judge", "attribute"]].drop_duplicates()
        names = [f"{judge} · {about}" for judge, about in pairs.itertuples(index=False)]
        name = names[0]
        if len(names) > 1:
            name = str(st.selectbox("Judge", names, key="replacing", width=2 * WIDE))
        judge, attribute = pairs.iloc[names.index(name)]
        of = tested[(tested["judge"] == judge) & (tested["attribute"] == attribute)]
        drawn = partial(advantages, of, result.facts["epsilon"])
        above = caption(
            result, f"{judge} against each annotator", result.describe_table("annotators"),
            pluralize(len(of), "annotator"),
        )  # fmt: skip
        show_picture("together-annotators", drawn, above, of)
    foot(result, result.describe_table("annotators"))


def _show_calibration(result: Finding) -> None:
    for sentence in result.facts["sentences"]:
        show_caption(sentence)
    bins = result.tables["bins"]
    above = caption(result, "What judges say, and what people say", result.describe_table("bins"))
    drawn = partial(draw_reliability, bins)
    show_picture("together-calibration", drawn, above, bins)
    foot(result, result.interval)


@cached_report("Calling the jury …", lane=SLOW)
def _jury(store: Store, selection: Selection) -> Finding:
    return jury(store, selection, RankSettings(method="jury"))


def _show_jury(result: Finding) -> None:
    for sentence in result.facts["sentences"]:
        show_caption(sentence)
    rows = result.tables["judges"]
    interval = result.describe_table("judges")
    above = caption(result, "How closely each judge follows the jury", interval)
    show_picture("together-jury", partial(draw_discriminations, rows), above, rows)
    foot(result, interval)
