"""Samples that are all alike: of a judge that may be sure, and more likely does not sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...store import JudgementRows, Store

CertainRows = Annotated[pd.DataFrame, get_schema(JudgementRows).extend({str: "family"})]


def drop_certainty(store: Store, frame: pd.DataFrame) -> CertainRows:
    """Drop the probabilities of judges whose sampled votes always agree, from judgements (judge,
    prob_a). A share of 0 or 1 repeats their decision, and is no measure of certainty.
    """
    hidden = frame["judge"].isin(store.judges.unanimous())
    return frame.assign(prob_a=frame["prob_a"].where(~hidden, np.nan)) if hidden.any() else frame


def note_unanimity(store: Store, judges: Iterable[str]) -> tuple[str, ...]:
    """Note the judges whose probabilities are left out."""
    names = [name for name in store.judges.unanimous() if name in set(judges)]
    return tuple(
        f"{name}: all sampled votes agree in every comparison, so they count without "
        "probabilities. Perhaps it does not sample at all."
        for name in names
    )


def note_equal_texts(store: Store, dataset: str, systems: Iterable[str]) -> list[str]:
    """Note the systems whose texts are equal within every item."""
    alike = store.generated_texts.count_identical(dataset)
    return [
        f"{name}: its texts are the same within each of {alike[name]:,} items. Perhaps it was not "
        "sampled at all, and its self-alignment says nothing."
        for name in alike
        if name in set(systems)
    ]
