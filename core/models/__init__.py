"""Models. The only package that may import torch, transformers, sentence_transformers and ray, and
only inside functions.
"""

from .decoding import Decoding
from .extra_body import canonical_body
from .permit import KEY, KeyUse, Permit, permit_no_server, unlisted_server_error
from .respondent import (
    BATCH_SECONDS,
    EXECUTION,
    SERVING,
    SPREADING,
    Answers,
    Family,
    Hardware,
    Member,
    Options,
    Respondent,
    execution_options,
)
from .thoughts import split_thoughts, strip_thoughts

__all__ = [
    "BATCH_SECONDS",
    "EXECUTION",
    "KEY",
    "SERVING",
    "SPREADING",
    "Answers",
    "Decoding",
    "Family",
    "Hardware",
    "KeyUse",
    "Member",
    "Options",
    "Permit",
    "Respondent",
    "canonical_body",
    "execution_options",
    "permit_no_server",
    "split_thoughts",
    "strip_thoughts",
    "unlisted_server_error",
]
