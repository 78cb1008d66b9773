"""The chart of accuracy."""

from core.findings.accuracy.columns import ACCURACY
from core.findings.judgements.chart import picture_judges

PICTURE = picture_judges(
    "How often each judge is right", "right answers (a tie is half)", ACCURACY, "comparisons"
)
