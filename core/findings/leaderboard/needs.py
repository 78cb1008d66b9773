"""The registry of what rating methods need, and what a method is given of comparisons. To add a
need, declare it in a file and name it here.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...statistics import Method
from .controls import CONTROL
from .jury import JUDGE
from .length_control import LENGTH
from .need import Need
from .sep_elo import SEPARABILITY
from .settings import RankSettings
from .sort_rankings import SHARE

NEEDS: dict[str, Need] = {need.name: need for need in (SEPARABILITY, CONTROL, LENGTH, JUDGE, SHARE)}


def list_needs(how: Method) -> list[Need]:
    """List the needs of a method."""
    return [NEEDS[name] for name in how.needs]


def list_arguments(settings: RankSettings, frame: pd.DataFrame) -> dict[str, Any]:
    """List the arguments of the method beyond these comparisons, by name."""
    given: dict[str, Any] = {
        "position": settings.position_term,
        "decisions": not settings.takes_probabilities(frame),
    }
    own = {
        name: given[name] if name in given else getattr(settings, name)
        for name in settings.rating_method.takes
    }
    for need in list_needs(settings.rating_method):
        own |= need.read(frame, settings)
    return own
