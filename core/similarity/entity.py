"""Similarity in the names two texts mention."""

from __future__ import annotations

from collections.abc import Sequence

from . import named_entities
from .metric import DeclaredMetric, MetricPace, OfFeatures


class Entity(OfFeatures):
    """Jaccard similarity of the sets of normalised named entities (Ghosh et al. 2024); two texts
    without any are alike.

    The authors' script counts one side of the union twice; here the union is one.
    """

    name = "entity"
    blanks = False

    def __init__(self, extractor: str = "") -> None:
        self._extractor = named_entities.make_extractor(extractor)

    @property
    def signature(self) -> str:
        return f"entity|{self._extractor.signature}"

    def load(self) -> None:
        self._extractor.load()

    def features(self, texts: Sequence[str]) -> list[frozenset[str]]:
        return [
            frozenset(map(named_entities.normalise_entity, found))
            for found in self._extractor.entities(texts)
        ]

    def compare(self, one: frozenset[str], other: frozenset[str]) -> float:
        return len(one & other) / len(one | other) if one or other else 1.0


ENTITY = DeclaredMetric(
    "entity",
    "names and numbers in common",
    "Jaccard similarity of the named entities",
    lambda encoder, precision: Entity(encoder),
    MetricPace(load=0.1, characters=500_000, pairs=60_000),
    ("encoder",),
)
