"""Check whether the order of systems depends on how ties count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...records import TandemError
from ...settings import list_settings
from ...statistics import Drawing
from .fitted_board import FittedBoard, rate_frame
from .rating_input import SYSTEMS, RatingInput
from .settings import RankSettings

LEVEL = 1e-7  # ratings this close differ by rounding
IF = {
    "half": "If ties counted half",
    "drop": "If ties were left out",
    "model": "If ties were modelled",
}


def note_tie_treatments(
    fitted: FittedBoard, load: Callable[[RankSettings], RatingInput]
) -> list[str]:
    """For each other treatment of ties that the method takes, which systems would change places;
    nothing where none would. `load` gives the comparisons by other settings.
    """
    settings, systems = fitted.settings, fitted.systems
    if settings.rating_method.outcome == "rankings":
        return []
    dropped = settings.ties == "drop"
    frame = load(replace(settings, ties="half")).frame if dropped else fitted.frame
    frame = frame[frame[list(SYSTEMS)].isin(systems).all(axis=1)]
    tied = frame["points"] == 0.5
    if not tied.any():
        return []
    found, nothing = [], Drawing(np.random.default_rng(fitted.selection.seed), 0)
    best_first = np.argsort(-np.nan_to_num(fitted.board.rating, nan=-np.inf), kind="stable")
    for ties in list_settings(RankSettings)["ties"].choices:
        if ties == settings.ties:
            continue
        kept = frame[~tied] if ties == "drop" else frame
        try:
            other = rate_frame(kept, SYSTEMS, systems, nothing, replace(settings, ties=ties))
        except TandemError:  # not a treatment of this method, or one that leaves nothing to rate
            continue
        shown, then = (board.rating[best_first] for board in (fitted.board, other))
        ahead = np.subtract.outer(shown, shown) > LEVEL
        turned = np.argwhere(ahead & (np.subtract.outer(then, then) < -LEVEL))
        if len(turned):
            first, second = systems[best_first[turned[0]]]
            change = f"{second} would stand above {first}."
            if len(turned) > 1:
                change = (
                    f"{len(turned)} pairs of systems would change places, such as {first} and "
                    f"{second}."
                )
            found.append(f"{IF[ties]}, {change}")
    return found
