"""Tokens: what a language model reads, and what it is expected to say to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..respondent import Hardware

if TYPE_CHECKING:
    from torch import Tensor

RELATIVE_LIMIT = 2048
"""Most tokens of a prompt for models with relative positions (T5), which name no end of their own:
a guard for memory.
"""

FEWEST = 64
"""Tokens read at once that are halved no further when the memory is full."""

Ids = tuple[int, ...]
LogProbabilities = tuple[float, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Tokens:
    """A prompt and the words that may follow it, as token ids; without any words just the
    prompt."""

    prompt: Ids
    labels: tuple[Ids, ...] = ()


@dataclass(frozen=True)
class WrittenText:
    """Text that a model wrote, its number of `tokens`, and whether it used them up before its end
    (`is_cut`).
    """

    text: str
    tokens: int
    is_cut: bool = False


class LanguageModel(Protocol):
    """`limit`: the most tokens it reads at once. `length`: how many of them a prompt with its
    labels takes.
    """

    limit: int
    hardware: Hardware

    def tokens(self, prompt: str, labels: Sequence[str] = (), system: str = "") -> Tokens:
        """Tokenise a prompt, after its `system` text, and the labels that may continue it."""

    def length(self, tokens: Tokens) -> int:
        """Return the number of tokens that the model reads for a prompt."""

    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        """Compute log P(label | prompt) of every label, the sum over its teacher-forced tokens,
        without an end-of-text token.

        About `batch_tokens` are read at once. A row does not depend on its batch but for rounding.
        """
        ...

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
        ...


def prepend_system(system: str, prompt: str) -> str:
    """Return the words for a model without roles: the system prompt, if any, and the prompt."""
    return f"{system.strip()}\n\n{prompt}" if system.strip() else prompt


def tokenize_plain(tokenizer: Any, text: str, **options: Any) -> Ids:
    """Return the ids of a text without control tokens: "</s>" in a candidate ends nothing."""
    return tuple(tokenizer(text, verbose=False, split_special_tokens=True, **options)["input_ids"])


def strip_end(ids: Iterable[int], tokenizer: Any) -> Ids:
    """Return token ids without the end token, if they end in it."""
    kept = tuple(ids)
    return kept[:-1] if kept and kept[-1] == tokenizer.eos_token_id else kept


def common_prefix(*rows: Ids | str) -> int:
    """Count the tokens, or letters, with which all rows begin."""
    shared, end = 0, min(map(len, rows))
    while shared < end:  # by halves: tuples are compared faster than their members in turn
        half = (shared + end + 1) // 2
        if all(row[shared:half] == rows[0][shared:half] for row in rows):
            shared = half
        else:
            end = half - 1
    return shared


def limit(config: Any, tokenizer: Any) -> int:
    """Return how many tokens a model can read at once: its positions, or `RELATIVE_LIMIT` for
    relative ones.
    """
    text = config.get_text_config()
    if hasattr(text, "relative_attention_num_buckets"):
        return RELATIVE_LIMIT
    positions = getattr(text, "max_position_embeddings", None) or RELATIVE_LIMIT
    return int(min(positions, tokenizer.model_max_length))


def pad_rows(rows: Sequence[Ids], device: Any) -> tuple[Tensor, Tensor]:
    """Return token ids padded on the right, and the mask of what is not padding."""
    import torch

    width = max(map(len, rows))
    ids = torch.zeros((len(rows), width), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, : len(row)] = 1
    return ids.to(device), mask.to(device)


def batches(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Return indices of rows of about the same length that, padded, hold about `most` tokens
    together; the longest first.

    The longest first, because what does not fit into memory should be seen at once.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    found: list[list[int]] = []
    for index in order:
        if found and (len(found[-1]) + 1) * lengths[found[-1][0]] <= most:
            found[-1].append(index)
        else:
            found.append([index])
    return found


def hardware(model: Any) -> Hardware:
    """Return the device of a model's weights, and their precisions: "bfloat16+float32" of a mixed
    one.
    """
    dtypes = {str(weight.dtype).removeprefix("torch.") for weight in model.parameters()}
    return Hardware(str(model.device), "+".join(sorted(dtypes)))


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
