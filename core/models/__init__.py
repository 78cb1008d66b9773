"""Models. The only package that may import torch, transformers and sentence_transformers, and only
inside functions.
"""

from core.models.decoding import Decoding
from core.models.respondent import BATCH_SECONDS, Respondent
from core.models.text_writers import Sampler, make_sampler

__all__ = ["BATCH_SECONDS", "Decoding", "Respondent", "Sampler", "make_sampler"]
