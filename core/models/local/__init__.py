"""Models on this machine."""

from core.models.local import background_fetch, loading, small_model
from core.models.local.encoder import PRECISIONS, EncodedText, Encoder, fast_bf16
from core.models.local.loading import HF
from core.models.local.respondent import OnThisMachine
from core.models.local.text_writer import LOCAL_WRITER
from core.models.local.tokens import (
    Ids,
    LanguageModel,
    LogProbabilities,
    Tokens,
    WrittenText,
    common_prefix,
)

__all__ = [
    "HF",
    "LOCAL_WRITER",
    "PRECISIONS",
    "EncodedText",
    "Encoder",
    "Ids",
    "LanguageModel",
    "LogProbabilities",
    "OnThisMachine",
    "Tokens",
    "WrittenText",
    "background_fetch",
    "common_prefix",
    "fast_bf16",
    "loading",
    "small_model",
]
