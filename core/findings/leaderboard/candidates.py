"""The candidates of each item, ranked among themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...records import TandemError, option_ref
from ...statistics import (
    Drawing,
)
from ...store import Store
from ..judgements import (
    Finding,
    Selection,
)
from . import method_choice
from .columns import declare_columns
from .fitted_board import make_rows, rate_frame
from .rating_input import (
    GENERATIONS,
    prepare_comparisons,
    sign_ranking,
)
from .settings import RankSettings


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Rate the candidates of each item among themselves: a leaderboard of texts."""
    if settings.rating_method.learns:
        raise TandemError(
            f"{option_ref('method')} {settings.method} learns from all items "
            f"{settings.rating_method.learns}, so it rates systems only: rank systems, or use "
            "another method"
        )
    comparisons = prepare_comparisons(store, selection, settings)
    choice = method_choice.choose_method_by(comparisons.frame, "item", GENERATIONS)
    asked, settings = settings.method, settings.with_method(choice)
    answers = dict(list(comparisons.answers.groupby("item", sort=False)))
    parts, apart = [], 0
    nothing = Drawing(np.random.default_rng(selection.seed), 0)
    for item, of_item in comparisons.frame.groupby("item", sort=False):
        names = np.unique(of_item[list(GENERATIONS)])
        board = rate_frame(of_item, GENERATIONS, names, nothing, settings)
        parts.append(make_rows(names, board, answers[item], GENERATIONS).assign(item=item))
        apart += not board.connected
    rows = pd.concat(parts).rename(columns={"name": "generation"})
    known = store.datasets.generations(selection.dataset, texts=False)[
        ["generation", "system", "sample"]
    ]
    rows = rows.merge(known, on="generation")
    note = (
        f"In {apart} of {len(parts)} items some candidates are not linked by comparisons."
        if apart
        else ""
    )
    return Finding(
        rows,
        sign_ranking(selection, settings, comparisons) + "|by:candidate",
        comparisons.used,
        comparisons.unanswered,
        [*comparisons.notes, *([note] if note else [])],
        {"connected": apart == 0, **method_choice.list_facts(choice, asked)},
        columns=declare_columns(settings.method, None),
        picture="leaderboard",
    )
