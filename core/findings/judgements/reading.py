"""Pairs of texts to be read first: how surely answers prefer a text, and the texts themselves."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...statistics import CONTRADICTS
from ...store import Store
from .verdicts import PAIR, count_verdicts, orient

MOST_READ = 12
SIDES = ("item", "system_1", "system_2")
PairRows = Annotated[
    pd.DataFrame,
    Schema({
        str: "attribute item system_1 system_2", int: "candidate_1 candidate_2", float: "prob_1",
        bool: "is_turned",
    }),
]  # fmt: skip


def average_pairs(answered: pd.DataFrame) -> PairRows:
    """Average answers about each pair of texts, in the order in which these came: `prob_1` is the
    mean probability (else points) of the first, `is_turned` whether a judge contradicts itself.
    """
    rows = orient(answered)
    prob = np.where(rows["turned"], 1 - rows["prob_a"], rows["prob_a"])
    rows["prob_1"] = pd.Series(prob, rows.index).fillna(rows["points_1"])
    mean = rows.groupby([*PAIR, *SIDES], sort=False)["prob_1"].mean().reset_index()
    verdicts = count_verdicts(answered)
    turned = pd.MultiIndex.from_frame(verdicts.loc[verdicts["verdict"] == CONTRADICTS, PAIR])
    return mean.assign(is_turned=pd.MultiIndex.from_frame(mean[PAIR]).isin(turned))


def add_texts(store: Store, dataset: str, pairs: pd.DataFrame) -> pd.DataFrame:
    """Add `context` (the name of the item where it has none), and `text_1` and `text_2` of its
    candidates, to pairs of texts.
    """
    items = list(pairs["item"].unique())
    texts = store.texts.generations(dataset, items=items).set_index("generation")["text"]
    contexts = store.datasets.items(dataset, items).set_index("item")["context"]
    context = pairs["item"].map(contexts)
    sides = {f"text_{n}": pairs[f"candidate_{n}"].map(texts) for n in (1, 2)}
    return pairs.assign(context=context.where(context.str.strip() != "", pairs["item"]), **sides)
