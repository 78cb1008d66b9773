"""A metric that lives in the tests only, as the reference data's README has it: unigram F1."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.similarity.metric import DeclaredMetric, MetricPace, OfFeatures, f_measure


class Unigrams(OfFeatures):
    """Lower-cased words (`\\w+`), no stemming."""

    name = "unigram"
    signature = "unigram|test"

    def load(self) -> None: ...

    def features(self, texts: Sequence[str]) -> list[Counter[str]]:
        return [Counter(re.findall(r"\w+", text.lower())) for text in texts]

    def compare(self, one: Counter[str], other: Counter[str]) -> float:
        return f_measure((one & other).total(), one.total(), other.total())


UNIGRAM = DeclaredMetric(
    "unigram", "words", "unigram F1", lambda *chosen: Unigrams(), MetricPace(0.1, 1e6, 1e5)
)
