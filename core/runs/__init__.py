"""Long work, bit by bit: what is left is read off the store, so a run can be cut off anywhere and
go on.
"""

from . import batch, execution, generate, measure, preview, probe, score, worker
from .answering import load_respondent
from .compare import choose_canaries
from .execution import SPLIT, WORKS, describe_identical_samples, load_overview, wait_for_lock
from .generate import GenerationRequest
from .measure import expected_seconds, outlook
from .preview import Latency, Pace, RunEstimate, estimate_run, short_time
