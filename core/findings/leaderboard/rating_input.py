"""Prepare the input of a rating method: the comparisons of a selection, and its arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ...labels import describe_left_out
from ...records import Kind, TandemError, option_ref
from ...statistics import Floats, Method
from ...store import Store
from ..judgements import calibrating, debiasing
from ..judgements.answers import JUDGING, select_answered
from ..judgements.debiasing import DebiasedJudgements
from ..judgements.population import Population, define_population
from ..judgements.provenance import is_collecting, mark_rest, note_weighed, pooling_notes
from ..judgements.selection import Selection, selection_notes, write_signature
from ..judgements.usable_verdicts import note_unanimity
from ..separability import applications
from . import method_choice, reweighting
from .controls import CONTROL, LENGTH
from .settings import Need, PreparedComparisons, RankSettings
from .sort_rankings import SHARE, load_sorted_pairs


def add_separability(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    """Add to comparisons how far the texts of their item tell the two systems apart, without those
    of which it is unknown.
    """
    frame, unknown = applications.with_separability(
        store, selection, frame, settings.separability, settings.encoder
    )
    left_out = (
        f"{describe_left_out(unknown, 'judgement')}: the item does not tell how separable its "
        "texts are."
    )
    return PreparedComparisons(frame, (left_out,) if unknown else ())


SEPARABILITY = Need(
    "separability",
    lambda frame, settings: {
        "separability": frame["separability"].to_numpy(float),
        "threshold": settings.sep_threshold,
        "alpha": settings.sep_alpha,
        "beta": settings.sep_beta,
    },
    add_separability,
    requires="metrics",
)
"""How far the texts of an item tell the two systems apart."""
NEEDS: dict[str, Need] = {need.name: need for need in (SEPARABILITY, CONTROL, LENGTH, SHARE)}


def list_needs(how: Method) -> list[Need]:
    """List the needs of a method."""
    return [NEEDS[name] for name in how.needs]


def list_arguments(settings: RankSettings, frame: pd.DataFrame) -> dict[str, Any]:
    """List the arguments of the method beyond these comparisons, by name."""
    given: dict[str, Any] = {
        "position": settings.position_term,
        "decisions": not settings.takes_probabilities(frame),
    }
    own = {
        name: given[name] if name in given else getattr(settings, name)
        for name in settings.rating_method.takes
    }
    for need in list_needs(settings.rating_method):
        own |= need.read(frame, settings)
    return own


SYSTEMS = ("system_a", "system_b")
GENERATIONS = ("generation_a", "generation_b")


@dataclass(frozen=True)
class RatingInput:
    """Input of a rating method: comparisons with their `outcome`, and the judgements they come
    from. If votes were only counted, each row counts `times` of them, `drawn` is the population,
    and `items` the number of items.
    """

    frame: pd.DataFrame
    answers: pd.DataFrame  # what wins, losses and ties are counted of
    judged: pd.DataFrame  # all answered judgements, as they were given
    used: int
    unanswered: Mapping[str, int]
    notes: tuple[str, ...]
    signed: Mapping[str, object] = field(default_factory=dict)  # what it adds to a signature
    prepared: Mapping[str, PreparedComparisons] = field(default_factory=dict)  # its method's needs
    drawn: Population | None = None
    items: int | None = None
    collecting: bool = False
    """Whether more answers are coming in."""

    @cached_property
    def systems(self) -> Any:
        """The systems that are compared, by name."""
        return np.array(sorted({*self.frame["system_a"], *self.frame["system_b"]}))

    def choose_method(self) -> method_choice.MethodChoice:
        """Choose the method that suits the comparisons."""
        first, second, _ = extract_columns(self.frame, SYSTEMS, self.systems)
        times = get_times(self.frame)
        return method_choice.choose_method(first, second, n=len(self.systems), times=times)

    def population(self, over: str) -> Population:
        """Return the population that is resampled for intervals."""
        return self.drawn or define_population(over, self.frame["family"], self.frame["judge"])

    def count_effective_items(self) -> float:
        """Compute the effective number of families with equally many comparisons (Kish 1965). An
        item without others is one family; infinite if items are unknown.
        """
        if self.items is not None and self.frame["family"].nunique() < self.items:
            return math.inf
        times = self.frame["times"] if "times" in self.frame else pd.Series(1.0, self.frame.index)
        size = times.groupby(self.frame["family"]).sum().to_numpy(float)
        return float(size.sum() ** 2 / (size**2).sum())

    def count_items(self) -> int:
        """Count the items compared."""
        return self.frame["item"].nunique() if self.items is None else self.items


def prepare_comparisons(store: Store, selection: Selection, settings: RankSettings) -> RatingInput:
    """Prepare the input of a method. Raises TandemError if there is nothing it can use."""
    if settings.rating_method.outcome == "rankings":
        sorts = load_sorted_pairs(store, selection)
        frame = sorts.pairs.assign(outcome=sorts.pairs["points"])
        answers = sorts.answers.assign(outcome=sorts.answers["points"])
        notes = (*sorts.notes, *selection_notes(store, selection))
        return RatingInput(
            frame, answers, sorts.answers, len(answers), sorts.unanswered, notes, sorts.signed,
            collecting=is_collecting(store, selection.dataset, sorts.answers),
        )  # fmt: skip
    weighs = settings.rating_method.weighable
    answered, unanswered = select_answered(store, selection, rest=weighs)
    frame, rest = answered, mark_rest(store, selection.dataset, answered)
    people = ~answered["kind"].isin(JUDGING)
    parts = bool(rest.any() and not rest[people].all())
    together = [*pooling_notes(frame), *selection_notes(store, selection, rest=weighs)]
    together += note_weighed(rest[people])
    if settings.calibrated:
        moved = calibrating.calibrate(store, selection, frame, settings.calibrated)
        frame, together = moved.frame, [*together, *moved.notes]
    if settings.reweight or parts:
        frame = reweighting.add_inclusion(store, selection.dataset, frame)
    if parts:
        frame = frame.assign(inclusion=reweighting.weigh_parts(store, selection, frame))
    outcomes = add_outcomes(frame, settings)
    notes = (*together, *outcomes.notes, *note_unanimity(store, frame["judge"]))
    frame = outcomes.frame
    if settings.reweight:
        notes = (*notes, *reweighting.describe_weights(store, selection.dataset, frame))
    prepared: dict[str, PreparedComparisons] = {}
    for need in list_needs(settings.rating_method):
        prepared[need.name] = need.prepare(store, selection, frame, settings)
        frame, notes = prepared[need.name].frame, (*notes, *prepared[need.name].notes)
    used = int(frame["judgements"].sum())
    signed = {key: value for one in prepared.values() for key, value in one.signed.items()}
    signed |= {"parts": "weighed"} if parts else {}
    collecting = is_collecting(store, selection.dataset, answered)
    return RatingInput(
        frame, frame, answered, used, unanswered, notes, signed, prepared, collecting=collecting
    )


def add_outcomes(frame: pd.DataFrame, settings: RankSettings) -> DebiasedJudgements:
    """The comparisons a method can use, in `outcome` what it takes of each."""
    debiased = debiasing.debias(frame, settings.debias)
    rows = debiasing.keep_known_order(debiased.frame) if settings.position_term else debiased.frame
    if rows.empty and len(frame):
        raise TandemError(
            "nobody knows which text was shown first in these judgements: rank without "
            f"{option_ref('position_term')}"
        )
    if settings.rating_method.outcome == "probabilities":
        rows = rows.dropna(subset="prob_a")
        if rows.empty and len(frame):
            raise TandemError(
                "these judges give no probabilities, only decisions, or all their sampled votes "
                "agree: use win-ratio or bradley-terry"
            )
    left_out = len(debiased.frame) - len(rows)
    notes = [*debiased.notes]
    if left_out:
        decides = settings.rating_method.outcome == "decisions"
        needed = f"with {'' if decides else 'no probability or '}no known order"
        notes.append(f"{describe_left_out(left_out, 'judgement', needed)}.")
    if settings.ties == "drop":
        rows = rows[rows["points"] != 0.5]
    if rows.empty:
        raise TandemError(
            "nothing is left to rank: no judgement was answered, or all were ties, which were "
            "to be left out"
        )
    outcome = rows["prob_a" if settings.takes_probabilities(rows) else "points"]
    return DebiasedJudgements(rows.assign(outcome=outcome), tuple(notes))


def extract_columns(
    frame: pd.DataFrame, sides: tuple[str, str], names: Any
) -> tuple[Any, Any, Any]:
    """Return the codes of the first and second name (m,), places in `names`, and the outcomes
    (m,).
    """
    first, second = (find_places(frame[side], names) for side in sides)
    return first, second, frame["outcome"].to_numpy(dtype=float)


def find_places(column: pd.Series, names: Any) -> Any:
    """Return the position of each value of a column in the sorted `names`."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.searchsorted(names, column.cat.categories.to_numpy())[column.cat.codes]
    return np.searchsorted(names, column.to_numpy())


def get_times(frame: pd.DataFrame) -> Floats | None:
    """Return the number of comparisons of each row, None if it is one."""
    return frame["times"].to_numpy(float) if "times" in frame else None


def get_weights(frame: pd.DataFrame) -> Any:
    """Return the weight of each row, None if all are equal."""
    if "times" in frame:
        return get_times(frame)
    return reweighting.compute_weights(frame["inclusion"]) if "inclusion" in frame else None


def weigh_rows(frame: pd.DataFrame) -> dict[str, Any]:
    """Return how much each row counts: its `times`, or else its `weights`; None where it is one."""
    times = get_times(frame)
    return {"times": times, "weights": get_weights(frame) if times is None else None}


def sign_ranking(
    selection: Selection, settings: RankSettings, comparisons: RatingInput, over: str | None = None
) -> str:
    """Write the signature of a ranking: method, selection, settings and seed."""
    return write_signature(
        settings.method,
        **selection.signature_values(Kind.HUMAN),
        **comparisons.signed,
        **settings.signature_values(),
        over=over,
        seed=selection.seed,
    )
