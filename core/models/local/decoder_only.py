"""Decoder-only models (GPT, Llama): what follows the prompt continues it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import tokens as tk
from .prefix_cache import PrefixTree, stateful
from .prompt_tokenizer import PromptTokenizer
from .token_sampling import TextWriter, Writing
from .tokens import Ids, LogProbabilities, Tokens

if TYPE_CHECKING:
    from torch import Tensor

ROW_TOKENS = (
    256  # new tokens in one row on a CPU: in longer ones more is spent on what the mask leaves out
)
ROOM = {"cpu": 1 << 29, "cuda": 4 << 30}
"""Bytes for the keys and values of prefixes, by device: a context and its first texts, and no end
of growth.
"""

STATIC = ("cuda",)
"""Devices on which texts are written into a cache that has its length from the beginning. On a CPU
it costs more to attend to what is not there yet than to copy what is."""


class DecoderOnly(PromptTokenizer, TextWriter):
    """A decoder-only model. If it may `share`, common beginnings are read once (`PrefixTree`)."""

    def __init__(self, model: Any, tokenizer: Any, *, share: bool, batch_tokens: int = 0) -> None:
        super().__init__(tokenizer)
        self._model = model
        self._budget = tk.TokenBudget(model.device, batch_tokens, cpu=ROW_TOKENS)
        self._share = share
        self.limit = tk.limit(model.config, tokenizer)
        self.hardware = tk.hardware(model)

    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        """Compute the log-probabilities of the labels of each prompt, in order."""
        import torch

        read = self._over_prefixes if self._share else self._read_whole
        with torch.inference_mode():
            return self._budget.spend(batch_tokens, lambda most: read(batch, most))

    @cached_property
    def _tree(self) -> PrefixTree:
        device = self._model.device.type
        return PrefixTree(self._model, ROOM.get(device, ROOM["cpu"]), packed=device == "cpu")

    def _over_prefixes(self, batch: Sequence[Tokens], most: int) -> list[LogProbabilities]:
        """Read the common beginnings of the prompts once. Then read the last token of each prompt
        with the stems of its labels.
        """
        order = sorted(range(len(batch)), key=lambda index: batch[index].prompt)
        pieces = {index: self._tree.insert(batch[index].prompt[:-1]) for index in order}
        stems = {index: _stems(batch[index]) for index in order}
        asks = [(pieces[index], stem) for index in order for stem in stems[index]]
        scores = iter(self._tree.logits(asks, most))
        found = {index: {stem: next(scores) for stem in stems[index]} for index in order}
        return _sum_labels(batch, [found[index] for index in range(len(batch))])

    def _read_whole(self, batch: Sequence[Tokens], most: int) -> list[LogProbabilities]:
        """Read each prompt as a whole, in batches of about the same length."""
        rows = [(index, stem) for index, tokens in enumerate(batch) for stem in _stems(tokens)]
        scores: list[dict[Ids, Tensor]] = [{} for _ in batch]
        for group in tk.batches(
            [len(batch[index].prompt) + len(stem) for index, stem in rows], most
        ):
            texts = [batch[rows[place][0]].prompt[:-1] + rows[place][1] for place in group]
            # Padding is behind the text, where a causal model cannot see it and no position moves.
            ids, mask = tk.pad_rows(texts, self._model.device)
            spans = [
                range(len(text) - len(rows[place][1]), len(text))
                for place, text in zip(group, texts, strict=True)
            ]
            wanted = sorted({place for span in spans for place in span})
            logits = self._logits(ids, mask, wanted)
            for line, (place, span) in enumerate(zip(group, spans, strict=True)):
                index, stem = rows[place]
                scores[index][stem] = logits[line, [wanted.index(at) for at in span]]
        return _sum_labels(batch, scores)

    def _logits(self, ids: Tensor, mask: Tensor, wanted: Sequence[int]) -> Tensor:
        """At the wanted places only: over a large vocabulary logits are what fills the memory."""
        import torch

        if "logits_to_keep" in inspect.signature(self._model.forward).parameters:
            keep = torch.tensor(wanted, device=ids.device)
            output = self._model(
                input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=keep
            )
            return output.logits  # type: ignore[no-any-return]
        logits = self._model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        return logits[:, list(wanted)]  # type: ignore[no-any-return]

    @cached_property
    def _places_rows(self) -> bool:
        return "position_ids" in inspect.signature(self._model.forward).parameters

    @cached_property
    def _pads(self) -> bool:  # type: ignore[override]
        """Rows of several lengths need positions of their own, and no state; other models read one
        prompt at a time.
        """
        return self._places_rows and not stateful(self._model)

    def _write(
        self, prompts: Sequence[Ids], owners: Sequence[int], writing: Writing, budget: int
    ) -> None:
        import torch
        from transformers import DynamicCache, StaticCache

        # Mamba has a name of its own.
        takes = inspect.signature(self._model.forward).parameters
        cache = "cache_params" if "cache_params" in takes else "past_key_values"
        ids, mask = tk.pad_rows(prompts, self._model.device)
        lengths = mask.sum(-1)
        past: Any = DynamicCache(config=self._model.config)
        if self._pads and self._model.device.type in STATIC:
            past = StaticCache(self._model.config, max_cache_len=ids.shape[1] + writing.most)
        last = sorted({len(prompt) - 1 for prompt in prompts})
        keep = torch.tensor(last, device=ids.device)
        output = self._model(
            input_ids=ids,
            attention_mask=mask if self._pads else None,
            use_cache=True,
            logits_to_keep=keep,
            **{cache: past},
        )
        rows = torch.tensor(owners, device=ids.device)
        at = torch.tensor([last.index(len(prompt) - 1) for prompt in prompts], device=ids.device)
        past.reorder_cache(rows)
        mask, positions = mask[rows], lengths[rows][:, None]
        logits = output.logits[torch.arange(len(prompts), device=ids.device), at][rows]
        while True:
            step, kept = writing.step(logits)
            if step is None:
                return
            if kept is not None:
                past.reorder_cache(kept)
                mask, positions = mask[kept], positions[kept]
            mask = torch.cat([mask, mask.new_ones((len(mask), 1))], 1)
            where = {"position_ids": positions} if self._places_rows else {}
            output = self._model(
                input_ids=step,
                attention_mask=mask if self._pads else None,
                use_cache=True,
                **where,
                **{cache: past},
            )
            logits, positions = output.logits[:, -1], positions + 1


def _stems(tokens: Tokens) -> list[Ids]:
    """Return the last token of the prompt and each label but for its last token: one where the
    labels differ in that alone.
    """
    return list(dict.fromkeys(tokens.prompt[-1:] + label[:-1] for label in tokens.labels))


def _sum_labels(
    batch: Sequence[Tokens], logits: Sequence[dict[Ids, Tensor]]
) -> list[LogProbabilities]:
    """Return the log-probabilities of labels from the logits after each stem; a device is waited
    for once.
    """
    import torch

    sums: list[Any] = []
    for tokens, own in zip(batch, logits, strict=True):
        scores = {stem: part.float().log_softmax(-1) for stem, part in own.items()}
        for label in tokens.labels:
            row = scores[tokens.prompt[-1:] + label[:-1]]
            sums.append(sum((row[at, token] for at, token in enumerate(label)), row.new_zeros(())))
    values = iter(torch.stack(sums).tolist() if sums else ())
    return [tuple(next(values) for _ in tokens.labels) for tokens in batch]
