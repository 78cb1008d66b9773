"""Compare systems by human votes, by judges, and by both together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import pluralize
from ...records import Kind, TandemError, option_ref
from ...statistics import (
    RATINGS,
    Codes,
    Floats,
    JudgedPairs,
    NoVerdictError,
    Resolve,
    Uncertainty,
    components,
    fit_jury,
    has_maximum,
    intervals,
    prediction_powered,
    ratings,
)
from ...store import Store
from ..judgements.answers import average_rater_marks, fill_sides, list_comparers
from ..judgements.finding import Finding
from ..judgements.provenance import COLLECTING
from ..judgements.selection import Selection, write_signature
from ..leaderboard import (
    RankSettings,
    count_fixed_annotators,
    quote_verdict,
    reweighting,
)
from ..leaderboard.fitted_board import FittedBoard, fit_board
from ..leaderboard.rating_input import choose_method, prepare_comparisons
from .answers import AnsweredPairs, load_answered
from .columns import (
    JUDGES,
    CombineSettings,
    declare_columns,
    describe_combined,
    describe_jury,
    list_level,
)

DOUBT = 0.01
"""A p-value below which pairs with votes are called unlike the others."""


def combine(store: Store, selection: Selection, settings: CombineSettings) -> Finding:
    """Systems by people's votes and judges together, best first. The columns are declared in
    `core.findings.combine.columns`.

    The judges are those of the selection, and `settings.people` are whose votes are the truth; see
    `fill_sides` where none are named. Votes alone are rated as on their leaderboard; where that
    draws people anew, so does the combined estimate. Facts: method and why, resolve and over (what
    intervals and ranks hold for), annotators (those that they speak of alone), verdict (see
    `state_verdict`), verdict_is_own, people, whether their votes are gold labels, kinds (of these
    people), judges, pairs (that all judges answered), voted (of these), items, voted_items, votes,
    whether these come out of marks, unsampled (votes on pairs that were chosen with no known
    probability), effective, worth (effective - voted), leads (system, over, by, low, high; None
    where the first are level), unbounded (see `_find_unbounded`), shift_p, sentences.
    """
    selection, named = fill_sides(store, selection, settings.people)
    settings = replace(settings, people=named)
    truth = _find_truth(store, selection, settings)
    every = load_answered(store, selection, settings)
    pairs, weights = every.columns(), np.ones(len(every.names))
    judges, weighing = every.judges, []
    if settings.weigh_judges == "jury":
        discrimination = _fit_discriminations(pairs)
        weights = np.maximum(discrimination, 0) / np.maximum(discrimination, 0).sum()
        pairs = replace(pairs, judged=(pairs.judged @ weights)[:, None])
        judges = judges.assign(discrimination=discrimination)
        weighing = describe_jury(judges)
    choice = choose_method(pairs.first, pairs.second, n=pairs.n)
    # What a simulation knows are shares of votes.
    method = settings.method or ("win-ratio" if truth else choice.method)
    there = pairs.has_votes
    parts = components(pairs.first[there], pairs.second[there], n=pairs.n)
    if method == "bradley-terry" and parts > 1:
        raise TandemError(
            f"votes leave the systems in {parts} sets without a common scale: use "
            f"{option_ref('method')} win-ratio, or collect votes that link them"
        )
    usual = RankSettings(resolve=settings.resolve).with_resolve(every.collecting)
    resolve = cast(Resolve, usual.resolve)
    # The leaderboard of the votes alone, as its page has it
    reweight = reweighting.is_uneven(store, every.voters)
    alone_by = RankSettings(method, resolve=resolve, reweight=reweight)
    comparisons = prepare_comparisons(store, every.voters, alone_by)
    alone = fit_board(comparisons, every.voters, alone_by, 1)
    people = _select_systems(alone, every.systems)
    found = prediction_powered.combine(pairs, method, resolve=resolve, people=people)
    share = RATINGS[method].share
    beats = prediction_powered.find_significant_leads(found, np.random.default_rng(selection.seed))
    rows = _rows(every, pairs, found, beats, alone)
    if truth:
        rows["truth"] = rows["system"].map(_known_shares(store, selection, truth, every))
    facts = {
        "method": method,
        "because": None if settings.method or truth else choice.because,
        "share": share,
        "resolve": resolve,
        **_counts(every, pairs, found),
        "over": alone.drawn.scope,
        "annotators": count_fixed_annotators(alone),
        "leads": _leads(rows, every, found),
        **quote_verdict(store, every.voters),
        "unbounded": "" if share else _find_unbounded(pairs, found),
        "shift_p": prediction_powered.compute_shift_p(pairs),
    }
    judges = judges.assign(**{"lambda": found.tuning * weights})
    facts["sentences"] = describe_combined(facts, rows, judges)
    return Finding(
        rows,
        write_signature(
            "combine",
            method=method,
            people="+".join(settings.people),
            resolve=resolve,
            over=alone.drawn.scope,
            **selection.signature_values(),
            truth=truth,
            weigh=settings.weigh_judges.replace("votes", ""),
            parts=alone.comparisons.signed.get("parts"),
            seed=selection.seed,
        ),
        every.used,
        every.unanswered,
        [
            *every.notes,
            *weighing,
            *_notes(facts, rows, alone.drawn.notes()),
            *([COLLECTING] if every.collecting and resolve != "always" else []),
        ],
        facts,
        {"judges": judges},
        columns=declare_columns(
            method,
            resolve,
            is_whole=facts["voted"] == facts["pairs"],
            with_truth=bool(truth),
        ),
        table_columns={"judges": [column for column in JUDGES if column.name in judges]},
        picture="combine",
    )


def _fit_discriminations(pairs: JudgedPairs) -> Floats:
    count, answers = pairs.judges, len(pairs.first)
    try:
        if count < 2:
            raise NoVerdictError("a jury needs two judges or more")
        return fit_jury(
            np.tile(pairs.first, count), np.tile(pairs.second, count), pairs.judged.T.ravel(),
            n=pairs.n, judge=np.repeat(np.arange(count), answers),
            weights=np.tile(pairs.of_population(), count),
        ).discrimination  # fmt: skip
    except NoVerdictError as error:
        raise TandemError(f"{error}: use {option_ref('weigh_judges')} votes") from error


def _select_systems(alone: FittedBoard, systems: Sequence[str]) -> Uncertainty | None:
    """Select these systems of the uncertainty of the votes alone; None where the people are the
    same, or nothing is known of some system.
    """
    uncertainty = alone.board.uncertainty
    if uncertainty is None or alone.drawn.judges is None:
        return None
    if not set(systems) <= set(alone.systems):
        return None
    places = np.searchsorted(alone.systems, systems)
    return Uncertainty(
        uncertainty.centre[places],
        tuple(part[:, places] for part in uncertainty.deviations),
        tuple(of[places] for of in uncertainty.clusters),
        uncertainty.resamples,
    )


def _find_truth(store: Store, selection: Selection, settings: CombineSettings) -> str:
    """Find the rater whose scores are the true shares of simulated votes; '' if there is none, or
    strengths are asked for.
    """
    every = list_comparers(store, selection.dataset)
    voters = every[every[["judge", "kind"]].isin(settings.people).any(axis=1)]
    if set(voters["kind"]) != {Kind.SIMULATED} or settings.method not in ("", "win-ratio"):
        return ""
    known = every[(every["kind"] == Kind.SIMULATED) & every["by_name"]]["judge"]
    return next(iter(known), "")


def _known_shares(
    store: Store, selection: Selection, rater: str, every: AnsweredPairs
) -> Mapping[str, float]:
    """System -> the share of votes that it wins in the long run, over the pairs that the estimates
    are about.
    """
    marks = average_rater_marks(store, selection, rater)
    sides = [
        every.pairs[["attribute", f"system_{side}", f"candidate_{side}"]].set_axis(
            ["attribute", "system", "generation"], axis=1
        )
        for side in (1, 2)
    ]
    known = pd.concat(sides).merge(
        marks[["attribute", "generation", "value"]], on=["attribute", "generation"]
    )
    shares: pd.Series = known.groupby("system")["value"].mean()
    return {str(system): float(share) for system, share in shares.items()}


def _rows(
    every: AnsweredPairs,
    pairs: JudgedPairs,
    found: prediction_powered.CombinedRatings,
    beats: NDArray[np.bool_],
    alone: FittedBoard,
) -> pd.DataFrame:
    def spread(name: str, estimate: prediction_powered.Estimate) -> dict[str, Any]:
        return intervals.spread(name, (estimate.rating, estimate.low, estimate.high))

    there = pairs.has_votes
    sides = np.concatenate([pairs.first[there], pairs.second[there]])
    votes = np.bincount(sides, minlength=pairs.n)
    rating = found.combined.rating
    known = ~np.isnan(rating)
    open_ = ~(beats | beats.T) & known[:, None] & known[None, :] & ~np.eye(pairs.n, dtype=bool)
    names = np.array(every.systems, dtype=object)
    ranks = {
        "rank": ratings.ranks(rating),
        "rank_low": np.where(known, 1.0 + beats.sum(axis=0), np.nan),
        "rank_high": np.where(known, known.sum() - beats.sum(axis=1), np.nan),
    }
    board = pd.DataFrame(
        {end: getattr(alone.board, end) for end in ("rating", "low", "high")}, alone.systems
    ).reindex(names)
    rows = pd.DataFrame(
        {
            "system": names,
            **spread("combined", found.combined),
            "human": board["rating"].to_numpy(),
            "human_low": board["low"].to_numpy(),
            "human_high": board["high"].to_numpy(),
            **spread("judge_only", found.judges_only),
            **{name: pd.Series(value).astype("Int64") for name, value in ranks.items()},
            "tied_with": [tuple(names[others].tolist()) for others in open_],
            "votes": votes,
            "n_effective": votes * found.ratio,
        }
    )
    ordered = rows.sort_values("combined", ascending=False, na_position="last", kind="stable")
    return ordered.reset_index(drop=True)


def _counts(
    every: AnsweredPairs, pairs: JudgedPairs, found: prediction_powered.CombinedRatings
) -> dict[str, Any]:
    there = every.pairs[pairs.has_votes]
    effective = len(there) * found.ratio_overall
    return {
        "people": list(every.people),
        "gold": every.gold,
        "kinds": list(every.kinds),
        "from_scores": every.marks,
        "unsampled": every.unsampled,
        "judges": every.names,
        **every.caution._asdict(),
        "pairs": len(every.pairs),
        "voted": len(there),
        "items": every.pairs["item"].nunique(),
        "voted_items": there["family"].nunique(),
        "votes": int(there["votes"].sum()),
        "n_effective": effective,
        "extra_n": effective - len(there),
    }


def _leads(
    rows: pd.DataFrame, every: AnsweredPairs, found: prediction_powered.CombinedRatings
) -> dict[str, Any] | None:
    known = rows.dropna(subset="combined")
    if len(known) < 2 or len(list_level(known)) > 1:
        return None
    first, second = (every.systems.index(name) for name in known["system"].iloc[:2])
    by, low, high = prediction_powered.estimate_lead(found, first, second)
    names = {"system": every.systems[first], "over": every.systems[second]}
    return {**names, "by": by, "low": low, "high": high}


def _find_unbounded(pairs: JudgedPairs, found: prediction_powered.CombinedRatings) -> str:
    """Name the estimates whose strengths have no maximum, so that a prior bounds them: "votes" for
    votes alone, "both" if also with judges; '' for neither.
    """
    there, helping = pairs.has_votes, found.tuning > 0
    first, second, voted = pairs.first[there], pairs.second[there], pairs.voted[there]
    if _has_maximum(first, second, voted, n=pairs.n):
        return ""
    times = int(helping.sum())
    both = _has_maximum(
        np.concatenate([first, np.tile(pairs.first, times)]),
        np.concatenate([second, np.tile(pairs.second, times)]),
        np.concatenate([voted, pairs.judged[:, helping].T.ravel()]),
        n=pairs.n,
    )
    return "votes" if both else "both"


def _has_maximum(first: Codes, second: Codes, points: Floats, *, n: int) -> bool:
    shared = (points > 0) & (points < 1)
    return has_maximum(first, second, np.where(shared, 0.5, points), n=n)


def _notes(facts: dict[str, Any], rows: pd.DataFrame, about_votes: list[str]) -> list[str]:
    found = [
        *about_votes,
        "Votes on different items are taken as independent, and nothing is assumed of the judges.",
    ]
    if facts["shift_p"] < DOUBT and facts["voted"] < facts["pairs"]:
        found.append(
            "Judges answer the pairs with votes otherwise than the rest (p = "
            f"{facts['shift_p']:.1g}): perhaps they are not a random sample."
        )
    without = rows.loc[rows["combined"].isna(), "system"].tolist()
    if without:
        several_ = pluralize(len(without), "system")
        found.append(
            f"No estimate for {several_} with too few votes: {', '.join(without[:4])}. "
            "Collect votes on pairs of them."
        )
    return found
