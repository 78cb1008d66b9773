"""Statistics as pure functions of numpy arrays: they know no column names, no store and no
randomness of their own.
"""

from core.statistics import (
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
from core.statistics.agreement import (
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
from core.statistics.alternative_annotator import (
    ALIGNMENT,
    PASSES,
    UNANSWERED,
    AnnotatorTest,
    ReplacementTerms,
    alternative_annotator,
)
from core.statistics.always_valid import FEWEST_ITEMS, shares_at_every_look
from core.statistics.bradley_terry import TieFit, has_maximum, regularised_bradley_terry, tie_fit
from core.statistics.columns import SCALE, Codes, Floats, components
from core.statistics.correlation import Constant, ResampledFigures
from core.statistics.deciding_votes import FittedThreshold, find_deciding_votes, is_counted
from core.statistics.drawing import MEMORY, Drawing, Resolve
from core.statistics.elo import compute_drift_p, elo_path, sep_steps
from core.statistics.judged_pairs import JudgedPairs
from core.statistics.jury import NoVerdictError
from core.statistics.length_bias import length_effect
from core.statistics.length_controlled import FEWEST_SYSTEMS
from core.statistics.method import EACH_JUDGE, MADE_FOR, Method
from core.statistics.opponents import unevenness
from core.statistics.product_of_experts import Experts
from core.statistics.ranks import rankdata
from core.statistics.ratings import RATINGS
from core.statistics.replay import Target
from core.statistics.separability import scenario
from core.statistics.style_control import control_effects
from core.statistics.tie_models import TIE_MODELS
from core.statistics.token_matching import bertscores
from core.statistics.uncertainty import ENOUGH_JUDGES, Uncertainty
from core.statistics.win_ratio import win_ratio

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
    "TIE_MODELS",
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
