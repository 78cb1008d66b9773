"""Decoder-only models (GPT, Llama): what follows the prompt continues it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .language_model import TransformersModel, Writing, list_stems, sum_labels
from .prefix_cache import PrefixTree, stateful
from .tokens import Ids, LogProbabilities, PromptTokenizer, Tokens, batches, pad_rows

if TYPE_CHECKING:
    from torch import Tensor

ROW_TOKENS = 256
"""New tokens in one row on a CPU: in longer ones more is spent on what the mask leaves out."""
ROOM = {"cpu": 1 << 29, "cuda": 4 << 30}
"""Bytes for the keys and values of prefixes, by device: a context and its first texts, and no end
of growth.
"""

STATIC = ("cuda",)
"""Devices on which texts are written into a cache that has its length from the beginning. On a CPU
it costs more to attend to what is not there yet than to copy what is."""


class DecoderOnly(PromptTokenizer, TransformersModel):
    """A decoder-only model. If it may `share`, common beginnings are read once (`PrefixTree`)."""

    def __init__(self, model: Any, tokenizer: Any, *, share: bool, batch_tokens: int = 0) -> None:
        PromptTokenizer.__init__(self, tokenizer)
        TransformersModel.__init__(
            self, model, tokenizer, batch_tokens=batch_tokens, cpu=ROW_TOKENS
        )
        self._share = share
        self._takes = set(inspect.signature(model.forward).parameters)
        # Rows of several lengths need positions of their own, and no state; other models read one
        # prompt at a time.
        self.pads = "position_ids" in self._takes and not stateful(model)

    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        import torch

        read = self._over_prefixes if self._share else self._read_whole
        with torch.inference_mode():
            return self._budget.spend(batch_tokens, lambda most: read(batch, most))

    @cached_property
    def _tree(self) -> PrefixTree:
        device = self._model.device.type
        return PrefixTree(self._model, ROOM.get(device, ROOM["cpu"]), packed=device == "cpu")

    def _over_prefixes(self, batch: Sequence[Tokens], most: int) -> list[LogProbabilities]:
        """Read the common beginnings once, then the last token of each prompt with the stems of its
        labels.
        """
        order = sorted(range(len(batch)), key=lambda index: batch[index].prompt)
        pieces = {index: self._tree.insert(batch[index].prompt[:-1]) for index in order}
        asks = [
            (pieces[index], batch[index].prompt[-1:] + stem)
            for index in order
            for stem in list_stems(batch[index])
        ]
        scores = iter(self._tree.logits(asks, most))
        found = {
            index: {stem: next(scores) for stem in list_stems(batch[index])} for index in order
        }
        return sum_labels(batch, [found[index] for index in range(len(batch))])

    def _read_whole(self, batch: Sequence[Tokens], most: int) -> list[LogProbabilities]:
        """Read each prompt as a whole, in batches of about the same length."""
        rows = [(index, stem) for index, tokens in enumerate(batch) for stem in list_stems(tokens)]
        scores: list[dict[Ids, Tensor]] = [{} for _ in batch]
        lengths = [len(batch[index].prompt) + len(stem) + 1 for index, stem in rows]  # with a label
        for group in batches(lengths, most):
            texts = [batch[rows[place][0]].prompt + rows[place][1] for place in group]
            # Padding is behind the text, where a causal model cannot see it and no position moves.
            ids, mask = pad_rows(texts, self._model.device)
            spans = [
                range(len(text) - len(rows[place][1]) - 1, len(text))
                for place, text in zip(group, texts, strict=True)
            ]
            wanted = sorted({place for span in spans for place in span})
            logits = self._logits(ids, mask, wanted)
            for line, (place, span) in enumerate(zip(group, spans, strict=True)):
                index, stem = rows[place]
                scores[index][stem] = logits[line, [wanted.index(at) for at in span]]
        return sum_labels(batch, scores)

    def _logits(self, ids: Tensor, mask: Tensor, wanted: Sequence[int]) -> Tensor:
        """At the wanted places only: over a large vocabulary logits are what fills the memory."""
        import torch

        keep = {}
        if "logits_to_keep" in self._takes:
            keep["logits_to_keep"] = torch.tensor(wanted, device=ids.device)
        logits: Tensor = self._model(
            input_ids=ids, attention_mask=mask, use_cache=False, **keep
        ).logits
        return logits if keep else logits[:, list(wanted)]

    def _write(
        self, prompts: Sequence[Ids], owners: Sequence[int], writing: Writing, budget: int
    ) -> None:
        import torch
        from transformers import DynamicCache, StaticCache

        # Mamba has a name of its own.
        cache = "cache_params" if "cache_params" in self._takes else "past_key_values"
        ids, mask = pad_rows(prompts, self._model.device)
        lengths = mask.sum(-1)
        past: Any = DynamicCache(config=self._model.config)
        if self.pads and self._model.device.type in STATIC:
            past = StaticCache(self._model.config, max_cache_len=ids.shape[1] + writing.most)
        last = sorted({len(prompt) - 1 for prompt in prompts})
        keep = torch.tensor(last, device=ids.device)
        output = self._model(
            input_ids=ids,
            attention_mask=mask if self.pads else None,
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
            where = {"position_ids": positions} if "position_ids" in self._takes else {}
            output = self._model(
                input_ids=step,
                attention_mask=mask if self.pads else None,
                use_cache=True,
                **where,
                **{cache: past},
            )
            logits, positions = output.logits[:, -1], positions + 1
