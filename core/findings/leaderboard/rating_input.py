"""Prepare the input of a rating method: the comparisons of a selection, the method that suits them,
and its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...installation import command_to_run
from ...labels import describe_left_out, join_few_names, percent
from ...records import Kind, TandemError, option_ref
from ...statistics import RATINGS, Floats, Method, unevenness
from ...store import Store
from ..judgements import calibrating, debiasing
from ..judgements.answers import JUDGING, select_answered
from ..judgements.debiasing import DebiasedJudgements, note_unanimity
from ..judgements.population import Population, define_population
from ..judgements.provenance import is_collecting, mark_rest, note_weighed, pooling_notes
from ..judgements.selection import Selection, selection_notes, write_signature
from ..separability.applications import measure_ranked_systems
from . import reweighting
from .needs import CONTROL, LENGTH, SHARE, load_sorted_pairs
from .settings import OTHER_OPPONENTS, SAME_OPPONENTS, Need, PreparedComparisons, RankSettings

TOLERANCE = 0.05
"""Whom it met can move a win ratio by no more: about as much as a count of 400 leaves open."""
COUNTING = ("decisions", "probabilities")  # what a share of comparisons is a share of
LEADING = ("win-ratio", "macro-win-ratio", "bradley-terry")
"""Methods that take the same decisions, and whose leaders are held against each other."""


class MethodChoice(NamedTuple):
    """The method that suits the comparisons, why, and how unevenly their systems met (0 to 1)."""

    method: str
    because: str
    unevenness: float


def choose_method(first: Any, second: Any, *, n: int, times: Floats | None = None) -> MethodChoice:
    """Choose the win ratio if every system met every other equally often, else Bradley-Terry: a win
    ratio also says whom a system met, and Bradley-Terry allows for that.

    Equally often means that no system would have to meet others in more than TOLERANCE of its
    comparisons. `times` is the number of comparisons in each row.
    """
    value = unevenness(first, second, n=n, times=times)
    if value > TOLERANCE:
        return MethodChoice(OTHER_OPPONENTS, "systems met different opponents", value)
    return MethodChoice(SAME_OPPONENTS, "every system met the others about equally often", value)


def choose_method_by(frame: pd.DataFrame, groups: str, sides: tuple[str, str]) -> MethodChoice:
    """Choose a method for comparisons rated by group: Bradley-Terry if it suits any of the
    groups.
    """
    choices = []
    for _, group in frame.groupby(groups, sort=False):
        codes, names = pd.factorize(group[list(sides)].to_numpy().ravel())
        choices.append(choose_method(*codes.reshape(-1, 2).T, n=len(names)))
    return max(choices, key=lambda choice: choice.unevenness)


Leaders = Mapping[str, Mapping[str, Any]]
"""method -> the `systems` that lead by it, several if they are level, and their `rating`."""


def find_leaders(
    first: Any, second: Any, points: Floats, systems: Any, weights: Floats | None
) -> Leaders:
    """Find the systems that lead by each method of LEADING, ties counting half."""
    found = {}
    for method in LEADING:
        rating = RATINGS[method].rate(first, second, points, n=len(systems), weights=weights)
        best = float(np.nanmax(rating))
        level = np.flatnonzero(np.round(best - np.nan_to_num(rating, nan=-np.inf), 7) <= 0)
        found[method] = {"systems": [str(systems[place]) for place in level], "rating": best}
    return found


def have_one_leader(found: Leaders) -> bool:
    """Return whether one system leads, alone or level, by every method."""
    every = [set(leader["systems"]) for leader in found.values()]
    return not every or bool(set.intersection(*every))


def note_disagreement(found: Leaders) -> list[str]:
    """Note which methods disagree about the leader, with names and figures; empty if they agree."""
    if have_one_leader(found):
        return []
    by_systems: dict[tuple[str, ...], list[str]] = {}
    for method, leader in found.items():
        by_systems.setdefault(tuple(leader["systems"]), []).append(
            f"{RATINGS[method].label} ({write_rating(method, leader['rating'])})"
        )
    told = [f"{join_few_names(names)} by {' and '.join(by)}" for names, by in by_systems.items()]
    return [f"Methods disagree about who leads: {'; '.join(told)}."]


def note_unsuited(choice: MethodChoice, method: str) -> list[str]:
    """Note that a share of comparisons depends on the opponents, if systems met different ones."""
    how = RATINGS[method]
    if choice.method == SAME_OPPONENTS or not how.share or how.outcome not in COUNTING:
        return []
    return [
        f"Systems met different opponents, so {how.label} also says whom each one met. "
        f"{RATINGS[choice.method].label} allows for that."
    ]


def write_rating(method: str, rating: float, low: float = np.nan, high: float = np.nan) -> str:
    """A rating as sentences give it, with its interval if known: 65% (95% interval 60 to 70)."""
    if RATINGS[method].share:
        return percent(rating, low, high)
    return f"{rating:,.0f}" + f" (95% interval {low:,.0f} to {high:,.0f})" * (not np.isnan(low))


def list_facts(choice: MethodChoice, asked: str, found: Leaders | None = None) -> dict[str, Any]:
    """Return a result's facts about its method: method, because (None if it was requested), suited
    and unevenness; if there is a leader, also `leaders` (method -> systems, rating) and
    `leaders_agree`.
    """
    facts: dict[str, Any] = {
        "method": asked or choice.method,
        "because": None if asked else choice.because,
        "suited": choice.method,
        "unevenness": choice.unevenness,
    }
    return facts | ({"leaders": found, "leaders_agree": have_one_leader(found)} if found else {})


SYSTEMS = ("system_a", "system_b")
GENERATIONS = ("generation_a", "generation_b")


def add_separability(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    """Add to comparisons how far the texts of their item tell the two systems apart, without those
    of which it is unknown. It is normalised over all pairs of the systems that are ranked
    (docs/statistics/separability.md, "Separability"). Raises TandemError where no similarity is
    stored, or none for these.
    """
    metric, sides = settings.separability, frame[list(SYSTEMS)]
    systems = tuple(sorted({*frame["system_a"], *frame["system_b"]}))
    ranked = replace(selection, systems=systems)
    measured = measure_ranked_systems(store, ranked, metric, settings.encoder)
    known = measured.set_index(["item", "system_1", "system_2"])["separability"]
    of = pd.MultiIndex.from_arrays([frame["item"], sides.min(axis=1), sides.max(axis=1)])
    frame = frame.assign(separability=known.reindex(of).to_numpy(float))
    kept = frame.dropna(subset="separability")
    if kept.empty:
        raise TandemError(
            f"none of these judgements is about an item with a {metric} separability: sample "
            f"each system twice, then run `{command_to_run('separability')}`"
        )
    left_out = (
        f"{describe_left_out(len(frame) - len(kept), 'judgement')}: the item does not tell how "
        "separable its texts are."
    )
    return PreparedComparisons(kept, (left_out,) if len(kept) < len(frame) else ())


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

    def choose_method(self) -> MethodChoice:
        """Choose the method that suits the comparisons."""
        first, second, _ = extract_columns(self.frame, SYSTEMS, self.systems)
        times = get_times(self.frame)
        return choose_method(first, second, n=len(self.systems), times=times)

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
