"""What a run's answers are computed on, noted each time it is taken up."""

from __future__ import annotations

from typing import Any

from core.models import Respondent
from core.pairing import versions
from core.store import RunRow, Store


def load(store: Store, run: RunRow, respondent: Respondent[Any, Any]) -> int:
    """Get whoever answers ready, and note the hardware and versions: the row of this execution."""
    respondent.load()
    return store.runs.began(run.id, *respondent.hardware, versions())
