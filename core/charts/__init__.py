"""Result frames become altair charts, in one palette."""

from core.charts import attacks, budget, calibration, separability, theme, together, trust
from core.charts.captions import Caption, Drawing, captioned
from core.charts.leaderboard import (
    BEFORE,
    interval_of,
    matches,
    over_time,
    ratings,
    records,
    side_by_side,
    slopes,
)
from core.charts.results import drawn, labelled
from core.charts.separability import BOUNDS, MOST_PAIRS, OF_SETS, SCENARIOS
from core.charts.theme import PALETTES, Drawn, picture
from core.charts.trust import MOST_ROWS, Estimate, Scale, among, named

__all__ = [
    "BEFORE",
    "BOUNDS",
    "MOST_PAIRS",
    "MOST_ROWS",
    "OF_SETS",
    "PALETTES",
    "SCENARIOS",
    "Caption",
    "Drawing",
    "Drawn",
    "Estimate",
    "Scale",
    "among",
    "attacks",
    "budget",
    "calibration",
    "captioned",
    "drawn",
    "interval_of",
    "labelled",
    "matches",
    "named",
    "over_time",
    "picture",
    "ratings",
    "records",
    "separability",
    "side_by_side",
    "slopes",
    "theme",
    "together",
    "trust",
]
