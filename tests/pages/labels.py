"""Labels that tests of several pages look for, as their settings declare them."""

from core.findings.leaderboard.settings import RankSettings
from core.settings import list_settings

RATING_METHOD = list_settings(RankSettings)["method"].label
