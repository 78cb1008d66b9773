"""Models. The only package that may import torch, transformers and sentence_transformers, and only
inside functions.
"""

from core.models.decoding import Decoding
from core.models.respondent import (
    BATCH_SECONDS,
    EXECUTION,
    SERVING,
    Answers,
    Family,
    Hardware,
    Member,
    Options,
    Respondent,
    execution_options,
)

__all__ = [
    "BATCH_SECONDS",
    "EXECUTION",
    "SERVING",
    "Answers",
    "Decoding",
    "Family",
    "Hardware",
    "Member",
    "Options",
    "Respondent",
    "execution_options",
]
