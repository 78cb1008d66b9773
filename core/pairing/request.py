"""Requests of runs: the texts they are about, in the words that all share, and the pairs of them
that are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Self

from ..records import TandemError
from ..settings import check_choices, declare
from ..store import ChosenGenerations, Store
from .strategies import STRATEGIES, list_strategies_taking
from .strategy import SortSettings, Strategy

BEAM_SIZE = 10
PROB_GAP = 0.1


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
        known = check_names(store, self.dataset, self.attributes, self.systems, self.subset)
        if not known:
            raise TandemError(
                f"data set {self.dataset!r} has no attribute to judge by: import votes or scores "
                "that name one"
            )
        return replace(self, attributes=self.attributes or known)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Return the request a stored run was made from."""
        return cls(**{name: as_tuples(value) for name, value in settings.items()})


def as_tuples(value: Any) -> Any:
    """Return a stored value with a tuple for each list in it."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def check_names(
    store: Store, dataset: str, attributes: Sequence[str], systems: Sequence[str], subset: str
) -> tuple[str, ...]:
    """Return the names of all attributes of a data set.

    Raises TandemError for the first of these names that the data set does not have.
    """
    known = tuple(attribute.name for attribute in store.datasets.attributes(dataset))
    for what, names, there in (
        ("attribute", attributes, known),
        ("system", systems, store.datasets.systems(dataset)),
        ("subset", [subset] if subset else [], store.datasets.subsets(dataset)),
    ):
        for name in names:
            if name not in there:
                has = f": {', '.join(there)}" if there else f" no {what}s"
                raise TandemError(f"unknown {what} {name!r}; this data set has{has}")
    return known


@dataclass(frozen=True)
class PairSettings:
    """Settings of the comparisons of an item that are asked for.

    See docs/statistics.md, "Which pairs exist", and docs/statistics/budget.md, "Budget". None
    leaves a number to the strategy.
    """

    strategy: str = declare(
        "full", "which comparisons to ask for", label="Pairs", option="pairs",
        choices=lambda: {name: one.label for name, one in STRATEGIES.items()},
    )  # fmt: skip
    budget: int | None = declare(
        None, "ordered comparisons per item and attribute; not with full", metavar="R", least=1,
        label="Comparisons per item and attribute", more="A larger number means all.",
        methods=partial(list_strategies_taking, "budget"),
    )  # fmt: skip
    beam_size: int | None = declare(
        None, f"beam size of pairs-beam (default {BEAM_SIZE})", metavar="N", least=1,
        label="Branches followed", more="The beam size.",
        methods=partial(list_strategies_taking, "beam_size"),
    )  # fmt: skip
    prob_gap: float | None = declare(
        None, f"follow both branches where |P - 1/2| < G (default {PROB_GAP})", metavar="G",
        least=0.0, most=0.5, label="Close when nearer to 1/2 than",
        more="Both sides of a close pair are followed.",
        methods=partial(list_strategies_taking, "prob_gap"),
    )  # fmt: skip
    calibrate: bool = declare(
        False, "pairs-*: average both orders", label="Ask each pair in both orders",
        more="And take the mean: it costs twice as much.",
        methods=partial(list_strategies_taking, "calibrate"),
    )  # fmt: skip


@dataclass(frozen=True)
class Request(PairSettings, TextRequest):
    """The comparisons a run is to ask for. `drawn` are the items in the order to ask, each with the
    probability of its inclusion; none = all. `origin` is the name of the data set before it was
    renamed, by which draws still go.
    """

    drawn: tuple[tuple[str, float], ...] = ()
    origin: str = ""

    def settings(self) -> dict[str, Any]:
        """Return the settings that a run is known by.

        Options of PairS and of drawing are among them only where they play a part.
        """
        part = ("beam_size", "prob_gap", "calibrate", "drawn", "origin")
        return {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) not in (None, False, (), "")
            or each.name not in part
        }

    @property
    def drawn_as(self) -> str:
        """The name of the data set in every draw: renaming it changes no draw."""
        return self.origin or self.dataset

    @cached_property
    def places(self) -> dict[str, tuple[int, float]]:
        """The place of each item that was drawn, and the probability of its inclusion."""
        return {item: (place, probability) for place, (item, probability) in enumerate(self.drawn)}

    @property
    def items(self) -> list[str] | None:
        """The items that were drawn; None = all."""
        return [item for item, _ in self.drawn] or None

    @property
    def pairing_strategy(self) -> Strategy:
        """The strategy that chooses the pairs."""
        return STRATEGIES[self.strategy]

    @property
    def sorting(self) -> SortSettings:
        """The parameters of a sort with these settings."""
        return SortSettings(self.beam_size or 1, self.prob_gap or 0.0, self.calibrate)
