"""Information a rating method needs about comparisons, beyond the winner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from ...store import Store
from ..judgements import Selection
from .settings import RankSettings

Trait = Literal["metrics", "sorts", "texts"]
"""What the judgements of a data set may have: measured similarities, finished sorts, texts that
can be compared."""


@dataclass(frozen=True)
class PreparedComparisons:
    """Comparisons with the columns of a need, without those for which it is unknown. `signed` are
    its signature values, `fixed` the system whose rating is a convention, and `details` the content
    of further tables.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    signed: Mapping[str, object] = field(default_factory=dict)
    fixed: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Need:
    """Need that a method names in its `needs`. `prepare` adds it to comparisons, and raises
    TandemError if it is unknown. `read` passes it to the method's `rate` as arguments. Pages offer
    the method if the judgements have what it `requires`. `remove` undoes a correction; ratings
    without it are then shown beside.
    """

    name: str
    read: Callable[[pd.DataFrame, RankSettings], Mapping[str, Any]]
    prepare: Callable[[Store, Selection, pd.DataFrame, RankSettings], PreparedComparisons] = (
        lambda store, selection, frame, settings: PreparedComparisons(frame)
    )
    requires: Trait | None = None
    remove: Callable[[pd.DataFrame], pd.DataFrame] | None = None
