"""Works: what a run can do, by the name of its task."""

from __future__ import annotations

from typing import Any

from .answering import Answering
from .compare import Comparing
from .generate import TextSampling
from .measure import Measuring
from .probe import Probing
from .score import Marking

Work = Answering[Any, Any]

WORKS: dict[str, type[Work]] = {
    "compare": Comparing,
    "score": Marking,
    "generate": TextSampling,
    "measure": Measuring,
    "attack": Probing,  # as stores of 1.0 call it
}
"""The works by task. Each is made from a store, a run of it and, optionally, the respondent to use
instead of the stored one.
"""
