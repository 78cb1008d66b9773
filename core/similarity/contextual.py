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
        self.name, self.encoder = name, Encoder(encoder, precision=precision)

    @property
    def signatures(self) -> Mapping[str, str]:
        """Name of a metric -> its signature, which names the encoder."""
        return {name: f"{name}|{self.encoder.signature}" for name in CONTEXTUAL}

    @property
    def breadth(self) -> int:
        """8 on a GPU, which is fast in large batches, else 1."""
        return 8 if self.encoder.device.type == "cuda" else 1

    def load(self) -> None:
        """Load the encoder."""
        self.encoder.load()

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
