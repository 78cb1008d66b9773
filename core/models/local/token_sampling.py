"""Writing: the next token of every row, drawn so that a row is the same in any company."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .tokens import WrittenText

if TYPE_CHECKING:
    from torch import Tensor


class Writing:
    """Texts in the making, one a seed.

    Each draws from a generator of its own, so other texts of the batch do not matter.

    A draw is the place of one uniform number among the summed probabilities. In another batch these
    move by rounding alone, so that a resumed run writes the same except where a number falls on an
    edge.
    """

    def __init__(
        self, seeds: Sequence[int], temperature: float, ends: frozenset[int], most: int
    ) -> None:
        self._draws = [random.Random(seed) for seed in seeds]
        self._temperature, self._ends, self._most = temperature, ends, most
        self._ids: list[list[int]] = [[] for _ in seeds]
        self._ended = [False] * len(self._ids)
        self._steps = 0

    def step(self, logits: Tensor) -> Tensor | None:
        """Return the next tokens, shape (rows, 1), from the logits of shape (rows, vocabulary);
        None when all texts have ended.
        """
        import torch

        if self._temperature > 0:
            summed = (logits.float() / self._temperature).softmax(-1).double().cumsum(-1)
            places = torch.tensor(
                [[draw.random()] for draw in self._draws], dtype=torch.double, device=logits.device
            )
            # Rounding may leave the sum a little below 1.
            chosen = torch.searchsorted(summed, places * summed[:, -1:], right=True).clamp(
                max=logits.shape[-1] - 1
            )
        else:
            chosen = logits.argmax(-1, keepdim=True)
        self._steps += 1
        for row, token in enumerate(chosen[:, 0].tolist()):
            if not self._ended[row]:
                self._ids[row].append(token)
                self._ended[row] = token in self._ends
        return None if self._steps == self._most or all(self._ended) else chosen

    def texts(self, tokenizer: Any) -> list[WrittenText]:
        """Return the texts as written so far; a text without its end is cut off."""
        return [
            WrittenText(
                tokenizer.decode(ids, skip_special_tokens=True).strip(), len(ids), not ended
            )
            for ids, ended in zip(self._ids, self._ended, strict=True)
        ]


def write_in_groups(
    groups: Sequence[Sequence[int]],
    seeds: Sequence[Sequence[int]],
    begun: Callable[[list[int]], Writing],
    read: Callable[[Sequence[int], list[int], Writing], None],
    tokenizer: Any,
) -> list[list[WrittenText]]:
    """Write for every prompt one text a seed, group by group of prompts that are read together.

    `read` gets the prompts of a group, for each text the place of its prompt among these, and what
    `begun` made of their seeds.
    """
    import torch

    written: dict[int, list[WrittenText]] = {}
    for rows in groups:
        owners = [place for place, row in enumerate(rows) for _ in seeds[row]]
        writing = begun([seed for row in rows for seed in seeds[row]])
        with torch.inference_mode():
            read(rows, owners, writing)
        texts = iter(writing.texts(tokenizer))
        written |= {row: [next(texts) for _ in seeds[row]] for row in rows}
    return [written[row] for row in range(len(seeds))]


def ends_of(model: Any) -> frozenset[int]:
    """Return the tokens that end a text, or a turn of a chat."""
    found: set[int] = set()
    for config in (model.generation_config, model.config):
        ends = getattr(config, "eos_token_id", None)
        found |= set(ends if isinstance(ends, list) else [] if ends is None else [ends])
    return frozenset(found)
