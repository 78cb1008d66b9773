"""Similarity of two generations, in one registry: `make_metric("bertscore")` and
`metric.measure(groups)`.

Every metric is symmetric, gives 1 for two identical texts, and does not depend on what else is
measured with it (but for rounding). A blank text (nothing but white space) has similarity 0 with
one that is not, and two blank texts 1; `entity` alone asks only for the entities.
docs/decisions/separability.md says what becomes of long texts and of other scripts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from core.models.local import Encoded, Encoder
from core.records import TandemError
from core.similarity import named_entities
from core.similarity import words as scripts
from core.statistics import Codes, Floats, bertscores


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
    group one array per metric, aligned with its pairs.
    """

    name: str

    @property
    def signatures(self) -> Mapping[str, str]: ...

    def load(self) -> None: ...

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]: ...


CONTEXTUAL = ("bertscore", "bertscore-length", "cosine")


class Contextual:
    """What an encoder says, all three from one forward pass.

    bertscore: F1 of greedily matched token embeddings, no idf, no rescaling (Zhang et al. 2020).
    bertscore-length: the same times BLEU's penalty exp(1 - longer / shorter), in words between
    white space (Ghosh et al. 2024). cosine: of the sentence embeddings, from -1 to 1. A text longer
    than the encoder reads is split, not cut; see `Encoder`.
    """

    def __init__(self, name: str, encoder: str = "", precision: str = "fp32") -> None:
        self.name, self.encoder = name, Encoder(encoder, precision=precision)

    @property
    def signatures(self) -> Mapping[str, str]:
        return {name: f"{name}|{self.encoder.signature}" for name in CONTEXTUAL}

    def load(self) -> None:
        self.encoder.load()

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]:
        texts = list(dict.fromkeys(text for group in groups for text in group.texts))
        encoded = dict(zip(texts, self.encoder.tokens(texts), strict=True))
        return [self._group(group, [encoded[text] for text in group.texts]) for group in groups]

    def _group(self, group: Group, encoded: Sequence[Encoded]) -> dict[str, Floats]:
        tokens = [one.tokens for one in encoded if one.tokens is not None]
        content = [one.content for one in encoded if one.content is not None]
        empty = np.array([not own.any() for own in content], dtype=bool)
        words = np.array([max(1, len(text.split())) for text in group.texts], dtype=float)
        pair = group.first, group.second
        sentences = np.array([one.sentence for one in encoded], dtype=float)
        f1 = bertscores(tokens, content)[pair]
        cosine = np.clip(
            np.einsum("pd,pd->p", sentences[group.first], sentences[group.second]), -1, 1
        )
        cosine = np.where(
            empty[group.first] | empty[group.second],
            empty[group.first] & empty[group.second],
            cosine,
        )
        cosine[group.first == group.second] = 1.0
        lengths = words[group.first], words[group.second]
        penalty = np.exp(1 - np.maximum(*lengths) / np.minimum(*lengths))
        return {"bertscore": f1, "bertscore-length": f1 * penalty, "cosine": cosine}


class OfFeatures(ABC):
    """A metric that compares what it has read off each text once."""

    name: str
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


class Rouge1(OfFeatures):
    """ROUGE-1 F1 with the stemmer of the rouge-score package (Lin 2004).

    That package sees only a-z and 0-9. Where most letters and digits of a text are others, its
    words are those of Unicode instead, one a character in writing without spaces; where a text has
    no letters or digits, its characters.
    """

    name = "rouge1"

    @property
    def signature(self) -> str:
        return f"rouge1|stemmer|other-scripts:words|rouge-score:{_version('rouge-score')}"

    def load(self) -> None:
        _ = self._tokenizer

    @cached_property
    def _tokenizer(self) -> Any:
        with _needed():
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


class Bleu(OfFeatures):
    """Sentence BLEU of the sacrebleu package, from 0 to 1, the longer text as the reference.

    Longer in words between white space, then in characters, then by the alphabet: so both orders of
    a pair are the same. A text mostly in writing without spaces is tokenised by characters
    (sacrebleu's `char`), any other by its `13a`. `directed` takes the second of a pair as the
    reference, whatever their lengths, as when it is one that was written as such.
    """

    name = "bleu"

    def __init__(self, *, directed: bool = False) -> None:
        self._directed = directed

    @property
    def signature(self) -> str:
        reference = "second" if self._directed else "longer"
        library = f"sacrebleu:{_version('sacrebleu')}"
        return f"bleu|reference:{reference}|tok:13a/char|eff:yes|smooth:exp|{library}"

    def load(self) -> None:
        _ = self._bleu

    @cached_property
    def _bleu(self) -> dict[str, Any]:
        with _needed():
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
            frozenset(map(named_entities.normalised, found))
            for found in self._extractor.entities(texts)
        ]

    def compare(self, one: frozenset[str], other: frozenset[str]) -> float:
        return len(one & other) / len(one | other) if one or other else 1.0


METRICS: dict[str, Callable[[str, str], Metric]] = {
    **{name: partial(Contextual, name) for name in CONTEXTUAL},
    "rouge1": lambda encoder, precision: Rouge1(),
    "bleu": lambda encoder, precision: Bleu(),
    "entity": lambda encoder, precision: Entity(encoder),
}
"""The metrics by name, each made from an encoder's name (for `entity` an extractor's; '' = the
default) and a precision.
"""


def make_metric(name: str, *, encoder: str = "", precision: str = "fp32") -> Metric:
    """The metric of that name. Cheap: models load on `load`. Raises TandemError naming what
    exists."""
    if name not in METRICS:
        raise TandemError(f"unknown metric {name!r}; there are {', '.join(METRICS)}")
    metric = METRICS[name](encoder, precision)
    if encoder and name not in (*CONTEXTUAL, "entity"):
        raise TandemError(f"the metric {name} has no encoder: leave out {encoder!r}")
    return metric


def f_measure(shared: int, one: int, other: int) -> float:
    """F1 of what two texts share of what each has, as rouge-score rounds it; 0 where nothing is
    shared.
    """
    if not shared:
        return 0.0
    precision, recall = shared / one, shared / other
    return 2 * precision * recall / (precision + recall)


@contextmanager
def _needed() -> Iterator[None]:
    """Turns a missing package into a sentence with the way out."""
    try:
        yield
    except ImportError as error:
        raise TandemError(
            f"this metric needs the package {error.name!r}; run ./run setup"
        ) from error


def _version(package: str) -> str:
    try:
        return version(package)
    except ImportError as error:  # PackageNotFoundError
        raise TandemError(f"this metric needs the package {package!r}; run ./run setup") from error
