"""The judges whose answers a data set is about, unless others are chosen."""

from __future__ import annotations

import pandas as pd

from ...records import Kind, choose_voting_kind


def choose_usual_judges(comparers: pd.DataFrame) -> tuple[str, ...]:
    """Choose people where there are any, else simulated annotators, language models, gold labels,
    or the first baseline that does not toss coins. `comparers` have judge and kind.
    """
    kinds = set(comparers["kind"])
    for kind in (choose_voting_kind(kinds), Kind.LLM, Kind.GOLD):
        if kind in kinds:
            return (kind.value,)
    names = sorted(comparers["judge"], key=lambda name: (name.startswith("baseline:random"), name))
    return tuple(names[:1]) or (Kind.HUMAN.value,)
