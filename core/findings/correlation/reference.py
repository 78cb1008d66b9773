"""The reference of a correlation: its raters, the level, and what a perfect judge would reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import pandas as pd

from ...frames import Schema
from ...records import Kind, option_ref
from ...settings import Part, check_choices, declare
from ...statistics import Constant
from ...store import Store
from ..judgements import minimum
from ..judgements.judges import add_judge_info

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


Level = Literal["item", "system", "pool"]
LEVELS: dict[str, str] = {
    "item": "within items, averaged",
    "system": "between systems",
    "pool": "between all texts",
}
UNITS = {"item": "item", "system": "system", "pool": "text"}
"""What is correlated at each level."""


WITHIN = Part(f"{option_ref('level')} item", lambda values: values["level"] == "item", "level")
BETWEEN = Part(f"{option_ref('level')} system", lambda values: values["level"] == "system", "level")


@dataclass(frozen=True)
class Reference:
    """The rater whose scores are followed (`against`, '' that of `choose_reference`), at which
    level, whether items on which a scorer is constant are left out (`constant` drop) or
    count as 0 (zero), which plays a part at
    level item alone, how many resamples of the items intervals take, and between systems with what
    the names of relatives begin (`bases`).

    Raises:
        TandemError: a level or a way to count that does not exist, or too few resamples.
    """

    against: str = declare(
        "",
        "the rater to correlate with (default: people, else the first who gave scores)",
        label="Reference scores",
        metavar="RATER",
    )
    level: Level = declare(
        "item",
        "level of correlation",
        label="Level",
        choices=LEVELS,
        more="**Within items**: whether a judge orders the texts of an item as people do, averaged "
        "over items. **Between systems**: whether it orders the systems as people do. **Between "
        "all texts**: also counts that some items get higher scores than others.",
    )
    constant: Constant = declare(
        "drop",
        "items to whose texts the scorer gives one value: left out (default), or 0",
        label="Items where a judge gives all texts the same value",
        choices={"drop": "are left out", "zero": "count as 0"},
        part=WITHIN,
        more="Where a judge gives all texts of an item the same value, there is no correlation. "
        "Left out, a judge that differs on few items can look better than it is. Some authors "
        "count 0.",
    )
    bootstrap: int = declare(200, "resamples of the items", metavar="B")
    bases: tuple[str, ...] = declare(
        (),
        "with what the names of systems begin that have one base, such as llama; default: names "
        "that begin with the same word",
        label="Systems with one base",
        metavar="WORD",
        part=BETWEEN,
        more="Systems made of one model are relatives, and tell less than as many strangers. "
        "Relatives are those whose names begin with the same word, or with one of these.",
    )

    def __post_init__(self) -> None:
        check_choices(self)
        minimum.check_resamples("bootstrap", self.bootstrap, minimum.PERCENTILES)

    def fill_rater(self, store: Store, dataset: str) -> Reference:
        """Return the reference with the usual rater of a data set, if none was named."""
        usual = self.against or choose_reference(store, dataset)
        return replace(self, against=usual or Kind.HUMAN.value)
