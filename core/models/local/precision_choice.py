"""The precision that was chosen for a model, kept on disk: a machine makes the choice once."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.models.local import small_model
from core.records import TandemError
from core.whole_files import written_whole

PRECISIONS = ("fp32", "bf16")
WORTH_KEEPING = 10_000_000
"""Parameters from which a choice takes longer than to read it again."""

RULES = 1
"""The version of the check. A new one asks every model again."""


@dataclass(frozen=True)
class PrecisionChoice:
    """The precision of a model, and whether its prompts may share their beginnings."""

    precision: str
    share: bool


def choice_file(identity: Sequence[str], device: Any) -> Path:
    """Return the file that holds the choice for a model of this `identity` on this hardware.

    Another version of torch or transformers, another processor or another GPU has another file.
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
    tests = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    features = [str(bool(getattr(torch.cpu, test)())) for test in tests]
    return [*described, torch.backends.cpu.get_cpu_capability(), *features]


def read_choice(file: Path) -> PrecisionChoice | None:
    """Read a kept choice; None where there is none, or the file holds something else."""
    with suppress(OSError, ValueError, TypeError):
        choice = PrecisionChoice(**json.loads(file.read_text(encoding="utf-8")))
        if choice.precision in PRECISIONS and isinstance(choice.share, bool):
            return choice
    return None


def keep_choice(file: Path, choice: PrecisionChoice) -> None:
    """Write a choice, whole or not at all. Where nothing can be written it is made again."""
    with suppress(OSError, TandemError):
        os.makedirs(file.parent, exist_ok=True)
        with written_whole(file) as part:
            part.write_text(json.dumps(asdict(choice)), encoding="utf-8")
