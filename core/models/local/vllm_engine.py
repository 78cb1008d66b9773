"""vLLM in this process, as another engine of decoder-only models.

Written from the source of vLLM 0.33.0 (November 2026) and tried with a double of it alone, not with
vLLM, which needs a GPU and other versions of torch and transformers than `models`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ...installation import MissingPackageError, is_clone, is_installed
from ...records import TandemError, option_ref
from ..respondent import Hardware
from .language_model import LanguageModel, find_limit
from .tokens import Ids, LogProbabilities, PromptTokenizer, Tokens, WrittenText

MOST_IDS = 128
"""Tokens whose probabilities vLLM gives at a place, at most (its MAX_LOGPROB_TOKEN_IDS)."""


def check_engine() -> None:
    """Check that vLLM is installed. Raises MissingPackageError."""
    if not is_installed("vllm"):
        package = "." if is_clone() else "tandem"
        raise MissingPackageError(
            f"{option_ref('engine')} vllm needs vLLM: pip install '{package}[vllm]' in an "
            "environment of its own"
        )


class VllmModel(PromptTokenizer, LanguageModel):
    """A decoder-only model that vLLM reads, in batches of its own making: `batch_tokens` plays no
    part.

    What prompts share is read once (its prefix cache). vLLM reads a prompt anew, however, whose own
    log-probabilities are asked for. So of several labels each token is asked for as the one to
    come, after the label's tokens before it; a label alone, which may be a whole text, is asked for
    as the end of a prompt.
    """

    def __init__(self, name: str, config: Any, tokenizer: Any, dtype: str) -> None:
        if config.is_encoder_decoder:
            raise TandemError(
                f"'hf:{name}' is an encoder-decoder, which vLLM does not read: leave out "
                f"{option_ref('engine')} vllm"
            )
        super().__init__(tokenizer)
        import vllm

        self._llm: Any = vllm.LLM(
            model=name,
            dtype=dtype,
            load_format="safetensors",
            trust_remote_code=False,
            enable_prefix_caching=True,
            max_model_len=-1,  # what the memory holds
        )
        fits = self._llm.model_config.max_model_len
        # Less a label's last token, and the one that it always writes.
        self.limit = min(find_limit(config, tokenizer), fits) - 2
        self.hardware = Hardware("vllm", str(self._llm.model_config.dtype).removeprefix("torch."))

    def log_probabilities(
        self, batch: Sequence[Tokens], batch_tokens: int | None = None
    ) -> list[LogProbabilities]:
        asks: list[tuple[Ids, dict[str, Any]]] = []
        starts: dict[Ids, int] = {}  # of labels that are read as the ends of prompts
        for tokens in batch:
            if len(tokens.labels) == 1:
                asks.append((tokens.prompt + tokens.labels[0], {"prompt_logprobs": 0}))
                starts[asks[-1][0]] = len(tokens.prompt)
                continue
            for before, after in _steps(tokens).items():
                ids = sorted(after)
                asks += [
                    (tokens.prompt + before, {"logprob_token_ids": ids[start : start + MOST_IDS]})
                    for start in range(0, len(ids), MOST_IDS)
                ]
        known: dict[tuple[Ids, int], float] = {}
        for (read, how), output in zip(asks, self._ask(asks), strict=True):
            if "prompt_logprobs" in how:
                for at in range(starts[read], len(read)):
                    known[read[:at], read[at]] = output.prompt_logprobs[at][read[at]].logprob
            else:
                given = output.outputs[0].logprobs[0]
                known |= {(read, token): given[token].logprob for token in how["logprob_token_ids"]}
        return [
            tuple(
                sum(known[tokens.prompt + label[:at], token] for at, token in enumerate(label))
                for label in tokens.labels
            )
            for tokens in batch
        ]

    def write(
        self,
        prompts: Sequence[Tokens],
        seeds: Sequence[Sequence[int]],
        *,
        most: int,
        temperature: float = 0.0,
        batch_tokens: int | None = None,
    ) -> list[list[WrittenText]]:
        # Texts are drawn by vLLM's generator, so they are others than by transformers.
        asks: list[tuple[Ids, dict[str, Any]]] = [
            (one.prompt, {"max_tokens": most, "temperature": temperature, "seed": seed >> 1})
            for one, own in zip(prompts, seeds, strict=True)
            for seed in own
        ]
        texts = []
        for output in self._ask(asks):
            ids, why = list(output.outputs[0].token_ids), output.outputs[0].finish_reason
            text = self._tokenizer.decode(ids, skip_special_tokens=True).strip()
            texts.append(WrittenText(text, len(ids), is_cut=why == "length"))
        written = iter(texts)
        return [[next(written) for _ in own] for own in seeds]

    def _ask(self, asks: Sequence[tuple[Ids, Mapping[str, Any]]]) -> list[Any]:
        """Return vLLM's outputs in order. It is asked in the order of the tokens, so that prompts
        that begin alike follow each other.
        """
        from vllm import SamplingParams

        usual: dict[str, Any] = {"max_tokens": 1, "temperature": 0.0, "detokenize": False}
        order = sorted(range(len(asks)), key=lambda index: asks[index][0])
        outputs = self._llm.generate(
            [{"prompt_token_ids": list(asks[index][0])} for index in order],
            [SamplingParams(**usual | dict(asks[index][1])) for index in order],
            use_tqdm=False,
        )
        by_index = dict(zip(order, outputs, strict=True))
        return [by_index[index] for index in range(len(asks))]


def _steps(tokens: Tokens) -> dict[Ids, set[int]]:
    """Return for each beginning of a label the tokens that may follow it."""
    steps: dict[Ids, set[int]] = defaultdict(set)
    for label in tokens.labels:
        for at, token in enumerate(label):
            steps[label[:at]].add(token)
    return steps
