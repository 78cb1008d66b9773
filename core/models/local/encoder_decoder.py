"""Encoder-decoder models (T5, BART): the prompt goes to the encoder, what follows it to the
decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...records import TandemError
from .language_model import TransformersModel, Writing, list_stems, sum_labels
from .tokens import (
    Ids,
    LogProbabilities,
    Tokens,
    batches,
    pad_rows,
    prepend_system,
    strip_end,
    tokenize_plain,
)

if TYPE_CHECKING:
    from torch import Tensor

BATCH_TOKENS = 768  # on a CPU, where a prompt of this length is as fast alone, and padding costs
DECODED = 8192
"""Least number of encoded tokens the decoder is asked about at once: its few places cost less than
to fetch its weights.
"""


class EncoderDecoder(TransformersModel):
    """An encoder-decoder model; a label follows the decoder's start token.

    Nothing can be shared between two prompts, since in an encoder every token looks at all others:
    comparisons are batched by length instead.
    """

    def __init__(self, model: Any, tokenizer: Any, *, batch_tokens: int = 0) -> None:
        super().__init__(model, tokenizer, batch_tokens=batch_tokens, cpu=BATCH_TOKENS)
        self._start = _decoder_start(model)

    def tokens(self, prompt: str, labels: Sequence[str] = (), system: str = "") -> Tokens:
        ids = tokenize_plain(self._tokenizer, prepend_system(system, prompt))
        # With what the tokenizer puts in front of a target (nothing for T5, <s> for BART), as in
        # training.
        targets = [self._tokenizer(text_target=label)["input_ids"] for label in labels]
        return Tokens(ids, tuple(strip_end(target, self._tokenizer) for target in targets))

    def length(self, tokens: Tokens) -> int:
        return len(tokens.prompt)  # the labels go to the decoder

    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        def read(most: int) -> list[LogProbabilities]:
            found: dict[int, LogProbabilities] = {}
            # After the memory was full, the decoder is asked about no more than the encoder reads.
            decoded = most if most < (batch_tokens or BATCH_TOKENS) else max(most, DECODED)
            for rows in batches([len(tokens.prompt) for tokens in batch], decoded):
                found |= zip(rows, self._batch([batch[row] for row in rows], most), strict=True)
            return [found[row] for row in range(len(batch))]

        return self._budget.spend(batch_tokens, read)

    def _batch(self, batch: Sequence[Tokens], most: int) -> list[LogProbabilities]:
        import torch

        stems = [list_stems(tokens) for tokens in batch]
        owners = [index for index, own in enumerate(stems) for _ in own]
        begun = [(self._start, *stem) for own in stems for stem in own]
        ids, _ = pad_rows(begun, self._model.device)
        with torch.inference_mode():
            states, mask = self._encode([tokens.prompt for tokens in batch], most)
            # Padding is behind the stem, where a causal decoder cannot see it.
            rows = iter(
                self._model(
                    encoder_outputs=_rows(states, owners),
                    attention_mask=mask[owners],
                    decoder_input_ids=ids,
                    use_cache=False,
                ).logits
            )
            logits = [{stem: next(rows)[: len(stem) + 1] for stem in own} for own in stems]
            return sum_labels(batch, logits)

    def _write(
        self, prompts: Sequence[Ids], owners: Sequence[int], writing: Writing, budget: int
    ) -> None:
        import torch
        from transformers import DynamicCache, EncoderDecoderCache

        states, mask = self._encode(prompts, budget)
        rows = torch.tensor(owners, device=self._model.device)
        cache: Any = EncoderDecoderCache(DynamicCache(), DynamicCache())
        # BART's texts begin with </s><s>.
        forced = getattr(self._model.generation_config, "forced_bos_token_id", None)
        begun = [self._start] if forced is None else [self._start, int(forced)]
        step: Tensor | None = torch.tensor([begun] * len(owners), device=self._model.device)
        while step is not None:
            output = self._model(
                encoder_outputs=_rows(states, rows),
                attention_mask=mask[rows],
                decoder_input_ids=step,
                past_key_values=cache,
                use_cache=True,
            )
            step, kept = writing.step(output.logits[:, -1])
            if kept is not None:
                cache.reorder_cache(kept)
                rows = rows[kept]

    def _encode(self, batch: Sequence[Ids], most: int) -> tuple[Tensor, Tensor]:
        """Return the encoder's states of every prompt, about `most` tokens at once, padded to the
        longest; and the mask of them.
        """
        _, mask = pad_rows(batch, self._model.device)
        states: Tensor | None = None
        for rows in batches(list(map(len, batch)), most):
            ids, seen = pad_rows([batch[row] for row in rows], self._model.device)
            found = self._model.get_encoder()(input_ids=ids, attention_mask=seen).last_hidden_state
            if states is None:
                states = found.new_zeros((*mask.shape, found.shape[-1]))
            states[rows, : ids.shape[1]] = found
        assert states is not None, "a batch has rows"
        return states, mask


def _rows(states: Tensor, owners: Any) -> Any:
    """Return the encoder's states once for every row of the decoder."""
    from transformers.modeling_outputs import BaseModelOutput

    return BaseModelOutput(last_hidden_state=states[owners])


def _decoder_start(model: Any) -> int:
    for config in (model.generation_config, model.config):
        for key in ("decoder_start_token_id", "bos_token_id"):
            if config is not None and getattr(config, key, None) is not None:
                return int(getattr(config, key))
    raise TandemError(
        f"'hf:{model.name_or_path}' names no decoder_start_token_id; add it to its config.json"
    )
