"""Similarity in phrases: BLEU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from . import words as scripts
from .metric import DeclaredMetric, MetricPace, OfFeatures, package_version, require_metric_package


class Bleu(OfFeatures):
    """Sentence BLEU of the sacrebleu package, from 0 to 1, the longer text as the reference.

    The longer text has more words between white space, then more characters, then comes later in
    the alphabet: so both orders of a pair are the same. A text mostly in writing without spaces is
    tokenised by characters (sacrebleu's `char`), any other by its `13a`. `directed` takes the
    second of a pair as the reference, even if it is shorter, as when it was written as a reference.
    """

    name = "bleu"

    def __init__(self, *, directed: bool = False) -> None:
        self._directed = directed

    @property
    def signature(self) -> str:
        reference = "second" if self._directed else "longer"
        library = f"sacrebleu:{package_version('sacrebleu')}"
        return f"bleu|reference:{reference}|tok:13a/char|eff:yes|smooth:exp|{library}"

    def load(self) -> None:
        _ = self._bleu

    @cached_property
    def _bleu(self) -> dict[str, Any]:
        require_metric_package("sacrebleu")
        from sacrebleu import BLEU

        return {
            name: BLEU(tokenize=name, effective_order=True, smooth_method="exp")
            for name in ("13a", "char")
        }

    def features(
        self, texts: Sequence[str]
    ) -> list[tuple[tuple[int, int, str], Counter[tuple[str, ...]], int]]:
        from sacrebleu.metrics.helpers import extract_all_word_ngrams

        found = []
        for text in texts:
            bleu = self._bleu["char" if scripts.is_unspaced(text) else "13a"]
            ngrams, length = extract_all_word_ngrams(
                bleu.tokenizer(text.rstrip()), 1, bleu.max_ngram_order
            )
            found.append(((len(text.split()), len(text), text), ngrams, length))
        return found

    def compare(self, one: Any, other: Any) -> float:
        pair = (
            (one, other)
            if self._directed
            else sorted((one, other), key=lambda features: features[0])
        )
        (_, ngrams, length), (_, reference, of_reference) = pair
        bleu = self._bleu["13a"]
        correct, total = [0] * bleu.max_ngram_order, [0] * bleu.max_ngram_order
        for ngram, count in ngrams.items():
            total[len(ngram) - 1] += count
            correct[len(ngram) - 1] += min(count, reference.get(ngram, 0))
        found = bleu.compute_bleu(
            correct,
            total,
            length,
            of_reference,
            smooth_method=bleu.smooth_method,
            effective_order=True,
        )
        return float(min(found.score / 100, 1.0))


BLEU = DeclaredMetric(
    "bleu",
    "phrases in common (BLEU)",
    "sentence BLEU, the longer text as the reference",
    lambda encoder, precision: Bleu(),
    MetricPace(load=0.2, characters=200_000, pairs=8_000),
)
