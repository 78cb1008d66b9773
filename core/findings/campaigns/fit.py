"""How well each person's decisions fit the strengths that all people's decisions come to."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.records import Outcome
from core.statistics import misfits
from core.store import Store

FIGURES = ("infit", "usual_low", "usual_high", "outfit", "by_chance", "decisions", "misfit")


def decisions(frame: pd.DataFrame) -> pd.DataFrame:
    """The decisive judgements of a frame with `prob`, Bradley-Terry's probability that the first of
    their two texts is preferred, and `surprise`, the standardised residual of what was: 2 and more
    is rare. Strengths are those of an attribute, from the decisions of who is not `excluded`.
    """
    rows = frame[frame["outcome"].isin((Outcome.A, Outcome.B))]
    prob = pd.Series(np.nan, index=rows.index)
    for _, of in rows.groupby("attribute", sort=False):
        names = np.array(sorted({*of["system_a"], *of["system_b"]}))
        first, second = (
            np.searchsorted(names, of[side].to_numpy()) for side in ("system_a", "system_b")
        )
        prob[of.index] = misfits.expected(
            first,
            second,
            of["points"].to_numpy(float),
            n=len(names),
            fitted=~of["excluded"].to_numpy(bool),
        )
    surprise = np.abs(rows["points"] - prob) / np.sqrt(prob * (1 - prob))
    return rows.assign(prob=prob, surprise=surprise)


def fits(rows: pd.DataFrame, judges: list[str], seed: int) -> pd.DataFrame:
    """FIGURES of each of these judges, from their `decisions`; see `core.statistics.misfits`."""
    found = misfits.misfit(
        pd.Index(judges).get_indexer(pd.Index(rows["judge"])),
        rows["points"].to_numpy(float),
        rows["prob"].to_numpy(float),
        pd.factorize(rows["item"])[0],
        n=len(judges),
        rng=np.random.default_rng(seed),
    )
    values = {name: getattr(found, name) for name in FIGURES if name != "misfit"}
    return pd.DataFrame({**values, "misfit": found.stands_out, "tells": found.tells})


def surprising(store: Store, rows: pd.DataFrame, judge: str, *, most: int = 50) -> pd.DataFrame:
    """A person's votes that surprise most, with the texts: judgement, attribute, item, context,
    text_a, text_b, chosen (`a` or `b`), others (the probability of that choice by the strengths of
    the systems), surprise; not whose texts they are.
    """
    own = rows[rows["judge"] == judge].dropna(subset="surprise")
    first = own.sort_values("surprise", ascending=False, kind="stable").head(most)
    others = np.where(first["points"] == 1, first["prob"], 1 - first["prob"])
    shown = first[["judgement", "attribute", "item", "surprise"]].assign(
        chosen=first["outcome"].astype(str), others=others
    )
    texts = store.judgement_frames.texts(first["judgement"])
    return shown.merge(texts[["judgement", "context", "text_a", "text_b"]], on="judgement")
