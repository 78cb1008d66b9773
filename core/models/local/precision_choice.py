"""The precision of a model: on a CPU held against full precision once on a machine, on a GPU that
which its weights are published in; and kept on disk.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from ...records import TandemError
from ...whole_files import atomic_write
from ..options import DTYPES
from . import small_model
from .language_model import LanguageModel
from .tokens import LogProbabilities, Tokens

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
    import torch
    import transformers

    if device.type == "cuda":
        chip = [torch.cuda.get_device_name(device)]
    else:
        units = (torch.cpu._is_amx_tile_supported(), torch.cpu._is_avx512_bf16_supported())
        chip = [torch.backends.cpu.get_cpu_capability(), *map(str, units)]
    versions = torch.__version__, transformers.__version__, platform.machine(), device.type
    digest = hashlib.blake2b(digest_size=10)
    digest.update(json.dumps([RULES, *identity, *versions, *chip]).encode())
    return small_model.cache_folder() / f"precision-{digest.hexdigest()}.json"


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


def probabilities(model: LanguageModel, asked: Sequence[Tokens] | None = None) -> list[float]:
    """Return p of the first text in each of the comparisons, or in those `asked`."""
    asked = questions(model) if asked is None else asked
    return [probability(scores) for scores in model.log_probabilities(asked)]


def agree(one: LanguageModel, other: LanguageModel, most: float) -> bool:
    """Return whether two ways to read differ by less than `most` on two of the comparisons. False
    if one of them breaks.
    """
    few = questions(one)[:2]
    try:
        return measure_shift(probabilities(one, few), probabilities(other, few)) < most
    except Exception:
        return False


def measure_shift(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the greatest difference of a probability; above 1 if one is not a number."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return 2.0 if any(map(math.isnan, apart)) else max(apart, default=0.0)


def probability(scores: LogProbabilities) -> float:
    """Compute p(A) from the log-probabilities of the labels of A and B."""
    a, b = scores
    return 1 / (1 + math.exp(min(b - a, 700.0)))


# ---- On a GPU


SMALL = 1_000_000_000
"""Parameters up to which weights published in fp32 stay so on a GPU (4 GB); larger ones would be
several times slower, and nobody runs them so."""

HEADROOM = 0.7
"""Part of a device's free memory that weights may take: keys, values and batches need the rest."""

BATCHES = (2048, 4096, 8192, 16_384, 32_768)
WIDTH = 128  # tokens of a row while batches are timed: about what is new in a comparison
GAIN = 1.1  # a batch twice as large is taken where it is so much faster

TORCH_NAMES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
_PUBLISHED = {name: short for short, name in TORCH_NAMES.items()}
_STORED = {"F32": "fp32", "F16": "fp16", "BF16": "bf16"}


def is_quantised(config: Any) -> bool:
    """Return whether weights are published in fewer bits, which transformers reads as they are."""
    return getattr(config, "quantization_config", None) is not None


def find_published_precision(name: str, config: Any) -> str:
    """Return the precision of the weights of a folder or hub name: as the configuration says, else
    as the first file of weights does.
    """
    stated = str(getattr(config, "dtype", None) or "").removeprefix("torch.")
    return _PUBLISHED.get(stated) or _read_precision(name) or "fp32"


def _read_precision(name: str) -> str:
    from transformers.utils import cached_file

    for file in ("model.safetensors", "model.safetensors.index.json"):
        path = cached_file(name, file, _raise_exceptions_for_missing_entries=False)
        if path and file.endswith(".json"):
            shards = json.loads(Path(path).read_text(encoding="utf-8"))["weight_map"]
            path = cached_file(name, next(iter(shards.values())))
        if path:
            with Path(path).open("rb") as weights:
                header = json.loads(weights.read(struct.unpack("<Q", weights.read(8))[0]))
            kinds = [of["dtype"] for of in header.values() if "dtype" in of]
            return next((_STORED[kind] for kind in kinds if kind in _STORED), "")
    return ""


def choose_gpu_precision(published: str, parameters: int, *, has_bf16: bool) -> str:
    """Return the precision for a GPU: the published one, except that large weights in fp32 are read
    in bf16, and that a GPU without bf16 reads fp16 or, since bf16's range is wider, fp32.
    """
    if published == "fp16" or (published == "fp32" and parameters <= SMALL):
        return published
    return "bf16" if has_bf16 else "fp16" if published == "fp32" else "fp32"


def choose_device_map(weights: int, free: int, gpus: int) -> Any:
    """Return where transformers puts `weights` bytes: on the first GPU if its `free` bytes hold
    them, else over all GPUs.
    """
    return "auto" if gpus > 1 and weights > HEADROOM * free else {"": 0}


def measure_batch_tokens(model: Any) -> int:
    """Return the number of tokens from which larger batches gain little on this card, as timed."""
    import torch

    body = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    best, pace = BATCHES[0], 0.0
    for tokens in BATCHES:
        ids = torch.ones((tokens // WIDTH, WIDTH), dtype=torch.long, device=model.device)
        taken = []
        try:
            for _ in range(3):
                began = time.perf_counter()
                with torch.inference_mode():  # to read a number waits for the device
                    float(body(input_ids=ids, use_cache=False)[0][0, 0, 0])
                taken.append(time.perf_counter() - began)
        except torch.OutOfMemoryError:
            break
        if tokens / min(taken) < GAIN * pace:
            break
        best, pace = tokens, tokens / min(taken)
    return best
