"""Judges as what they are made of: a model, asked with a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import pandas as pd

from ...frames import Schema
from ...judging import list_unusual_settings
from ...rendering import list_names
from ...store import Store
from .judge_columns import ASKED_ALIKE

DescribedRows = Annotated[pd.DataFrame, Schema({str: "judge model kind mode prompt"}, is_open=True)]

ASKED = list_names(ASKED_ALIKE)
"""What does not differ where a mean over prompts is taken: what else can change an answer is not
averaged away.
"""


def add_judge_info(store: Store, rows: pd.DataFrame) -> DescribedRows:
    """Rows about a `judge` with its model (its SPEC, else its name), kind, mode, and prompt
    (name@version, None without).
    """
    about = store.judges.load_all().set_index("judge").reindex(rows["judge"]).set_index(rows.index)
    model = about["spec"].where(about["spec"].fillna("") != "", rows["judge"])
    mode, prompt = (
        about[name].astype(object).where(about[name].notna(), None) for name in ("mode", "prompt")
    )
    return rows.assign(model=model, kind=about["kind"], mode=mode.replace("", None), prompt=prompt)


def group_prompts(
    store: Store, rows: pd.DataFrame, keys: Sequence[str]
) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """For each model that was asked in the same way with several prompts: ASKED and the other keys,
    and its rows.
    """
    prompted = rows[rows["prompt"].notna()]
    settings = [list_unusual_settings(store.judges.spec(judge)) for judge in prompted["judge"]]
    by = prompted.assign(mode=prompted["mode"].fillna(""), settings=settings).groupby(
        [*ASKED, *keys], sort=False
    )
    for names, of_model in by:
        if of_model["prompt"].nunique() > 1:
            yield dict(zip((*ASKED, *keys), map(str, names), strict=True)), of_model
