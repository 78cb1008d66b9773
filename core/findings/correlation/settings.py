"""Settings of correlation: the reference, and the level."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ...records import Kind, option_ref
from ...settings import Part, check_choices, declare
from ...statistics import Constant
from ...store import Store
from ..judgements import minimum
from .reference_raters import choose_reference

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
