"""Similarity in meaning: what an encoder says of two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ..models.local import EncodedText, Encoder, bertscores
from ..statistics import Floats
from .metric import DeclaredMetric, Group, MetricPace

CONTEXTUAL = ("bertscore", "bertscore-length", "cosine")


class Contextual:
    """The three metrics of an encoder, all from one forward pass.

    bertscore: F1 of greedily matched token embeddings, no idf, no rescaling (Zhang et al. 2020).
    bertscore-length: the same times BLEU's penalty exp(1 - longer / shorter), in words between
    white space (Ghosh et al. 2024). cosine: of the sentence embeddings, from -1 to 1. A text longer
    than the encoder reads is split, not cut; see `Encoder`.
    """

    def __init__(self, name: str, encoder: str = "", precision: str = "") -> None:
        self.name, self.breadth, self.encoder = name, 1, Encoder(encoder, precision=precision)

    @property
    def signatures(self) -> Mapping[str, str]:
        """Name of a metric -> its signature, which names the encoder."""
        return {name: f"{name}|{self.encoder.signature}" for name in CONTEXTUAL}

    def load(self) -> None:
        """Load the encoder. A GPU is fast in large batches."""
        self.encoder.load()
        self.breadth = 8 if self.encoder.device.type == "cuda" else 1

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]:
        """Compute the similarities of the pairs of each group; every text is encoded once."""
        texts = list(dict.fromkeys(text for group in groups for text in group.texts))
        encoded = dict(zip(texts, self.encoder.tokens(texts), strict=True))
        return [self._group(group, [encoded[text] for text in group.texts]) for group in groups]

    def _group(self, group: Group, encoded: Sequence[EncodedText]) -> dict[str, Floats]:
        tokens = [one.tokens for one in encoded if one.tokens is not None]
        content = [one.content for one in encoded if one.content is not None]
        empty = np.array([not own.any() for own in content], dtype=bool)
        words = np.array([max(1, len(text.split())) for text in group.texts], dtype=float)
        first, second = group.first, group.second
        sentences = np.array([one.sentence for one in encoded], dtype=float)
        f1 = bertscores(tokens, content)[first, second]
        cosine = np.clip(np.einsum("pd,pd->p", sentences[first], sentences[second]), -1, 1)
        is_blank = empty[first] | empty[second]
        cosine = np.where(is_blank, empty[first] & empty[second], cosine)
        cosine[first == second] = 1.0
        lengths = words[first], words[second]
        penalty = np.exp(1 - np.maximum(*lengths) / np.minimum(*lengths))
        return {"bertscore": f1, "bertscore-length": f1 * penalty, "cosine": cosine}


def _declare_metric(name: str, label: str, what: str) -> DeclaredMetric:
    pace = MetricPace(load=6.0, characters=20_000, pairs=2_000_000)
    return DeclaredMetric(
        name, label, what, partial(Contextual, name), pace, ("encoder", "precision")
    )


BERTSCORE = _declare_metric(
    "bertscore",
    "meaning (BERTScore)",
    "each word is matched with the word closest to it in meaning (BERTScore F1, Zhang et al. 2020)",
)
BERTSCORE_LENGTH = _declare_metric(
    "bertscore-length",
    "meaning, corrected for length (BERTScore)",
    "BERTScore, lower where one text is longer (Ghosh et al. 2024)",
)
COSINE = _declare_metric(
    "cosine", "meaning of the whole (cosine)", "the cosine of two sentence embeddings"
)
