"""Models. The only package that may import torch, transformers, sentence_transformers and ray, and
only inside functions.
"""

from core.models.decoding import Decoding
from core.models.respondent import (
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
from core.models.thoughts import split_thoughts, strip_thoughts

__all__ = [
    "BATCH_SECONDS",
    "EXECUTION",
    "SERVING",
    "SPREADING",
    "Answers",
    "Decoding",
    "Family",
    "Hardware",
    "Member",
    "Options",
    "Respondent",
    "execution_options",
    "split_thoughts",
    "strip_thoughts",
]
