"""The picture of a finding: the one it names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from ..findings import chart as charts
from ..findings.agreement import chart as agreement
from ..findings.budget import chart as budget
from ..findings.judgements import Finding
from ..findings.leaderboard import chart as leaderboard
from ..findings.separability import chart as separability
from ..labels import pluralize
from ..records import TandemError
from ..rendering import describe_intervals
from ..rendering.charts import Caption, CaptionedChart, Drawn

PICTURES = {
    "accuracy": charts.ACCURACY_PICTURE,
    "agreement": agreement.PICTURE,
    "probes": charts.PROBES_PICTURE,
    "bias": charts.BIAS_PICTURE,
    "budget": budget.PICTURE,
    "combine": charts.COMBINE_PICTURE,
    "consistency": separability.CONSISTENCY_PICTURE,
    "correlation": charts.CORRELATION_PICTURE,
    "lab": charts.LAB_PICTURE,
    "leaderboard": leaderboard.PICTURE,
    "over_time": leaderboard.OVER_TIME,
    "plan": charts.PLAN_PICTURE,
    "separability": separability.PICTURE,
    "share": charts.SHARED_WORK_PICTURE,
}
"""The pictures that findings name."""


def draw_named(name: str, rows: pd.DataFrame, facts: Mapping[str, Any], *, theme: str) -> Drawn:
    """Draw the picture of that name. Another process can be asked for it, as no lambda can be."""
    return PICTURES[name].draw(rows, facts, theme)


def caption_picture(finding: Finding) -> CaptionedChart:
    """Return the picture that a finding names, with a caption. Raises TandemError if it names no
    picture.
    """
    if not finding.picture:
        names = ", ".join(map(str, finding.rows.columns))
        raise TandemError(f"there is no chart of rows of {names}")
    picture = PICTURES[finding.picture]
    number = pluralize(finding.judgements, picture.answers_are)
    if not finding.judgements:
        number = pluralize(len(finding.rows), "case")
    if picture.computed:
        interval = picture.computed.caption
    elif picture.table:
        interval = finding.describe_table(picture.table)
    else:
        shown = [column for column in finding.columns if column.name == picture.interval]
        interval = describe_intervals(finding.rows, shown)
    rows = finding.tables[picture.table] if picture.table else finding.rows
    caption = Caption(picture.title, number, interval, finding.signature)
    return CaptionedChart(partial(picture.draw, rows, finding.facts), caption)


def draw_finding(finding: Finding, *, theme: str = "light") -> Drawn:
    """Draw the picture that a finding names, with its caption."""
    return caption_picture(finding).draw_captioned(theme)
