"""Tokens: prompts and labels as a language model reads them, and what it writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

SEAM = 100
"""Characters of a prompt's end, at least, that are tokenised again with each label; and so many
behind a common beginning that prompts have in common, too."""

TAILS = 4096
"""Ends of prompts whose tokens are kept."""

Ids = tuple[int, ...]
LogProbabilities = tuple[float, ...]


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


def _part_ids(tokenizer: Any, text: str, *, is_start: bool = False) -> Ids:
    chat = bool(tokenizer.chat_template)
    options = {} if chat else {"split_special_tokens": True}
    ids = tokenizer(text, add_special_tokens=is_start and not chat, verbose=False, **options)
    return strip_end(ids["input_ids"], tokenizer)


class PromptTokenizer:
    """A tokenizer of a decoder-only model; a label is the assistant's reply where there is a chat
    template, else follows after a space.

    Prompt and label are tokenised together, because tokens may reach across the seam; what the
    prompt alone and the prompt with any label share counts as prompt, all that follows as label.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._chat = bool(tokenizer.chat_template)
        self._special = frozenset(tokenizer.all_special_tokens)
        self._added = frozenset(tokenizer.added_tokens_decoder)
        # Of the end of a text, without what a tokenizer puts before a whole one; the latest are
        # kept: the prompts of an item end in few ways.
        self._tail_ids = lru_cache(TAILS)(partial(_part_ids, tokenizer))
        # What the latest prompts begin with, how much of it is tokenised, and its tokens.
        self._alike, self._end, self._begun, self._latest = "", 0, tuple[int, ...](), ""

    def tokens(self, prompt: str, labels: Sequence[str] = (), system: str = "") -> Tokens:
        """Tokenise a prompt and the labels that may continue it.

        A chat model reads its chat template around them; `system` comes first. What the prompt and
        all its continuations share is the prompt, so that a label's tokens are those in context.
        """
        if self._chat:
            before, prompt, after = self._as_chat(prompt, system)
        else:
            before, prompt, after = "", prepend_system(system, prompt), ""
        alone = self._ids(before, prompt, after)
        is_apart = (prompt + after)[-1:].isspace() or not self._added.isdisjoint(alone[-1:])
        glue = "" if is_apart else " "
        is_plain = not self._holds_control(prompt)
        seam = self._find_seam(before + prompt + after, alone) if labels and is_plain else None
        continued = [
            alone[: -seam[1]] + self._tail_ids(seam[0] + glue + label)
            if seam
            else self._ids(before, prompt, after + glue + label)
            for label in labels
        ]
        shared = common_prefix(alone, *continued)
        return Tokens(alone[:shared], tuple(ids[shared:] for ids in continued))

    def length(self, tokens: Tokens) -> int:
        """Return the number of tokens that the model reads for a prompt with its longest label."""
        return len(tokens.prompt) + max(map(len, tokens.labels), default=1) - 1

    def _as_chat(self, prompt: str, system: str) -> tuple[str, str, str]:
        """Return what the chat template writes before a prompt, the prompt, and what it writes
        after. Some templates cut off the white space of the prompt.

        `enable_thinking` closes the thoughts of models that think aloud, so that the answer may
        follow at once.
        """
        if any(token in system for token in self._special):
            raise ValueError("the system prompt holds control tokens of the model")
        first = [{"role": "system", "content": system}] if system.strip() else []
        text: str = self._tokenizer.apply_chat_template(
            [*first, {"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
        )
        said = prompt if prompt in text else prompt.strip()
        before, found, after = text.rpartition(said)
        if not found:
            raise ValueError("the model's chat template changes what is said")
        return before, said, after

    def _holds_control(self, prompt: str) -> bool:
        """Return whether a prompt holds what would be a control token in a chat."""
        return self._chat and any(token in prompt for token in self._special)

    def _find_seam(self, text: str, ids: Ids) -> tuple[str, int] | None:
        """Return the last words of a text, and their number of tokens, if they have the same tokens
        alone: then only they need be tokenised again with what follows. Some tokenizers put a space
        before a text.
        """
        space = text.rfind(" ", 0, max(0, len(text) - SEAM))
        for start in (space, space + 1) if space >= 0 else ():
            own = self._tail_ids(text[start:])
            if own and ids[-len(own) :] == own and len(own) < len(ids):
                return text[start:], len(own)
        return None

    def _whole_ids(self, text: str) -> Ids:
        """Return the ids of a text. What makes up half of it and more, and the prompt before began
        with, is tokenised once, if it and the rest have had the tokens of the whole.
        """
        if self._alike and text.startswith(self._alike):
            return self._begun + _part_ids(self._tokenizer, text[self._end :])
        ids = _part_ids(self._tokenizer, text, is_start=True)
        shared, self._latest = common_prefix(text, self._latest), text
        space = text.rfind(" ", 0, max(0, shared - SEAM))
        for end in (space, space + 1) if 2 * space > len(text) else ():
            begun = _part_ids(self._tokenizer, text[:end], is_start=True)
            if begun + _part_ids(self._tokenizer, text[end:]) == ids:
                self._alike, self._end, self._begun = text[: end + SEAM], end, begun
                break
        return ids

    def _ids(self, before: str, prompt: str, after: str) -> Ids:
        """Return the ids of a prompt between what a template writes, whose control tokens count;
        the prompt's do not.
        """
        if not self._holds_control(prompt):
            return self._whole_ids(before + prompt + after)
        # As seldom as this is, tokens may not reach across its seams.
        parts = [
            self._tokenizer(part, add_special_tokens=False, verbose=False)["input_ids"]
            for part in (before, after)
        ]
        own = tokenize_plain(self._tokenizer, prompt, add_special_tokens=False)
        return (*parts[0], *own, *parts[1])
