"""The columns that say whose figures a row has, declared once for all findings about judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import pandas as pd

from core.frames import Schema
from core.judging import departing
from core.labels import INTERVALS
from core.rendering import Column, Interval, Place, list_names
from core.store import Store

WILSON = Interval(
    INTERVALS["share"], "Wilson's, at the effective number of answers", ("wilson1927probable",)
)
"""Of shares: answers about one item are correlated."""
JUDGE = Column("judge", "judge", names_people=True)
ATTRIBUTE = Column("attribute", "attribute", needs_several=True)
MODEL = Column(
    "model", "model", help="Its SPEC, else its name", place=Place.FILES, names_people=True
)
KIND = Column("kind", "kind", place=Place.FILES)
PROMPT = Column("prompt", "prompt", help="Name and version", place=Place.SCREEN)
MADE_OF = (
    JUDGE,
    MODEL,
    KIND,
    Column("mode", "mode", help="How a model was asked", place=Place.FILES),
    PROMPT,
)
"""A judge, and what it is made of."""
ASKED_ALIKE = (
    replace(MODEL, place=Place.PAPER),
    Column("mode", "mode"),
    Column("settings", "settings"),
)
"""A model that was asked in one way, with several prompts."""


DescribedRows = Annotated[pd.DataFrame, Schema({str: "judge model kind mode prompt"}, is_open=True)]

ASKED = list_names(ASKED_ALIKE)
"""What does not differ where a mean over prompts is taken: what else can change an answer is not
averaged away.
"""


def described(store: Store, rows: pd.DataFrame) -> DescribedRows:
    """Rows about a `judge` with its model (its SPEC, else its name), kind, mode, and prompt
    (name@version, None without).
    """
    about = store.judges.all().set_index("judge").reindex(rows["judge"]).set_index(rows.index)
    model = about["spec"].where(about["spec"].fillna("") != "", rows["judge"])
    mode, prompt = (
        about[name].astype(object).where(about[name].notna(), None) for name in ("mode", "prompt")
    )
    return rows.assign(model=model, kind=about["kind"], mode=mode.replace("", None), prompt=prompt)


def over_prompts(
    store: Store, rows: pd.DataFrame, keys: Sequence[str]
) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """For each model that was asked in the same way with several prompts: ASKED and the other keys,
    and its rows.
    """
    prompted = rows[rows["prompt"].notna()]
    settings = [departing(store.judges.spec(judge)) for judge in prompted["judge"]]
    by = prompted.assign(mode=prompted["mode"].fillna(""), settings=settings).groupby(
        [*ASKED, *keys], sort=False
    )
    for names, of_model in by:
        if of_model["prompt"].nunique() > 1:
            yield dict(zip((*ASKED, *keys), map(str, names), strict=True)), of_model
