"""Models. The only package that may import torch, transformers, sentence_transformers and ray, and
only inside functions.
"""

from .cluster import CLUSTER_ADDRESS, WorkerPool
from .options import (
    EXECUTION,
    KEY,
    SERVING,
    SPREADING,
    Decoding,
    KeyUse,
    Options,
    Permit,
    canonical_body,
    execution_options,
    permit_no_server,
    unlisted_server_error,
)
from .respondent import BATCH_SECONDS, Answers, Family, Hardware, Member, Respondent
from .thoughts import split_thoughts
