"""Similarity in words, phrases and length; and the words of a text in any writing system."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from .metric import (
    DeclaredMetric,
    MetricPace,
    OfFeatures,
    f_measure,
    package_version,
    require_metric_package,
)

_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),  # Thai and Lao, Burmese, Khmer
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),  # radicals, kana
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),  # Han
)  # fmt: skip


def is_other(text: str) -> bool:
    """Return whether most letters and digits of a text are outside a-z, A-Z, 0-9.

    Accents alone do not make it so.
    """
    own = [character for character in text if character.isalnum()]
    return 2 * sum(not character.isascii() for character in own) > len(own)


def is_unspaced(text: str) -> bool:
    """Return whether a text is mostly of writing that puts no spaces between words.

    Its letters and digits are counted.
    """
    own = [character for character in text if character.isalnum()]
    return 2 * sum(map(_is_unspaced_character, own)) > len(own)


def list_words(text: str) -> list[str]:
    """List runs of letters, digits and their marks, case and width folded; in writing without
    spaces each character.
    """
    found: list[str] = []
    inside = False  # a word that may go on
    for character in unicodedata.normalize("NFKC", text).casefold():
        mark = unicodedata.category(character).startswith("M")
        if mark and found and inside:
            found[-1] += character
        elif not character.isalnum():
            inside = False
        elif _is_unspaced_character(character):
            found.append(character)
            inside = False
        elif inside:
            found[-1] += character
        else:
            found.append(character)
            inside = True
    return found


def _is_unspaced_character(character: str) -> bool:
    code = ord(character)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)


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
        own: list[str] = list_words(text) if is_other(text) else self._tokenizer.tokenize(text)
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
            bleu = self._bleu["char" if is_unspaced(text) else "13a"]
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
        return [(len(text.split()), len(text), is_unspaced(text)) for text in texts]

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
