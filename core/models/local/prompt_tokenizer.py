"""Prompts of decoder-only models, as token ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import tokens as tk
from .tokens import Ids, Tokens

SEAM = 100
"""Characters of a prompt's end, at least, that are tokenised again with each label; and so many
behind a common beginning that prompts have in common, too."""


TAILS = 4096
"""Ends of prompts whose tokens are kept."""


class Seam(NamedTuple):
    """The end of a prompt and its number of tokens."""

    text: str
    tokens: int


class PromptTokenizer:
    """A tokenizer; a label is the assistant's reply where there is a chat template, else follows
    after a space.

    Prompt and label are tokenised together, because tokens may reach across the seam; what the
    prompt alone and the prompt with any label share counts as prompt, all that follows as label.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._chat = bool(tokenizer.chat_template)
        self._special = frozenset(tokenizer.all_special_tokens)
        self._added = frozenset(tokenizer.added_tokens_decoder)
        self._tails: dict[str, Ids] = {}
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
            before, prompt, after = "", tk.prepend_system(system, prompt), ""
        alone = self._ids(before, prompt, after)
        glue = (
            ""
            if (prompt + after)[-1:].isspace() or (alone[-1:] and alone[-1] in self._added)
            else " "
        )
        is_plain = not self._chat or not any(token in prompt for token in self._special)
        seam = self._find_seam(before + prompt + after, alone) if labels and is_plain else None
        continued = [
            alone[: -seam.tokens] + self._tail_ids(seam.text + glue + label)
            if seam
            else self._ids(before, prompt, after + glue + label)
            if self._chat
            else self._ids("", prompt + glue + label, "")
            for label in labels
        ]
        shared = tk.common_prefix(alone, *continued)
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

    def _find_seam(self, text: str, ids: Ids) -> Seam | None:
        """Return the last words of a text if they have the same tokens alone: then only they need
        be tokenised again with what follows. Some tokenizers put a space before a text.
        """
        space = text.rfind(" ", 0, max(0, len(text) - SEAM))
        if space < 0:
            return None
        for start in (space, space + 1):
            own = self._tail_ids(text[start:])
            if own and ids[-len(own) :] == own and len(own) < len(ids):
                return Seam(text[start:], len(own))
        return None

    def _tail_ids(self, text: str) -> Ids:
        """Return the ids of the end of a text, without what a tokenizer puts before a whole one.

        The latest are kept: the prompts of an item end in few ways.
        """
        if text not in self._tails:
            if len(self._tails) >= TAILS:
                self._tails.clear()
            self._tails[text] = self._part_ids(text)
        return self._tails[text]

    def _part_ids(self, text: str, *, is_start: bool = False) -> Ids:
        options = {} if self._chat else {"split_special_tokens": True}
        adds = is_start and not self._chat
        ids = self._tokenizer(text, add_special_tokens=adds, verbose=False, **options)
        return tk.strip_end(ids["input_ids"], self._tokenizer)

    def _whole_ids(self, text: str) -> Ids:
        """Return the ids of a text. What makes up half of it and more, and the prompt before began
        with, is tokenised once, if it and the rest have had the tokens of the whole.
        """
        if self._alike and text.startswith(self._alike):
            return self._begun + self._part_ids(text[self._end :])
        ids = self._part_ids(text, is_start=True)
        shared, self._latest = tk.common_prefix(text, self._latest), text
        space = text.rfind(" ", 0, max(0, shared - SEAM))
        for end in (space, space + 1) if 2 * space > len(text) else ():
            begun = self._part_ids(text[:end], is_start=True)
            if begun + self._part_ids(text[end:]) == ids:
                self._alike, self._end, self._begun = text[: end + SEAM], end, begun
                break
        return ids

    def _ids(self, before: str, prompt: str, after: str) -> Ids:
        """Return the ids of a prompt between what a template writes, whose control tokens count;
        the prompt's do not.
        """
        if not self._chat or not any(token in prompt for token in self._special):
            return self._whole_ids(before + prompt + after)
        # As seldom as this is, tokens may not reach across its seams.
        parts = [
            self._tokenizer(part, add_special_tokens=False, verbose=False)["input_ids"]
            for part in (before, after)
        ]
        return (
            *parts[0],
            *tk.tokenize_plain(self._tokenizer, prompt, add_special_tokens=False),
            *parts[1],
        )
