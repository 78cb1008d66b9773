"""What lies behind the trust in judges, one view at a time, each computed when it is asked for."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.calibration import CalibrateSettings, calibration
from core.findings.calibration.chart import draw_reliability
from core.findings.judgements import Finding, Selection
from core.findings.judges import duration
from core.findings.jury import jury
from core.findings.jury.chart import draw_discriminations
from core.findings.leaderboard import RankSettings
from core.findings.replacement.chart import advantages
from core.rendering.charts import CaptionedChart
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.faults import told
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.together.choices import CombinedJudges

REPLACING, CALIBRATION, JURY = "An annotator's place", "Calibration", "Jury"


def show_closer(study: Study, chosen: CombinedJudges, replacing: Finding | None) -> None:
    """A choice of views, none to begin with."""
    views = [REPLACING, CALIBRATION, JURY] if replacing else [CALIBRATION, JURY]
    view = st.segmented_control("Look closer", views, key="trust closer")
    with told():
        if view == REPLACING and replacing:
            _show_replacing(replacing)
        elif view == CALIBRATION:
            _show_calibration(
                _calibrated(study.store, (chosen.selection, chosen.against), study.judgements_stamp)
            )
        elif view == JURY:
            _show_jury(_jury(study.store, chosen.with_people, study.judgements_stamp))


def _show_replacing(result: Finding) -> None:
    for sentence in result.facts["sentences"]:
        small(sentence)
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
            several(len(of), "annotator"),
        )  # fmt: skip
        show_picture("together-annotators", CaptionedChart(drawn, above), of)
    foot(result, result.describe_table("annotators"))


@cached_report("Holding probabilities against votes …")
def _calibrated(store: Store, request: tuple[Selection, str]) -> Finding:
    selection, against = request
    return calibration(store, selection, CalibrateSettings(against=against))


def _show_calibration(result: Finding) -> None:
    for sentence in result.facts["sentences"]:
        small(sentence)
    bins = result.tables["bins"]
    above = caption(result, "What judges say, and what people say", result.describe_table("bins"))
    drawn = partial(draw_reliability, bins)
    show_picture("together-calibration", CaptionedChart(drawn, above), bins)
    foot(result, result.interval)


@cached_report("Calling the jury …", duration.seconds)
def _jury(store: Store, selection: Selection) -> Finding:
    return jury(store, selection, RankSettings(method="jury"))


def _show_jury(result: Finding) -> None:
    for sentence in result.facts["sentences"]:
        small(sentence)
    rows = result.tables["judges"]
    interval = result.describe_table("judges")
    above = caption(result, "How closely each judge follows the jury", interval)
    show_picture("together-jury", CaptionedChart(partial(draw_discriminations, rows), above), rows)
    foot(result, interval)
