"""Estimate the noise ceiling: the correlation of a perfect judge, where several people scored the
same texts.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...rendering import declare_rows
from ...statistics import intervals
from ...statistics import reliability as reliable
from ...store import Store
from ..judgements import Selection, code_families, load_rater_marks
from .columns import CEILING
from .settings import Reference

CeilingRows = Annotated[pd.DataFrame, declare_rows([CEILING])]


def compute_ceilings(store: Store, selection: Selection, reference: Reference) -> CeilingRows:
    """Compute CEILING for each attribute (the index): the correlation that the texts' true scores
    have with the mean of the reference's raters, which is the root of its reliability (Spearman
    1904), with its interval over items. NaN where nobody shares a text with another rater.

    `level` item: of what differs within items; pool: over all texts; system: of the systems' means
    over these items. It is a product-moment correlation, and close to Spearman's.
    """
    marks = load_rater_marks(store, selection, reference.against).dropna(subset="value")
    keys = ["attribute", "generation", "item", "family", "system", "rater"]
    each = marks.groupby(keys, sort=False)["value"].mean().reset_index()
    rows = {
        str(attribute): _ceiling(of, reference, selection.seed)
        for attribute, of in each.groupby("attribute", sort=False)
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=CEILING.names)


def _ceiling(marks: pd.DataFrame, reference: Reference, seed: int) -> tuple[float, float, float]:
    target, _ = pd.factorize(marks["generation"])
    heads = marks.drop_duplicates("generation")
    item, system = (pd.factorize(heads[name])[0] for name in ("item", "system"))
    family = code_families(heads)
    values, size = marks["value"].to_numpy(float), int(family.max(initial=-1)) + 1
    drawn = intervals.resample_counts(size, reference.bootstrap, np.random.default_rng(seed))

    def figure(weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        if reference.level == "system":
            return reliable.estimate_reliability_of_means(values, target, system, weights=weights)
        group = item if reference.level == "item" else None
        return reliable.reliability(values, target, group=group, weights=weights)

    highest = float(reliable.ceiling(figure(None)))
    if np.isnan(highest):
        return np.nan, np.nan, np.nan
    low, high = intervals.percentiles(reliable.ceiling(figure(drawn[:, family])), groups=size)
    return highest, float(low), float(high)
