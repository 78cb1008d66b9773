"""The chart of accuracy."""

from ..judgements.chart import picture_judges
from . import ACCURACY

PICTURE = picture_judges(
    "How often each judge is right", "right answers (a tie is half)", ACCURACY, "comparisons"
)
