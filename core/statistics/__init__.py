"""Statistics as pure functions of numpy arrays: no column names, no store, no own randomness."""

from . import (
    acceptance,
    active_choice,
    agreement,
    calibration,
    correlation,
    intervals,
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
from .alternative_annotator import UNANSWERED, ReplacementTerms, alternative_annotator
from .bradley_terry import has_maximum, regularised_bradley_terry
from .columns import MADE_FOR, SCALE, Codes, Floats, Method, components, unevenness
from .correlation import Constant, ResampledFigures, rankdata
from .deciding_votes import find_deciding_votes, is_counted
from .drawing import MEMORY, Drawing, Resolve
from .elo import compute_drift_p, elo_path, sep_steps
from .jury import NoVerdictError, fit_jury
from .length_controlled import FEWEST_SYSTEMS
from .logistic import fit_logistic
from .position_bias import length_effect
from .product_of_experts import Experts
from .ratings import RATINGS
from .rectified_ratings import JudgedPairs
from .replay import Target
from .style_control import control_effects
from .system_level import measure_system_bias
from .uncertainty import ENOUGH_JUDGES, Uncertainty, shares_at_every_look
from .win_ratio import win_ratio
