"""Weights on a GPU: in the precision they are published in, and straight to where they are used."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

SMALL = 1_000_000_000
"""Parameters up to which weights published in fp32 stay so on a GPU (4 GB); larger ones would be
several times slower, and nobody runs them so."""

HEADROOM = 0.7
"""Part of a device's free memory that weights may take: keys, values and batches need the rest."""

BATCHES = (2048, 4096, 8192, 16_384, 32_768)
WIDTH = 128  # tokens of a row while batches are timed: about what is new in a comparison
GAIN = 1.1  # a batch twice as large is taken where it is so much faster

_STORED = {"F32": "fp32", "F16": "fp16", "BF16": "bf16"}


def is_quantised(config: Any) -> bool:
    """Return whether weights are published in fewer bits, which transformers reads as they are."""
    return getattr(config, "quantization_config", None) is not None


def find_published_precision(name: str, config: Any) -> str:
    """Return the precision of the weights of a folder or hub name: as the configuration says, else
    as the first file of weights does.
    """
    stated = str(getattr(config, "dtype", None) or "").removeprefix("torch.")
    known = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
    return known.get(stated) or _read_precision(name) or "fp32"


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
