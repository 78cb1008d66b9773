"""Metrics of similarity, and what they declare about themselves.

Each metric is symmetric, gives 1 for two identical texts, and does not depend on what else is
measured with it (but for rounding). A blank text (nothing but white space) has similarity 0 with
one that is not, and two blank texts 1; `entity` alone asks only for the entities.
docs/decisions/separability.md says what becomes of long texts and of other scripts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from ..installation import require_packages
from ..statistics import Codes, Floats


@dataclass(frozen=True)
class Group:
    """Different texts, and which pairs of them to measure, by their places."""

    texts: Sequence[str]
    first: Codes
    second: Codes


class Metric(Protocol):
    """A way to say how alike two texts are.

    `name` is the one asked for; `signatures` those of every metric that comes out of the same look
    at the texts, by name: they decide which stored values are the same measurement. `load` gets
    ready what measuring needs, and raises TandemError when it cannot. `measure` gives for each
    group one array per metric, aligned with its pairs; `breadth` times as many texts as usual may
    be measured at once.
    """

    name: str
    breadth: int

    @property
    def signatures(self) -> Mapping[str, str]:
        """Name of a metric -> its signature: equal ones are the same measurement."""

    def load(self) -> None:
        """Load what measuring needs. Raises TandemError if that fails."""

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]:
        """Compute each group's similarities: metric -> array with one number a pair."""


@dataclass(frozen=True)
class MetricPace:
    """Seconds to load, and characters and pairs a second, on two CPU cores."""

    load: float
    characters: float
    pairs: float

    def seconds(self, characters: float, pairs: int) -> float:
        """Estimate the seconds that texts of so many characters in so many pairs take."""
        return self.load + characters / self.characters + pairs / self.pairs


@dataclass(frozen=True)
class DeclaredMetric:
    """A metric as declared: what people call it, what it measures, and how fast it is.

    `make` makes it from an encoder's name (for `entity` an extractor's; '' = the default) and a
    precision. `takes` names those of the two that play a part. A metric that is made of others has
    `members`: the mean rank is taken over their separabilities.
    """

    name: str
    label: str
    help: str
    make: Callable[[str, str], Metric]
    pace: MetricPace
    takes: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


class OfFeatures(ABC):
    """A metric that compares what it has read off each text once."""

    name: str
    breadth = 1
    blanks = True  # whether a blank text has the similarities every metric gives it

    @property
    def signatures(self) -> Mapping[str, str]:
        return {self.name: self.signature}

    @property
    @abstractmethod
    def signature(self) -> str: ...

    @abstractmethod
    def load(self) -> None: ...

    @abstractmethod
    def features(self, texts: Sequence[str]) -> list[Any]: ...

    @abstractmethod
    def compare(self, one: Any, other: Any) -> float: ...

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]:
        texts = list(dict.fromkeys(text for group in groups for text in group.texts))
        features = dict(zip(texts, self.features(texts), strict=True))
        return [
            {
                self.name: np.array(
                    [
                        self._pair(group.texts[one], group.texts[other], features)
                        for one, other in zip(
                            group.first.tolist(), group.second.tolist(), strict=True
                        )
                    ],
                    dtype=float,
                )
            }
            for group in groups
        ]

    def _pair(self, one: str, other: str, features: Mapping[str, Any]) -> float:
        if one == other:
            return 1.0
        blank = (not one.strip(), not other.strip())
        if self.blanks and any(blank):
            return float(all(blank))
        return self.compare(features[one], features[other])


def f_measure(shared: int, one: int, other: int) -> float:
    """Compute F1 of what two texts share, rounded as rouge-score does; 0 if they share nothing."""
    if not shared:
        return 0.0
    precision, recall = shared / one, shared / other
    return 2 * precision * recall / (precision + recall)


def require_metric_package(package: str) -> None:
    """Check that the package of a metric is installed. Raises MissingPackageError otherwise."""
    require_packages("separability", "this metric", package)


def package_version(package: str) -> str:
    """Return a package's version, for a signature: versions may measure differently.

    Raises MissingPackageError.
    """
    require_metric_package(package.replace("-", "_"))
    return version(package)
