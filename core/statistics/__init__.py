"""Statistics as pure functions of numpy arrays: they know no column names, no store and no
randomness of their own.
"""

from . import (
    active_choice,
    agreement,
    calibration,
    correlation,
    intervals,
    jury,
    misfits,
    position_bias,
    prediction_powered,
    ratings,
    reliability,
    replay,
    separability,
    settling,
    system_level,
    transitivity,
    vote_planning,
)
from .agreement import (
    CONTRADICTS,
    FIRST,
    NEITHER,
    SECOND,
    SHARED,
    Meetings,
    VerdictComparison,
    plurality,
    tabulate_verdicts,
)
from .alternative_annotator import (
    ALIGNMENT,
    UNANSWERED,
    AnnotatorTest,
    ReplacementTerms,
    alternative_annotator,
)
from .bradley_terry import TieFit, has_maximum, regularised_bradley_terry, tie_fit
from .columns import EACH_JUDGE, MADE_FOR, SCALE, Codes, Floats, Method, components
from .correlation import Constant, ResampledFigures, rankdata
from .deciding_votes import FittedThreshold, find_deciding_votes, is_counted
from .drawing import MEMORY, Drawing, Resolve
from .elo import compute_drift_p, elo_path, sep_steps
from .jury import NoVerdictError
from .length_bias import length_effect
from .length_controlled import FEWEST_SYSTEMS
from .opponents import unevenness
from .product_of_experts import Experts
from .ratings import RATINGS
from .rectified import JudgedPairs
from .replay import Target
from .separability import bertscores
from .style_control import control_effects
from .uncertainty import ENOUGH_JUDGES, Uncertainty, shares_at_every_look
from .win_ratio import win_ratio

__all__ = [
    "ALIGNMENT",
    "CONTRADICTS",
    "EACH_JUDGE",
    "ENOUGH_JUDGES",
    "FEWEST_SYSTEMS",
    "FIRST",
    "MADE_FOR",
    "MEMORY",
    "NEITHER",
    "RATINGS",
    "SCALE",
    "SECOND",
    "SHARED",
    "UNANSWERED",
    "AnnotatorTest",
    "Codes",
    "Constant",
    "Drawing",
    "Experts",
    "FittedThreshold",
    "Floats",
    "JudgedPairs",
    "Meetings",
    "Method",
    "NoVerdictError",
    "ReplacementTerms",
    "ResampledFigures",
    "Resolve",
    "Target",
    "TieFit",
    "Uncertainty",
    "VerdictComparison",
    "active_choice",
    "agreement",
    "alternative_annotator",
    "bertscores",
    "calibration",
    "components",
    "compute_drift_p",
    "control_effects",
    "correlation",
    "elo_path",
    "find_deciding_votes",
    "has_maximum",
    "intervals",
    "is_counted",
    "jury",
    "length_effect",
    "misfits",
    "plurality",
    "position_bias",
    "prediction_powered",
    "rankdata",
    "ratings",
    "regularised_bradley_terry",
    "reliability",
    "replay",
    "sep_steps",
    "separability",
    "settling",
    "shares_at_every_look",
    "system_level",
    "tabulate_verdicts",
    "tie_fit",
    "transitivity",
    "unevenness",
    "vote_planning",
    "win_ratio",
]
