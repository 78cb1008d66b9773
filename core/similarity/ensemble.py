"""All ways to say how alike two texts are, together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np

from ..statistics import Floats
from .bleu import Bleu
from .contextual import Contextual
from .entity import Entity
from .length import Length
from .metric import DeclaredMetric, Group, Metric, MetricPace
from .rouge import Rouge1

MEMBERS = ("bertscore", "cosine", "rouge1", "bleu", "entity", "length")
"""One of each kind; `bertscore-length` is made of two of them."""


class Ensemble:
    """The mean of the MEMBERS' similarities. Nothing is fitted, so it needs no labels.

    Separability by it orders items by their mean rank over the members
    (core/findings/separability/compute.py).
    """

    name = "ensemble"
    breadth = 1

    def __init__(self, encoder: str = "", precision: str = "") -> None:
        self._contextual = Contextual("bertscore", encoder, precision)
        self._others: list[Metric] = [Rouge1(), Bleu(), Entity(), Length()]

    @property
    def signatures(self) -> Mapping[str, str]:
        """Name of a metric -> its signature; the ensemble's digests those of its members."""
        every = dict(self._contextual.signatures)
        for metric in self._others:
            every |= metric.signatures
        # Their signatures are long, and are written beside every value.
        measured = sha256("\n".join(every[name] for name in MEMBERS).encode()).hexdigest()[:12]
        return {**every, self.name: f"ensemble|{'+'.join(MEMBERS)}|as:{measured}"}

    def load(self) -> None:
        """Load the metrics of all members."""
        for metric in (self._contextual, *self._others):
            metric.load()

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]:
        """Compute all members' similarities of the pairs of each group, and their mean.

        The mean is 1 for two blank texts, and 0 if one text is blank.
        """
        by_metric = [metric.measure(groups) for metric in (self._contextual, *self._others)]
        measured = []
        for group, *found in zip(groups, *by_metric, strict=True):
            values = {name: column for one in found for name, column in one.items()}
            blank = np.array([not text.strip() for text in group.texts], dtype=bool)
            first, second = blank[group.first], blank[group.second]
            mean = np.mean([values[name] for name in MEMBERS], axis=0)
            values[self.name] = np.where(first | second, (first & second).astype(float), mean)
            measured.append(values)
        return measured


ENSEMBLE = DeclaredMetric(
    "ensemble",
    "all of these together",
    "items in the order of their mean rank by meaning, words, phrases, names and length",
    Ensemble,
    MetricPace(load=8.0, characters=15_000, pairs=6_000),
    ("encoder", "precision"),
    MEMBERS,
)
