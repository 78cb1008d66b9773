"""Whose scores judges can be held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.findings.correlation.columns import CEILING
from core.findings.correlation.settings import Reference
from core.findings.judgements import Selection, code_families, described, rater_marks
from core.frames import Schema
from core.rendering import declare_rows
from core.statistics import intervals
from core.statistics import reliability as reliable
from core.store import Store

RaterRows = Annotated[pd.DataFrame, Schema({str: "rater panel kind attribute"})]


def list_raters(store: Store, dataset: str) -> RaterRows:
    """rater, panel, kind, attribute of whoever has scored texts here."""
    frame = store.scores.all(dataset).dropna(subset="value")
    panel = frame["rater"].str.replace(r"-\d+$", "", regex=True)
    return frame.assign(panel=panel)[["rater", "panel", "kind", "attribute"]].drop_duplicates()


def rank_references(scores: pd.DataFrame) -> list[str]:
    """Of `list_raters`: kinds, panels, then single ones, people before machines; a page opens with
    the first. People of several panels, as experts and a crowd, are not thrown together
    unasked: there the panels come first.
    """
    ranked = scores.sort_values("kind", key=lambda kind: kind != "human", kind="stable")
    panels = [
        panel for panel in dict.fromkeys(ranked["panel"]) if panel not in set(ranked["rater"])
    ]
    kinds = [kind for kind in dict.fromkeys(ranked["kind"]) if kind not in set(ranked["rater"])]
    mixed = len(set(panels) & set(ranked.loc[ranked["kind"] == "human", "panel"])) > 1
    pools = [*panels, *kinds] if mixed else [*kinds, *panels]
    every = list(dict.fromkeys([*pools, *ranked["rater"]]))
    people = ranked.loc[ranked["kind"] == "human", ["kind", "panel", "rater"]].to_numpy()
    # A single rater may have the name of a kind.
    return sorted(every, key=lambda name: name not in people)


def find_own(store: Store, judges: Sequence[str], raters: Sequence[str]) -> dict[str, list[str]]:
    """Judge -> those of the raters that are the judge itself, by its name, as in `judge/marks`, or
    its model; without judges who are none of them.
    """
    models = described(store, pd.DataFrame({"judge": [*judges, *raters]}))["model"].tolist()
    same = {
        judge: [
            rater
            for rater, of_rater in zip(raters, models[len(judges) :], strict=True)
            if model == of_rater or rater.startswith(f"{judge}/")
        ]
        for judge, model in zip(judges, models, strict=False)
    }
    return {judge: mine for judge, mine in same.items() if mine}


CeilingRows = Annotated[pd.DataFrame, declare_rows([CEILING])]


def compute_ceilings(store: Store, selection: Selection, reference: Reference) -> CeilingRows:
    """For each attribute (the index) its CEILING: the correlation that the texts' true scores have
    with the mean of the reference's raters, which is the root of its reliability (Spearman 1904),
    with its interval over items. NaN where nobody shares a text with another rater.

    `level` item: of what differs within items; pool: over all texts; system: of the systems' means
    over these items. It is a product-moment correlation, and close to Spearman's.
    """
    marks = rater_marks(store, selection, reference.against).dropna(subset="value")
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
            return reliable.of_means(values, target, system, weights=weights)
        group = item if reference.level == "item" else None
        return reliable.reliability(values, target, group=group, weights=weights)

    highest = float(reliable.ceiling(figure(None)))
    if np.isnan(highest):
        return np.nan, np.nan, np.nan
    low, high = intervals.percentiles(reliable.ceiling(figure(drawn[:, family])), groups=size)
    return highest, float(low), float(high)
