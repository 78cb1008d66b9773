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
    least_certain,
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
    vote_value,
)
from .agreement import (
    CONTRADICTS,
    FIRST,
    NEITHER,
    SECOND,
    SHARED,
    Meetings,
    VerdictComparison,
    is_same_verdict,
    plurality,
    tabulate_verdicts,
)
from .alternative_annotator import (
    ALIGNMENT,
    PASSES,
    UNANSWERED,
    AnnotatorTest,
    ReplacementTerms,
    alternative_annotator,
)
from .always_valid import FEWEST_ITEMS, shares_at_every_look
from .bradley_terry import TieFit, has_maximum, regularised_bradley_terry, tie_fit
from .columns import SCALE, Codes, Floats, components
from .correlation import Constant, ResampledFigures
from .deciding_votes import FittedThreshold, find_deciding_votes, is_counted
from .drawing import MEMORY, Drawing, Resolve
from .elo import compute_drift_p, elo_path, sep_steps
from .judged_pairs import JudgedPairs
from .jury import NoVerdictError
from .length_bias import length_effect
from .length_controlled import FEWEST_SYSTEMS
from .method import EACH_JUDGE, MADE_FOR, Method
from .opponents import unevenness
from .product_of_experts import Experts
from .ranks import rankdata
from .ratings import RATINGS
from .replay import Target
from .separability import scenario
from .style_control import control_effects
from .token_matching import bertscores
from .uncertainty import ENOUGH_JUDGES, Uncertainty
from .win_ratio import win_ratio

__all__ = [
    "ALIGNMENT",
    "CONTRADICTS",
    "EACH_JUDGE",
    "ENOUGH_JUDGES",
    "FEWEST_ITEMS",
    "FEWEST_SYSTEMS",
    "FIRST",
    "MADE_FOR",
    "MEMORY",
    "NEITHER",
    "PASSES",
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
    "is_same_verdict",
    "jury",
    "least_certain",
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
    "scenario",
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
    "vote_value",
    "win_ratio",
]
