"""Models on this machine."""

from core.models.local import loading
from core.models.local.encoder import PRECISIONS, Encoded, Encoder, fast_bf16
from core.models.local.text_writer import ModelSampler
from core.models.local.tokens import (
    Ids,
    LanguageModel,
    LogProbabilities,
    Tokens,
    Written,
    common_prefix,
)

__all__ = [
    "PRECISIONS",
    "Encoded",
    "Encoder",
    "Ids",
    "LanguageModel",
    "LogProbabilities",
    "ModelSampler",
    "Tokens",
    "Written",
    "common_prefix",
    "fast_bf16",
    "loading",
]
