"""Decoder-only models (GPT, Llama): what follows the prompt continues it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from . import tokens as tk
from .prefix_cache import PrefixTree, stateful
from .token_sampling import Writing, ends_of, write_in_groups
from .tokens import Ids, LogProbabilities, Tokens, WrittenText

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


SEAM = 100
"""Characters of a prompt's end, at least, that are tokenised again with each label."""


class Seam(NamedTuple):
    """The end of a prompt and its number of tokens."""

    text: str
    tokens: int


class DecoderOnly:
    """A decoder-only model; a label is the assistant's reply where there is a chat template, else
    follows after a space.

    Prompt and label are tokenised together, because tokens may reach across the seam; what the
    prompt alone and the prompt with any label share counts as prompt, all that follows as label.
    With `share` what prompts have in common is read once (`prefixes`).
    """

    def __init__(self, model: Any, tokenizer: Any, *, share: bool, batch_tokens: int = 0) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._budget = tk.TokenBudget(model.device, batch_tokens, cpu=ROW_TOKENS)
        self._chat = bool(tokenizer.chat_template)
        self._special = frozenset(tokenizer.all_special_tokens)
        self._added = frozenset(tokenizer.added_tokens_decoder)
        self._share = share
        self.limit = tk.limit(model.config, tokenizer)
        self.hardware = tk.hardware(model)

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

    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        """Compute the log-probabilities of the labels of each prompt, in order.

        `batch_tokens` limits the tokens of a batch; None lets the device decide.
        """
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
        found = {
            index: _sums(batch[index], {stem: next(scores) for stem in stems[index]})
            for index in order
        }
        return [found[index] for index in range(len(batch))]

    def _read_whole(self, batch: Sequence[Tokens], most: int) -> list[LogProbabilities]:
        """Read each prompt as a whole, in batches of about the same length."""
        found: dict[int, LogProbabilities] = {}
        rows = [(index, stem) for index, tokens in enumerate(batch) for stem in _stems(tokens)]
        scores: dict[tuple[int, Ids], Tensor] = {}
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
                scores[rows[place]] = logits[line, [wanted.index(at) for at in span]]
        for index, tokens in enumerate(batch):
            found[index] = _sums(tokens, {stem: scores[index, stem] for stem in _stems(tokens)})
        return [found[index] for index in range(len(batch))]

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

    def write(
        self,
        prompts: Sequence[Tokens],
        seeds: Sequence[Sequence[int]],
        *,
        most: int,
        temperature: float = 0.0,
        batch_tokens: int | None = None,
    ) -> list[list[WrittenText]]:
        """Write texts for each prompt, one per seed, of at most `most` tokens.

        Texts are the likeliest at `temperature` 0, else drawn by the seeds. Returns the texts of
        each prompt in order.
        """
        lengths = [
            len(prompt.prompt) * max(1, len(own))
            for prompt, own in zip(prompts, seeds, strict=True)
        ]
        # Rows of several lengths need positions of their own, and no state; other models read one
        # prompt at a time.
        takes = inspect.signature(self._model.forward).parameters
        placed = "position_ids" in takes
        padded = placed and not stateful(self._model)
        cache = (
            "cache_params" if "cache_params" in takes else "past_key_values"
        )  # Mamba has a name of its own
        return self._budget.spend(
            batch_tokens,
            lambda budget: write_in_groups(
                tk.batches(lengths, budget if padded else 0),
                seeds,
                lambda own: Writing(own, temperature, ends_of(self._model), most),
                lambda rows, owners, writing: self._write(
                    [prompts[row].prompt for row in rows],
                    owners,
                    writing,
                    placed=placed,
                    padded=padded,
                    cache=cache,
                ),
                self._tokenizer,
            ),
        )

    def _write(
        self,
        prompts: Sequence[Ids],
        owners: Sequence[int],
        writing: Writing,
        *,
        placed: bool,
        padded: bool,
        cache: str,
    ) -> None:
        """Reads every prompt once, and writes all its texts after it."""
        import torch
        from transformers import DynamicCache, StaticCache

        ids, mask = tk.pad_rows(prompts, self._model.device)
        lengths = mask.sum(-1)
        past: Any = DynamicCache(config=self._model.config)
        if padded and self._model.device.type in STATIC:
            past = StaticCache(self._model.config, max_cache_len=ids.shape[1] + writing.most)
        last = sorted({len(prompt) - 1 for prompt in prompts})
        keep = torch.tensor(last, device=ids.device)
        output = self._model(
            input_ids=ids,
            attention_mask=mask if padded else None,
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
            where = {"position_ids": positions} if placed else {}
            output = self._model(
                input_ids=step,
                attention_mask=mask if padded else None,
                use_cache=True,
                **where,
                **{cache: past},
            )
            logits, positions = output.logits[:, -1], positions + 1

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
        """Return the ids of the end of a text, without what a tokenizer puts before a whole one."""
        options = {} if self._chat else {"split_special_tokens": True}
        ids = self._tokenizer(text, add_special_tokens=False, verbose=False, **options)
        return tk.strip_end(ids["input_ids"], self._tokenizer)

    def _ids(self, before: str, prompt: str, after: str) -> Ids:
        """Return the ids of a prompt between what a template writes, whose control tokens count;
        the prompt's do not.
        """
        if not self._chat:
            return tk.strip_end(tk.tokenize_plain(self._tokenizer, prompt), self._tokenizer)
        if not any(token in prompt for token in self._special):
            ids = self._tokenizer(before + prompt + after, add_special_tokens=False, verbose=False)[
                "input_ids"
            ]
            return tk.strip_end(ids, self._tokenizer)
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


def _stems(tokens: Tokens) -> list[Ids]:
    """Return the last token of the prompt and each label but for its last token: one where the
    labels differ in that alone.
    """
    return list(dict.fromkeys(tokens.prompt[-1:] + label[:-1] for label in tokens.labels))


def _sums(tokens: Tokens, logits: dict[Ids, Tensor]) -> LogProbabilities:
    scores = {stem: part.float().log_softmax(-1) for stem, part in logits.items()}
    found = []
    for label in tokens.labels:
        row = scores[tokens.prompt[-1:] + label[:-1]]
        found.append(float(sum(row[step, token] for step, token in enumerate(label))))
    return tuple(found)
