"""List the raters whose scores can be the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import pandas as pd

from ...frames import Schema
from ...store import Store
from ..judgements import add_judge_info

RaterRows = Annotated[pd.DataFrame, Schema({str: "rater panel kind attribute"})]


def list_raters(store: Store, dataset: str) -> RaterRows:
    """List the raters with scores here: rater, panel, kind, attribute."""
    frame = store.scores.load_all(dataset).dropna(subset="value")
    panel = frame["rater"].str.replace(r"-\d+$", "", regex=True)
    return frame.assign(panel=panel)[["rater", "panel", "kind", "attribute"]].drop_duplicates()


def choose_reference(store: Store, dataset: str) -> str:
    """Choose the rater whose scores are the reference where nobody names one, the first of
    `rank_references`; '' if nobody has scored.
    """
    return next(iter(rank_references(list_raters(store, dataset))), "")


def rank_references(scores: pd.DataFrame) -> list[str]:
    """Order the raters of `list_raters`: kinds, panels, then single raters, people before machines.
    With people of several panels, such as experts and a crowd, panels
    come first. They are pooled only on request.
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
    """Find the raters that are the judge itself, by name, as in `judge/marks`, or by model: judge
    -> raters. Judges with no such rater are left out.
    """
    models = add_judge_info(store, pd.DataFrame({"judge": [*judges, *raters]}))["model"].tolist()
    same = {
        judge: [
            rater
            for rater, of_rater in zip(raters, models[len(judges) :], strict=True)
            if model == of_rater or rater.startswith(f"{judge}/")
        ]
        for judge, model in zip(judges, models, strict=False)
    }
    return {judge: mine for judge, mine in same.items() if mine}
