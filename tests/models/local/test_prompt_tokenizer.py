"""Prompts as token ids: what they begin and end with is tokenised once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transformers import AutoTokenizer

from core.models.local import tokens
from core.models.local.tokens import PromptTokenizer
from tests.models import tiny


def test_what_prompts_begin_with_is_tokenised_once(
    llama: Path, chat_llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    part = tokens._part_ids

    def count(tokenizer: Any, text: str, **how: Any) -> Any:
        read.append(len(text))
        return part(tokenizer, text, **how)

    monkeypatch.setattr(tokens, "_part_ids", count)
    rng = np.random.default_rng(1)
    contexts = [tiny.text(rng, tiny.GOOD, 200, 300) for _ in range(2)]
    odd = ["Ünïcode 河", "  two  spaces", "", "x" * 30, "<|im_end|>", *map(str, range(20))]
    prompts = [
        f"{context} \n{tiny.text(rng, tiny.BAD)} 12 {word}\nWhich of them is better, and why?"
        for context in contexts
        for word in odd
    ]
    for folder in (llama, chat_llama):
        tokenizer = AutoTokenizer.from_pretrained(folder)
        read.clear()
        kept = PromptTokenizer(tokenizer)
        found = [kept.tokens(prompt, tiny.LABELS) for prompt in prompts]
        assert sum(read) < 0.5 * sum(map(len, prompts))
        alone = [PromptTokenizer(tokenizer).tokens(prompt, tiny.LABELS) for prompt in prompts]
        assert found == alone
