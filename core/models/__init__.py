"""Models. The only package that may import torch, transformers, sentence_transformers and ray, and
only inside functions.
"""

from .cluster import CLUSTER_ADDRESS, WorkerPool
from .decoding import Decoding, canonical_body
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
