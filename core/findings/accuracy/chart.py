"""The chart of accuracy."""

from __future__ import annotations

import pandas as pd

from core.findings.judgements import label_rows
from core.rendering.charts import Drawn, Estimate, Picture, Scale, dots


def accuracies(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """How often each judge is right, highest first: a dot and its interval."""
    shown = label_rows(rows).sort_values("accuracy", ascending=False)
    estimate = Estimate("accuracy", "low", "high", "comparisons")
    return dots(shown, "right answers (a tie is half)", estimate, Scale(reference=0.5), theme=theme)


PICTURE = Picture(
    lambda rows, facts, theme: accuracies(rows, theme=theme),
    "How often each judge is right",
    "accuracy",
)
