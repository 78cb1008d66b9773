"""Long work, bit by bit: what is left is read off the store, so a run can be cut off anywhere and
go on.
"""

from core.runs import attack, batch, execution, generate, measure, preview, score, worker
from core.runs.answering import load_respondent
from core.runs.estimate import Latency, Pace, RunEstimate, estimate_run, short_time
from core.runs.generate import GenerationRequest
from core.runs.locks import wait_for_lock
from core.runs.measure import expected_seconds, outlook
from core.runs.overview import load_overview
from core.runs.sample_warnings import SPLIT, describe_identical_samples
from core.runs.tasks import WORKS

__all__ = [
    "SPLIT",
    "WORKS",
    "GenerationRequest",
    "Latency",
    "Pace",
    "RunEstimate",
    "attack",
    "batch",
    "describe_identical_samples",
    "estimate_run",
    "execution",
    "expected_seconds",
    "generate",
    "load_overview",
    "load_respondent",
    "measure",
    "outlook",
    "preview",
    "score",
    "short_time",
    "wait_for_lock",
    "worker",
]
