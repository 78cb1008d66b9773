"""Judges as what they are made of: a model, asked with a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from core.store import Store


def described(store: Store, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows about a `judge` with its model (its SPEC, else its name), kind, and prompt (name@version, None without)."""
    about = store.judges().set_index("judge").reindex(rows["judge"]).set_index(rows.index)
    model = about["spec"].where(about["spec"].fillna("") != "", rows["judge"])
    prompt = about["prompt"].astype(object)
    return rows.assign(model=model, kind=about["kind"], prompt=prompt.where(prompt.notna(), None))


def over_prompts(rows: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """For each model that was asked with several prompts: its name and the other keys, and its rows."""
    prompted = rows[rows["prompt"].notna()]
    for names, of_model in prompted.groupby(["model", *keys], sort=False):
        if of_model["prompt"].nunique() > 1:
            yield dict(zip(("model", *keys), map(str, names), strict=True)), of_model
