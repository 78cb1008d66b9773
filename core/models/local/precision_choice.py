"""The precision of a model: held against full precision once on a machine, and kept on disk."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from ...records import TandemError
from ...whole_files import atomic_write
from ..respondent import DTYPES
from . import small_model
from .tokens import LanguageModel, LogProbabilities, Tokens

WORTH_KEEPING = 10_000_000
"""Parameters from which a choice takes longer than to read it again."""

RULES = 3
"""The version of the check. A new one asks every model again."""


@dataclass(frozen=True)
class PrecisionChoice:
    """The precision of a model, whether its prompts may share their beginnings, and how many tokens
    a GPU reads at once (0: what suits a CPU).
    """

    precision: str
    share: bool
    batch_tokens: int = 0


def choice_file(identity: Sequence[str], device: Any) -> Path:
    """Return the file that holds the choice for a model of this `identity` on this hardware.

    The file depends on the versions of torch and transformers, the processor and the GPU.
    """
    digest = hashlib.blake2b(digest_size=10)
    digest.update(json.dumps([RULES, *identity, *_describe_hardware(device)]).encode())
    return small_model.cache_folder() / f"precision-{digest.hexdigest()}.json"


def _describe_hardware(device: Any) -> list[str]:
    import torch
    import transformers

    described = [torch.__version__, transformers.__version__, platform.machine(), device.type]
    if device.type == "cuda":
        return [*described, torch.cuda.get_device_name(device)]
    units = (torch.cpu._is_amx_tile_supported(), torch.cpu._is_avx512_bf16_supported())
    return [*described, torch.backends.cpu.get_cpu_capability(), *map(str, units)]


def read_choice(file: Path) -> PrecisionChoice | None:
    """Read a stored choice; None if it is missing or the file holds something else."""
    with suppress(OSError, ValueError, TypeError):
        choice = PrecisionChoice(**json.loads(file.read_text(encoding="utf-8")))
        if (
            choice.precision in DTYPES
            and isinstance(choice.share, bool)
            and type(choice.batch_tokens) is int
        ):
            return choice
    return None


def keep_choice(file: Path, choice: PrecisionChoice) -> None:
    """Write a choice, whole or not at all. Where nothing can be written it is made again."""
    with suppress(OSError, TandemError):
        os.makedirs(file.parent, exist_ok=True)
        with atomic_write(file) as part:
            part.write_text(json.dumps(asdict(choice)), encoding="utf-8")


_CONTEXT = (
    "The council of a small town on the river voted on Tuesday to close the old bridge to cars "
    "from next spring. Engineers had found cracks in two of its seven piers, and repairs would "
    "have cost more than the town spends on its roads in three years. Shopkeepers on the east bank"
    " fear for their trade; the mayor promised them a ferry, which will run every twenty minutes "
    "and will be free for those who live there. A new bridge could be finished in five years at "
    "the earliest."
)
_TEXTS = (
    "A town closes its old bridge to cars because repairs would cost too much. A free ferry will "
    "take its place.",
    "The mayor likes ferries. The river is old, and there are seven piers and twenty minutes and "
    "five years.",
    "From next spring cars may no longer cross the cracked bridge; shopkeepers on the east bank "
    "fear for their trade, and it will be at least five years until there is a new one.",
)


LABELS = ("Summary A", "Summary B")


def questions(model: LanguageModel) -> list[Tokens]:
    """Return six prompts with one context, or without where that is too long; every pair of texts
    in both orders.
    """
    found = []
    for first, second in permutations(_TEXTS, 2):
        asked = (
            f"Summary A:\n{first}\n\nSummary B:\n{second}\n\n"
            "Which summary is more coherent? Answer with Summary A or Summary B.\nAnswer:"
        )
        for prompt in (f"Article:\n{_CONTEXT}\n\n{asked}", asked):
            tokens = model.tokens(prompt, LABELS)
            if model.length(tokens) <= model.limit:
                found.append(tokens)
                break
    return found


def probabilities(model: LanguageModel) -> list[float]:
    """Return p of the first text in each of the comparisons."""
    return [probability(scores) for scores in model.log_probabilities(questions(model))]


def agree(one: LanguageModel, other: LanguageModel, most: float) -> bool:
    """Return whether two ways to read differ by less than `most` on two of the comparisons. False
    if one of them breaks.
    """
    few = questions(one)[:2]
    try:
        found = [
            [probability(scores) for scores in model.log_probabilities(few)]
            for model in (one, other)
        ]
    except Exception:
        return False
    return measure_shift(*found) < most


def measure_shift(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the greatest difference of a probability; above 1 if one is not a number."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return 2.0 if any(map(math.isnan, apart)) else max(apart, default=0.0)


def probability(scores: LogProbabilities) -> float:
    """Compute p(A) from the log-probabilities of the labels of A and B."""
    a, b = scores
    return 1 / (1 + math.exp(min(b - a, 700.0)))
