"""Similarity in length."""

from __future__ import annotations

from collections.abc import Sequence

from . import words as scripts
from .metric import DeclaredMetric, MetricPace, OfFeatures


class Length(OfFeatures):
    """The shorter length over the longer one, which is exp(-|difference of log length|).

    In words between white space; in characters where either text is mostly in writing without
    spaces. It knows nothing of what the texts say, so it is what other metrics are held against.
    """

    name = "length"

    @property
    def signature(self) -> str:
        return "length|shorter/longer|words"

    def load(self) -> None:
        """Load nothing: lengths need no model."""

    def features(self, texts: Sequence[str]) -> list[tuple[int, int, bool]]:
        return [(len(text.split()), len(text), scripts.is_unspaced(text)) for text in texts]

    def compare(self, one: tuple[int, int, bool], other: tuple[int, int, bool]) -> float:
        unit = int(one[2] or other[2])
        lengths = one[unit], other[unit]
        return min(lengths) / max(lengths)


LENGTH = DeclaredMetric(
    "length",
    "length alone",
    "the shorter text's words over the longer one's: what needs no reading to see",
    lambda encoder, precision: Length(),
    MetricPace(load=0.0, characters=5_000_000, pairs=200_000),
)
