"""Costs of what judges answer: money and seconds a pair, from stored runs."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from ...store import Store
from ..budget import estimate_spending
from ..combine import AnsweredPairs
from ..judgements import Selection, orient, select_answered
from ..judgements.verdicts import PAIR
from .signals import Sureness


def measure_costs(store: Store, selection: Selection, every: AnsweredPairs) -> pd.DataFrame:
    """Measure what a pair costs each judge (the index)."""
    frame, _ = select_answered(store, replace(selection, judges=tuple(every.names)))
    found = {}
    for name, answered in orient(frame).groupby("judge"):
        spent = estimate_spending(store, selection.dataset, answered, people=False)
        each = len(answered) / len(answered.drop_duplicates(PAIR))
        found[name] = {"money": each * spent.money, "seconds": each * spent.seconds}
    rows = pd.DataFrame.from_dict(found, orient="index", columns=["money", "seconds"])
    return rows.astype(float)


def add_group_costs(costs: pd.DataFrame, sureness: Sureness) -> pd.DataFrame:
    """Add up what a pair costs the judges that answer as one."""
    found = [costs.loc[list(names)].sum(skipna=False) for names in sureness.list_members()]
    return pd.DataFrame(found, index=pd.Index(sureness.names))
