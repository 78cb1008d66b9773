"""Writing: the next token of every row, drawn so that a row is the same in any company."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .tokens import Ids, TokenBudget, Tokens, WrittenText, batches

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
        self._seeds = seeds
        self._temperature, self._ends, self.most = temperature, ends, most
        self._ids: list[list[int]] = [[] for _ in seeds]
        self._ended = [False] * len(seeds)
        self._going = list(range(len(seeds)))
        self._steps = 0

    @cached_property
    def _places(self) -> Tensor:
        """The numbers that every text is drawn by, of shape (most, texts, 1)."""
        import torch

        draws = [random.Random(seed) for seed in self._seeds]
        return torch.tensor(
            [[[draw.random()] for draw in draws] for _ in range(self.most)], dtype=torch.double
        )

    def step(self, logits: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return the next tokens of the texts that go on, shape (rows, 1), from the logits of shape
        (rows, vocabulary), and which of these rows they are (None: all); no tokens when all have
        ended.
        """
        import torch

        if self._temperature > 0:
            summed = (logits.float() / self._temperature).softmax(-1).double().cumsum(-1)
            self.__dict__["_places"] = self._places.to(logits.device)
            places = self._places[self._steps, self._going]
            # Rounding may leave the sum a little below 1.
            chosen = torch.searchsorted(summed, places * summed[:, -1:], right=True).clamp(
                max=logits.shape[-1] - 1
            )
        else:
            chosen = logits.argmax(-1, keepdim=True)
        self._steps += 1
        kept = []
        for place, (row, token) in enumerate(zip(self._going, chosen[:, 0].tolist(), strict=True)):
            self._ids[row].append(token)
            self._ended[row] = token in self._ends
            if not self._ended[row]:
                kept.append(place)
        if self._steps == self.most or not kept:
            return None, None
        if len(kept) == len(self._going):
            return chosen, None
        self._going = [self._going[place] for place in kept]
        stay = torch.tensor(kept, device=logits.device)
        return chosen[stay], stay

    def texts(self, tokenizer: Any) -> list[WrittenText]:
        """Return the texts as written so far; a text without its end is cut off."""
        return [
            WrittenText(
                tokenizer.decode(ids, skip_special_tokens=True).strip(), len(ids), not ended
            )
            for ids, ended in zip(self._ids, self._ended, strict=True)
        ]


class TextWriter(ABC):
    """A model that writes, in groups of prompts of about one length."""

    _model: Any
    _tokenizer: Any
    _budget: TokenBudget
    _pads = True
    """Whether rows of several lengths can be read at once."""

    def write(
        self,
        prompts: Sequence[Tokens],
        seeds: Sequence[Sequence[int]],
        *,
        most: int,
        temperature: float = 0.0,
        batch_tokens: int | None = None,
    ) -> list[list[WrittenText]]:
        """Write texts for each prompt, one per seed, of at most `most` tokens."""
        import torch

        lengths = [len(one.prompt) * len(own) for one, own in zip(prompts, seeds, strict=True)]
        ends = _find_ends(self._model)

        def write_groups(budget: int) -> list[list[WrittenText]]:
            written: dict[int, list[WrittenText]] = {}
            for rows in batches(lengths, budget if self._pads else 0):
                owners = [place for place, row in enumerate(rows) for _ in seeds[row]]
                own = [seed for row in rows for seed in seeds[row]]
                writing = Writing(own, temperature, ends, most)
                with torch.inference_mode():
                    self._write([prompts[row].prompt for row in rows], owners, writing, budget)
                texts = iter(writing.texts(self._tokenizer))
                written |= {row: [next(texts) for _ in seeds[row]] for row in rows}
            return [written[row] for row in range(len(seeds))]

        return self._budget.spend(batch_tokens, write_groups)

    @abstractmethod
    def _write(
        self, prompts: Sequence[Ids], owners: Sequence[int], writing: Writing, budget: int
    ) -> None:
        """Read every prompt once, and write all its texts after it: `owners` has for each text the
        place of its prompt. About `budget` tokens are read at once.
        """


def _find_ends(model: Any) -> frozenset[int]:
    """Return the tokens that end a text, or a turn of a chat."""
    found: set[int] = set()
    for config in (model.generation_config, model.config):
        ends = getattr(config, "eos_token_id", None)
        found |= set(ends if isinstance(ends, list) else [] if ends is None else [ends])
    return frozenset(found)
