"""The texts of a run, in the words that all requests of runs share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Self

from ..records import TandemError
from ..settings import check_choices, declare
from ..store import ChosenGenerations, Store


@dataclass(frozen=True)
class TextRequest:
    """The texts that a run is about.

    They are the first `samples` of each of these systems, on the items of a subset, by these
    attributes; none named = all.
    """

    dataset: str
    _: KW_ONLY
    attributes: tuple[str, ...] = ()
    subset: str = ""
    systems: tuple[str, ...] = ()
    samples: int = declare(
        1, "texts of each system per item", label="Samples", metavar="N", least=1,
        more="Sample j is compared with sample j.",
    )  # fmt: skip
    seed: int = declare(0, "random seed", label="Seed", metavar="N", least=0,
                        more="Seed of everything random.")  # fmt: skip
    trial: int = declare(
        0, "another number repeats the whole run", label="Trial", metavar="N", least=0,
        more="Another number repeats the whole run.",
    )  # fmt: skip

    @property
    def chosen_texts(self) -> ChosenGenerations:
        """The texts of all attributes."""
        return ChosenGenerations(self.dataset, self.systems, self.subset or None, self.samples)

    def fill_attributes(self, store: Store) -> Self:
        """Return the request with all attributes if none is named.

        Raises TandemError for names the data set does not have, and for settings out of range.
        """
        check_choices(self)
        known = [attribute.name for attribute in store.datasets.attributes(self.dataset)]
        check_names("attribute", self.attributes, known)
        check_names("system", self.systems, store.datasets.systems(self.dataset))
        check_names("subset", filter(None, [self.subset]), store.datasets.subsets(self.dataset))
        if not known:
            raise TandemError(
                f"data set {self.dataset!r} has no attribute to judge by: import votes or scores "
                "that name one"
            )
        return replace(self, attributes=self.attributes or tuple(known))


def check_names(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Check names of a kind `what` ("system") against those of a data set.

    Raises TandemError for the first unknown name.
    """
    for name in names:
        if name not in known:
            has = f": {', '.join(known)}" if known else f" no {what}s"
            raise TandemError(f"unknown {what} {name!r}; this data set has{has}")
