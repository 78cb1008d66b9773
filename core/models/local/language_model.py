"""Language models: what every one of them can do, and what those that transformers reads share."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from ..respondent import Hardware
from .tokens import Ids, LogProbabilities, Tokens, WrittenText, batches

if TYPE_CHECKING:
    from torch import Tensor

RELATIVE_LIMIT = 2048
"""Most tokens of a prompt for models with relative positions (T5), which name no end of their own:
a guard for memory.
"""

FEWEST = 64
"""Tokens read at once that are halved no further when the memory is full."""

T = TypeVar("T")


class LanguageModel(ABC):
    """`limit`: the most tokens it reads at once. `hardware`: what it is on."""

    limit: int
    hardware: Hardware

    @abstractmethod
    def tokens(self, prompt: str, labels: Sequence[str] = (), system: str = "") -> Tokens:
        """Tokenise a prompt, after its `system` text, and the labels that may continue it."""

    @abstractmethod
    def length(self, tokens: Tokens) -> int:
        """Return the number of tokens that the model reads for a prompt with its labels."""

    @abstractmethod
    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        """Compute log P(label | prompt) of every label, the sum over its teacher-forced tokens,
        without an end-of-text token.

        About `batch_tokens` are read at once. A row does not depend on its batch but for rounding.
        """

    @abstractmethod
    def write(
        self,
        prompts: Sequence[Tokens],
        seeds: Sequence[Sequence[int]],
        *,
        most: int,
        temperature: float = 0.0,
        batch_tokens: int | None = None,
    ) -> list[list[WrittenText]]:
        """Write for every prompt one text a seed, of at most `most` tokens: the likeliest words at
        temperature 0, sampled above.
        """


class TransformersModel(LanguageModel):
    """A model that transformers reads, about so many tokens at once: `batch_tokens`, 0 = as suits
    the device (`cpu` on a CPU). It writes in groups of prompts of about one length.
    """

    pads = True
    """Whether rows of several lengths can be read at once."""

    def __init__(self, model: Any, tokenizer: Any, *, batch_tokens: int, cpu: int) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._budget = TokenBudget(model.device, batch_tokens, cpu=cpu)
        self.limit = find_limit(model.config, tokenizer)
        self.hardware = find_hardware(model)

    def write(
        self,
        prompts: Sequence[Tokens],
        seeds: Sequence[Sequence[int]],
        *,
        most: int,
        temperature: float = 0.0,
        batch_tokens: int | None = None,
    ) -> list[list[WrittenText]]:
        import torch

        lengths = [len(one.prompt) * len(own) for one, own in zip(prompts, seeds, strict=True)]
        ends = _find_ends(self._model)

        def write_groups(budget: int) -> list[list[WrittenText]]:
            written: dict[int, list[WrittenText]] = {}
            for rows in batches(lengths, budget if self.pads else 0):
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


def find_limit(config: Any, tokenizer: Any) -> int:
    """Return how many tokens a model can read at once: its positions, or `RELATIVE_LIMIT` for
    relative ones.
    """
    text = config.get_text_config()
    if hasattr(text, "relative_attention_num_buckets"):
        return RELATIVE_LIMIT
    positions = getattr(text, "max_position_embeddings", None) or RELATIVE_LIMIT
    return int(min(positions, tokenizer.model_max_length))


def find_hardware(model: Any) -> Hardware:
    """Return the device of a model's weights, and their precisions: "bfloat16+float32" of a mixed
    one.
    """
    dtypes = {str(weight.dtype).removeprefix("torch.") for weight in model.parameters()}
    return Hardware(str(model.device), "+".join(sorted(dtypes)))


def _find_ends(model: Any) -> frozenset[int]:
    """Return the tokens that end a text, or a turn of a chat."""
    found: set[int] = set()
    for config in (model.generation_config, model.config):
        ends = getattr(config, "eos_token_id", None)
        found |= set(ends if isinstance(ends, list) else [] if ends is None else [ends])
    return frozenset(found)


def list_stems(tokens: Tokens) -> list[Ids]:
    """Return each label but for its last token: one where the labels differ in that alone."""
    return list(dict.fromkeys(label[:-1] for label in tokens.labels))


def sum_labels(
    batch: Sequence[Tokens], logits: Sequence[dict[Ids, Tensor]]
) -> list[LogProbabilities]:
    """Return the log-probabilities of labels from the logits before and after every token of each
    stem; a device is waited for once.
    """
    import torch

    sums: list[Any] = []
    for tokens, own in zip(batch, logits, strict=True):
        scores = {stem: part.float().log_softmax(-1) for stem, part in own.items()}
        for label in tokens.labels:
            row = scores[label[:-1]]
            sums.append(sum((row[at, token] for at, token in enumerate(label)), row.new_zeros(())))
    values = iter(torch.stack(sums).tolist() if sums else ())
    return [tuple(next(values) for _ in tokens.labels) for tokens in batch]


class TokenBudget:
    """Number of tokens that a model reads at once: those asked for, else those measured on the
    device or usual for it; half as many each time that the memory was full.
    """

    def __init__(self, device: Any, measured: int, *, cpu: int) -> None:
        self._most = measured or (cpu if device.type == "cpu" else 16_384)

    def spend(self, asked: int | None, read: Callable[[int], T]) -> T:
        """Return what `read` returns, given the number of tokens. Raises torch's OutOfMemoryError
        where not even `FEWEST` fit.
        """
        import torch

        most = asked or self._most
        while True:
            try:
                return read(most)
            except torch.OutOfMemoryError:
                if most < 2 * FEWEST:
                    raise
            # Not within `except`: the error would hold on to what the failed try has put there.
            most //= 2
            if not asked:
                self._most = most
            if torch.cuda.is_available():
                torch.cuda.empty_cache()


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
