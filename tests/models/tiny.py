"""Tiny language models, made and trained on the spot: no model hub is needed.

They learn to prefer the summary with good words. Training is written apart from `core.models` (it
uses what transformers itself does with `labels`), so that the tests compare two independent
accounts of what a label's probability is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.judging.prompts import PROMPTS, fill
from core.records import Attribute, Question
from tests.paths import ROOT

GOOD = ["bright", "clear", "lovely", "precise", "vivid", "warm"]
BAD = ["awful", "dull", "murky", "rotten", "sloppy", "vague"]
PLAIN = ["a", "the", "city", "river", "council", "bridge", "vote", "road", "plan", "water",
         "people", "town", "market"]  # fmt: skip
LABELS = ("Summary A", "Summary B")
ONE_TOKEN = ("Alpha", "Beta")
SEVERAL_TOKENS = ("the first summary wins", "the second summary wins")
ATTRIBUTE = Attribute("quality", adjective="good")
WRITTEN = sorted(
    file
    for part in ("items", "generations")
    for file in (ROOT / "data/sample").glob(f"*_{part}.jsonl")
)
FIRST = {"items": 10, "generations": 200}
"""Rows of a file that models learn from: what the sample study gets later changes no model."""
VOCABULARY = 2000
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def text(rng: np.random.Generator, words: list[str], shortest: int = 2, longest: int = 9) -> str:
    """Plain words with two of `words` somewhere among them."""
    body = list(rng.choice(PLAIN, rng.integers(shortest, longest)))
    for word in rng.choice(words, 2) if words else []:
        body.insert(rng.integers(0, len(body) + 1), str(word))
    return " ".join(body)


def pairs(seed: int, count: int) -> list[Question]:
    """Questions of mixed length in which A is the good text."""
    rng = np.random.default_rng(seed)
    told = (ATTRIBUTE, (), "article", "summary")
    return [
        Question(index, text(rng, [], 0, 16), text(rng, GOOD), text(rng, BAD), *told)
        for index in range(count)
    ]


def swapped(question: Question) -> Question:
    return replace(question, text_a=question.text_b, text_b=question.text_a)


@contextmanager
def one_thread() -> Iterator[None]:
    """Threads on a busy machine wait for each other: ten times slower for models as small as these."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make_t5(folder: Path) -> Path:
    """A trained T5 of two layers, whose decoder does not start with padding, as FLAN-T5's."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    backend = Tokenizer(models.BPE(unk_token="<unk>"))
    backend.normalizer = normalizers.Replace(Regex(r"\s+"), " ")
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    special, digits = ["<pad>", "</s>", "<unk>", "<start>"], list("0123456789")
    trainer = BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=digits)
    backend.train_from_iterator(_corpus(), trainer)
    backend.post_processor = TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    config = T5Config(  # type: ignore[call-arg]
        vocab_size=len(tokenizer), d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
        dropout_rate=0.0, decoder_start_token_id=3, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return _trained(T5ForConditionalGeneration, config, tokenizer, _t5_loss, folder)


def make_llama(folder: Path, *, chat: bool = False) -> Path:
    """A trained Llama of two layers; with `chat` it has a chat template, and is trained on it."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from tokenizers.trainers import BpeTrainer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    trainer = BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[AddedToken(token, special=True, normalized=False) for token in special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    backend.train_from_iterator(_corpus(), trainer)
    backend.post_processor = TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        model_max_length=512,
    )  # fmt: skip
    if chat:
        tokenizer.chat_template = CHAT
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=512, pad_token_id=0, bos_token_id=1,
        eos_token_id=2,
    )  # fmt: skip
    return _trained(LlamaForCausalLM, config, tokenizer, _llama_loss, folder)


def _corpus() -> list[str]:
    """What models are asked, and texts as they are written: prompts are made of known words."""
    labels = [*LABELS, *ONE_TOKEN, *SEVERAL_TOKENS]
    texts = [fill(PROMPTS["comparative"], question) for question in pairs(1, 200)]
    texts += [text for file in WRITTEN for text in _written(file)]
    texts += [f" {label} {label}" for label in labels] * 50
    return texts + [f"{label}\n" for label in labels] * 50


def _written(file: Path) -> list[str]:
    """Texts without their numbers, so that these are read digit by digit."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    texts = [re.sub(r"\d", " ", str(row.get("text") or row["context"])) for row in rows]
    return texts[: FIRST[file.stem.rpartition("_")[2]]]


def _examples(rng: np.random.Generator, count: int) -> list[tuple[str, str]]:
    """Prompts with their right label, half of them with the good text second."""
    examples = []
    for index, question in enumerate(pairs(int(rng.integers(1 << 30)), count)):
        asked = swapped(question) if index % 2 else question
        examples.append((fill(PROMPTS["comparative"], asked), LABELS[index % 2]))
    return examples


@one_thread()
def _trained(kind: Any, config: Any, tokenizer: Any, loss_of: Any, folder: Path) -> Path:
    import torch

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    model = kind(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 50))
    learnt = 0
    for _ in range(1500):
        loss = loss_of(model, tokenizer, _examples(rng, 32))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        warm_up.step()
        learnt = learnt + 1 if loss.item() < 0.02 else 0
        if learnt == 10:
            break
    else:
        raise RuntimeError(
            f"the tiny {kind.__name__} did not learn (loss {loss.item():.2f}); try another seed"
        )
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _t5_loss(model: Any, tokenizer: Any, examples: list[tuple[str, str]]) -> Any:
    inputs, labels = (
        tokenizer(list(texts), padding=True, return_tensors="pt")
        for texts in zip(*examples, strict=True)
    )
    targets = labels.input_ids
    targets[targets == tokenizer.pad_token_id] = -100
    mask = inputs.attention_mask
    return model(input_ids=inputs.input_ids, attention_mask=mask, labels=targets).loss


def _llama_loss(model: Any, tokenizer: Any, examples: list[tuple[str, str]]) -> Any:
    import torch
    from torch.nn.utils.rnn import pad_sequence

    read = [continued(tokenizer, prompt, label) for prompt, label in examples]
    rows = [torch.tensor(ids) for ids, _ in read]
    targets = [torch.tensor([-100] * start + ids[start:]) for ids, start in read]
    return model(
        input_ids=pad_sequence(rows, batch_first=True),
        attention_mask=pad_sequence([torch.ones_like(row) for row in rows], batch_first=True),
        labels=pad_sequence(targets, batch_first=True, padding_value=-100),
    ).loss


def continued(tokenizer: Any, prompt: str, label: str) -> tuple[list[int], int]:
    """Token ids of prompt and label, and where the label begins."""
    if tokenizer.chat_template:
        messages = [{"role": "user", "content": prompt}]
        start = tokenizer.apply_chat_template(messages, add_generation_prompt=True)["input_ids"]
        return start + tokenizer(label, add_special_tokens=False).input_ids, len(start)
    start = tokenizer(prompt).input_ids
    return start + tokenizer(" " + label, add_special_tokens=False).input_ids, len(start)
