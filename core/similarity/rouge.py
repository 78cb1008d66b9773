"""Similarity in words: ROUGE-1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from . import words as scripts
from .metric import (
    DeclaredMetric,
    MetricPace,
    OfFeatures,
    f_measure,
    package_version,
    require_metric_package,
)


class Rouge1(OfFeatures):
    """ROUGE-1 F1 with the stemmer of the rouge-score package (Lin 2004).

    That package sees only a-z and 0-9. Where most letters and digits of a text are others, its
    words are those of Unicode instead, one a character in writing without spaces; where a text has
    no letters or digits, its characters.
    """

    name = "rouge1"

    @property
    def signature(self) -> str:
        return f"rouge1|stemmer|other-scripts:words|rouge-score:{package_version('rouge-score')}"

    def load(self) -> None:
        _ = self._tokenizer

    @cached_property
    def _tokenizer(self) -> Any:
        require_metric_package("rouge_score")
        from rouge_score.tokenizers import DefaultTokenizer

        return DefaultTokenizer(use_stemmer=True)

    def features(self, texts: Sequence[str]) -> list[Counter[str]]:
        return [Counter(self._tokens(text)) for text in texts]

    def _tokens(self, text: str) -> list[str]:
        own: list[str] = (
            scripts.words(text) if scripts.is_other(text) else self._tokenizer.tokenize(text)
        )
        return own or [character for character in text if not character.isspace()]

    def compare(self, one: Counter[str], other: Counter[str]) -> float:
        return f_measure((one & other).total(), one.total(), other.total())


ROUGE1 = DeclaredMetric(
    "rouge1",
    "words in common (ROUGE-1)",
    "ROUGE-1 F1 (Lin 2004)",
    lambda encoder, precision: Rouge1(),
    MetricPace(load=1.0, characters=200_000, pairs=30_000),
)
