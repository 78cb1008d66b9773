"""The picture of a finding: the one it names."""

from __future__ import annotations

from ..findings.accuracy import chart as accuracy
from ..findings.agreement import chart as agreement
from ..findings.attacks import chart as attacks
from ..findings.bias import chart as bias
from ..findings.budget import chart as budget
from ..findings.calibration import chart as calibration
from ..findings.combine import chart as combine
from ..findings.correlation import chart as correlation
from ..findings.judgements import Finding
from ..findings.leaderboard import chart as leaderboard
from ..findings.plan import chart as plan
from ..findings.replacement import chart as replacement
from ..findings.separability import chart as separability
from ..labels import pluralize
from ..records import TandemError
from ..rendering import describe_intervals
from ..rendering.charts import (
    Caption,
    Drawn,
    Picture,
    add_caption,
)

PICTURES = {
    "accuracy": accuracy.PICTURE,
    "agreement": agreement.PICTURE,
    "attacks": attacks.PICTURE,
    "bias": bias.PICTURE,
    "budget": budget.PICTURE,
    "calibration": calibration.PICTURE,
    "combine": combine.PICTURE,
    "consistency": separability.CONSISTENCY_PICTURE,
    "correlation": correlation.PICTURE,
    "leaderboard": leaderboard.PICTURE,
    "over_time": leaderboard.OVER_TIME,
    "plan": plan.PICTURE,
    "replacement": replacement.PICTURE,
    "separability": separability.PICTURE,
}
"""The pictures that findings name."""


def draw_finding(finding: Finding, *, theme: str = "light") -> Drawn:
    """Draw the picture that a finding names, with a caption. Raises TandemError if it names no
    picture.
    """
    if not finding.picture:
        names = ", ".join(map(str, finding.rows.columns))
        raise TandemError(f"there is no chart of rows of {names}")
    picture = PICTURES[finding.picture]
    answers = finding.judgements
    number = pluralize(answers, picture.answers_are)
    if not answers:
        number = pluralize(len(finding.rows), "case")
    caption = Caption(picture.title, number, _describe(finding, picture), finding.signature)
    rows = finding.tables[picture.table] if picture.table else finding.rows
    return add_caption(picture.draw(rows, finding.facts, theme), caption)


def _describe(finding: Finding, picture: Picture) -> str:
    """Describe the intervals that a picture shows."""
    if picture.computed:
        return picture.computed.caption
    if picture.table:
        return finding.describe_table(picture.table)
    shown = [column for column in finding.columns if column.name == picture.interval]
    return describe_intervals(finding.rows, shown)
