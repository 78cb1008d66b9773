"""The engine vLLM, held against transformers by a double that takes and gives what vLLM 0.33.0 does.

vLLM itself was not run: it needs a GPU, and other versions of torch and transformers.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from core.installation import MissingPackageError
from core.judging import registry
from core.models import Options
from core.models.local import loading
from core.models.options import ENGINES
from core.records import Candidate, Slot, TandemError
from tests.models import tiny

BLOCK = 16  # tokens of a prompt that vLLM keeps together


@dataclass
class SamplingParams:
    """The part of vLLM's that is used; like its own, it knows no other names."""

    max_tokens: int = 16
    temperature: float = 1.0
    seed: int | None = None
    detokenize: bool = True
    prompt_logprobs: int | None = None
    logprob_token_ids: list[int] = field(default_factory=list)


class LLM:
    """vLLM's face over transformers. `read` counts the tokens that its prefix cache did not hold."""

    made: list[LLM]

    def __init__(self, *, model: str, dtype: str, **settings: Any) -> None:
        self._model = AutoModelForCausalLM.from_pretrained(model, dtype=getattr(torch, dtype))
        self.settings, self.read = settings, 0
        limit = self._model.config.max_position_embeddings
        self.model_config = SimpleNamespace(max_model_len=limit, dtype=self._model.dtype)
        self._blocks: set[tuple[int, ...]] = set()
        LLM.made.append(self)

    def generate(self, prompts: Any, params: list[SamplingParams], *, use_tqdm: bool) -> list[Any]:
        assert not use_tqdm
        return [
            self._answer(one["prompt_token_ids"], how)
            for one, how in zip(prompts, params, strict=True)
        ]

    @torch.inference_mode()
    def _answer(self, ids: list[int], how: SamplingParams) -> Any:
        assert len(ids) + how.max_tokens <= self.model_config.max_model_len
        assert len(how.logprob_token_ids) <= 128
        blocks = [tuple(ids[:end]) for end in range(BLOCK, len(ids), BLOCK)]
        is_cached = how.prompt_logprobs is None  # else vLLM reads all of the prompt
        self.read += len(ids) - BLOCK * sum(is_cached and one in self._blocks for one in blocks)
        self._blocks |= set(blocks)
        scores = self._model(torch.tensor([ids])).logits[0].float().log_softmax(-1)
        written: list[int] = []
        ends = {self._model.config.eos_token_id}
        draw = torch.Generator().manual_seed(how.seed or 0)
        while len(written) < how.max_tokens and not ends & set(written):
            last = self._model(torch.tensor([ids + written])).logits[0, -1].float()
            weights = (
                (last / how.temperature).softmax(-1) if how.temperature else last == last.max()
            )
            written.append(int(torch.multinomial(weights.float(), 1, generator=draw)))
        read = [{b: logprob(row[b])} for row, b in zip(scores, ids[1:], strict=False)]
        chosen = {one: logprob(scores[-1, one]) for one in [*how.logprob_token_ids, written[0]]}
        return SimpleNamespace(
            prompt_logprobs=None if is_cached else [None, *read],
            outputs=[
                SimpleNamespace(
                    token_ids=written,
                    logprobs=[chosen] if how.logprob_token_ids else None,
                    finish_reason="stop" if ends & set(written) else "length",
                )
            ],
        )


def logprob(value: torch.Tensor) -> Any:
    return SimpleNamespace(logprob=float(value))


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> list[LLM]:
    """The double as the package vllm; the engines that were made."""
    module: Any = ModuleType("vllm")
    module.__spec__, module.LLM, module.SamplingParams = (
        ModuleSpec("vllm", None),
        LLM,
        SamplingParams,
    )
    monkeypatch.setitem(sys.modules, "vllm", module)
    LLM.made = []
    return LLM.made


def both(make: Any, name: Path, **given: Any) -> list[Any]:
    """The same respondent by each engine."""
    given = {"dtype": "fp32", **given}
    return [make(f"hf:{name}", Options(engine=one, **given)) for one in ENGINES]


@pytest.mark.parametrize("labels", [tiny.LABELS, tiny.ONE_TOKEN, tiny.SEVERAL_TOKENS])
def test_p_is_that_of_transformers_under_the_same_name(
    vllm: list[LLM], llama: Path, labels: tuple[str, str]
) -> None:
    ours, theirs = both(registry.make, llama, labels=labels)
    questions = tiny.pairs(5, 12)
    expected, found = ours.answers(questions), theirs.answers(questions)
    assert ours.spec == theirs.spec
    assert theirs.hardware == ("vllm", "float32")
    assert [one.prob_a for one in found] == pytest.approx(
        [one.prob_a for one in expected], abs=1e-5
    )
    [engine] = vllm
    safe = {"trust_remote_code": False, "load_format": "safetensors"}
    assert engine.settings.items() >= {**safe, "enable_prefix_caching": True}.items()


def test_what_prompts_share_is_read_once(vllm: list[LLM], chat_llama: Path) -> None:
    model: Any = loading.load(str(chat_llama), dtype="fp32", engine="vllm")
    prompts = [model.tokens("a long road " * 40 + word, tiny.LABELS) for word in tiny.GOOD]
    model.log_probabilities(prompts)
    length = len(prompts[0].prompt)
    assert length < vllm[0].read < 3 * length, "of six prompts, each asked about twice"


def test_marks_and_whole_texts(vllm: list[LLM], chat_llama: Path) -> None:
    candidates = [
        Candidate(0, "the town", text, tiny.ATTRIBUTE) for text in ("a clear plan", "mud")
    ]
    for mode in ("g-eval", "gptscore"):
        expected, found = (
            [mark.value for mark in one.answers(candidates)]
            for one in both(registry.make, chat_llama, mode=mode)
        )
        assert found == pytest.approx(expected, abs=1e-5)


def test_texts_are_written(vllm: list[LLM], chat_llama: Path) -> None:
    how = {"instruction": "Summarise:", "max_tokens": 6}
    slots = [Slot(0, "i0", sample, "the river and the road") for sample in range(3)]
    expected, found = (one.answers(slots) for one in both(registry.make_writer, chat_llama, **how))
    assert found == expected, "the likeliest words"
    _, warm = both(registry.make_writer, chat_llama, temperature=1.5, **how)
    drawn = [one.raw for one in warm.answers(slots)]
    assert len(set(drawn)) == 3
    assert [one.raw for one in warm.answers(slots[::-1])] == drawn[::-1], "whatever the company"


def test_what_it_cannot_do(
    vllm: list[LLM], t5: Path, llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TandemError, match=r"\bencoder-decoder\b.*\bvLLM\b"):
        loading.load(str(t5), engine="vllm")
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.setattr("core.models.local.vllm_engine.is_installed", lambda name: False)
    with pytest.raises(MissingPackageError, match=r"\bvllm\b.*\bpip install\b"):
        loading.load(str(llama), engine="vllm")
