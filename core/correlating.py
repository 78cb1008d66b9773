"""How well ratings or scores follow the scores of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core import rankings
from core.rankings import RankSettings, candidates, leaderboard
from core.records import Kind, TandemError
from core.selections import Result, Selection, check, chosen_scores, scored, selected, signature, unscored
from core.statistics import correlation, intervals
from core.statistics.ratings import win_ratio
from core.store import Store

LEVELS = ("item", "system", "pool")
COEFFICIENTS = ("spearman", "kendall", "pearson")
TABLED = ("win-ratio", "average-probability")  # ratings that cost nothing for many judges at once
BOOTSTRAP = 200
FIGURES = (
    *(f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high")),
    "n", "items", "undefined_items", "pair_accuracy", "pair_accuracy_low", "pair_accuracy_high", "pairs", "missing",
)  # fmt: skip
TABLE = ("judge", "model", "kind", "prompt", "of", "attribute", *FIGURES, "judgements", "unanswered")
AVERAGES = ("model", "of", "attribute", "prompts", *COEFFICIENTS, "pair_accuracy")

Ratings = Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]
"""(items, systems, counts of the items in B resamples) -> ratings (B, systems) on these resamples."""


@dataclass(frozen=True)
class _Predicted:
    """What is to be correlated: generation and value; at system level, how to rate the systems on resamples."""

    values: pd.DataFrame
    ratings: Ratings | None = None


def correlate(
    store: Store,
    selection: Selection,
    *,
    against: str,
    level: str,
    scores: str = "",
    settings: RankSettings | None = None,
    bootstrap: int = BOOTSTRAP,
) -> Result:
    """How well scores of a rater, or ratings from comparisons, follow the scores of another rater.

    One row per attribute: attribute, spearman, kendall, pearson, each with its 95% interval _low to _high by bootstrap over
    items, n (items, systems or texts that were correlated), items, undefined_items, pair_accuracy, pairs, missing (texts that
    have only one of the two values). `level` item: within each item, then averaged; system: over the systems' means; pool:
    over all texts. With `scores` no judgements are used, else those of items that have the scores to follow.
    """
    _check(store, selection, level, bootstrap)
    truth = scored(store, selection, against)
    unanswered: Mapping[str, int] = unscored(store, selection, scores) if scores else {}
    used, notes, rows = 0, [], []
    for attribute in truth["attribute"].unique():
        of_attribute = truth[truth["attribute"] == attribute]
        one = replace(selection, attribute=attribute, items=tuple(of_attribute["item"].unique()))
        if scores:
            values = scored(store, selection, scores)
            predicted = _Predicted(values.loc[values["attribute"] == attribute, ["generation", "value"]])
        else:
            try:
                result, predicted = _ratings(store, one, settings or RankSettings(), level, truth)
            except TandemError as error:
                if selection.attribute:
                    raise
                notes.append(f"{attribute}: {error}")
                continue
            used, unanswered = used + result.judgements, _sum(unanswered, result.unanswered)
            notes += [f"{attribute}: {note}" for note in result.notes]
        rows.append({"attribute": attribute, **_correlated(of_attribute, predicted, level, bootstrap, selection.seed)})
    if not rows:
        raise TandemError(notes[0] if notes else f"{scores!r} and {against!r} have no attribute in common")
    return Result(
        pd.DataFrame(rows),
        signature(
            "correlation",
            **({"of": scores} if scores else _signed(settings or RankSettings())),
            against=against,
            level=level,
            judges="" if scores else "+".join(selection.judges) or Kind.HUMAN.value,
            attribute=selection.attribute or "all",
            subset=selection.subset,
            systems="+".join(selection.systems),
            boot=bootstrap,
            seed=selection.seed,
        ),
        used,
        unanswered,
        notes,
        {"level": level, **(rows[0] if len(rows) == 1 else dict.fromkeys(rows[0]))},
    )


def table(
    store: Store,
    selection: Selection,
    *,
    against: str,
    level: str,
    settings: RankSettings | None = None,
    bootstrap: int = BOOTSTRAP,
) -> Result:
    """All judges and raters against the scores of one, as in Liusie et al. (2023), tables 1-4: one row per judge and attribute.

    judge, model (its SPEC, else its name), kind, prompt, of (a method of TABLED, or `scores`), attribute, the figures of
    `correlate`, judgements (used), unanswered. Table `averages`: of the models with several prompts or judges, the mean of
    their correlations (not the correlation of their means), and of how many.
    """
    how = settings or RankSettings()
    _check(store, selection, level, bootstrap)
    if how.method not in TABLED:
        raise TandemError(f"unknown --table {how.method!r}; there are {', '.join(TABLED)}; others judge by judge")
    truth = scored(store, selection, against)
    rows, notes, unanswered = [], [], Counter[str]()
    about = store.judges().set_index("judge")
    unscored = 0
    for judge, attribute, of_all in _by_judge(store, selection):
        of_attribute = truth[truth["attribute"] == attribute]
        of_judge = of_all[of_all["item"].isin(of_attribute["item"])]
        unscored += len(of_all) - len(of_judge)
        if of_judge.empty:
            continue
        failed = of_judge["points"].isna()
        unanswered.update(of_judge.loc[failed, "failure"])
        try:
            taken = rankings.with_outcome(of_judge[~failed], how)
        except TandemError as error:
            notes.append(f"{judge}, {attribute}: {error}")
            continue
        predicted = _win_ratios(taken.frame, of_attribute, level)
        figures = _correlated(of_attribute, predicted, level, bootstrap, selection.seed)
        counted = {"judgements": int(taken.frame["judgements"].sum()), "unanswered": int(failed.sum())}
        rows.append({"judge": judge, "attribute": attribute, "of": how.method, **figures, **counted})
    for rater, attribute, values in _by_rater(store, selection, against):
        of_attribute = truth[truth["attribute"] == attribute]
        if len(of_attribute):
            figures = _correlated(of_attribute, _Predicted(values), level, bootstrap, selection.seed)
            rows.append(
                {"judge": rater, "attribute": attribute, "of": "scores", **figures, "judgements": 0, "unanswered": 0}
            )
    if not rows:
        raise TandemError(
            notes[0]
            if notes
            else f"nothing to hold against the scores by {against!r}: let judges compare these texts, or score them"
        )
    if unscored:
        notes.append(f"{unscored:,} judgements are left out: their items have no scores by {against!r}.")
    found = pd.DataFrame(rows)
    spec = found["judge"].map(about["spec"]).fillna("")
    found = found.assign(
        model=spec.where(spec != "", found["judge"]),
        kind=found["judge"].map(about["kind"]),
        prompt=found["judge"].map(about["prompt"]),
    ).reindex(columns=list(TABLE))
    return Result(
        found,
        signature(
            "correlations",
            **_signed(how),
            against=against,
            level=level,
            judges="+".join(selection.judges) or "all",
            attribute=selection.attribute or "all",
            subset=selection.subset,
            systems="+".join(selection.systems),
            boot=bootstrap,
            seed=selection.seed,
        ),
        int(found["judgements"].sum()),
        dict(unanswered),
        notes,
        {"level": level, "against": against},
        {"averages": _averages(found)},
    )


def _check(store: Store, selection: Selection, level: str, bootstrap: int) -> None:
    if level not in LEVELS:
        raise TandemError(f"unknown --level {level!r}; there are {', '.join(LEVELS)}")
    if bootstrap < 0:
        raise TandemError(f"--bootstrap {bootstrap} should not be negative")
    check(store, selection)


def _signed(how: RankSettings) -> dict[str, object]:
    return {
        "of": how.method,
        "ties": how.ties if how.ties != "half" else None,
        "position": "term" if how.position_term else None,
        "separability": how.separability,
        "debias": how.debias if how.debias != "none" else None,
        "reweight": how.signed()["reweight"],
    }


def _by_judge(store: Store, selection: Selection) -> list[tuple[str, str, pd.DataFrame]]:
    """The judgements of each judge and attribute; none where nobody has judged."""
    if store.tally(selection.dataset).empty:
        return []
    frame, _ = selected(store, replace(selection, judges=selection.judges or tuple(Kind)))
    given = frame[frame["judgement"] >= 0]  # what is derived from marks is held against others as marks
    return [(str(j), str(a), part) for (j, a), part in given.groupby(["judge", "attribute"], sort=False)]


def _by_rater(store: Store, selection: Selection, against: str) -> list[tuple[str, str, pd.DataFrame]]:
    """The scores of each rater and attribute, without those they are held against."""
    frame = chosen_scores(store, selection).dropna(subset="value")
    others = frame[(frame[["rater", "panel", "kind"]] != against).all(axis=1)]
    means = others.groupby(["rater", "attribute", "generation"], sort=False)["value"].mean().reset_index()
    parts = means.groupby(["rater", "attribute"], sort=False)
    return [(str(r), str(a), part[["generation", "value"]]) for (r, a), part in parts]


def _averages(found: pd.DataFrame) -> pd.DataFrame:
    keys = ["model", "of", "attribute"]
    means = found.groupby(keys, sort=False)[[*COEFFICIENTS, "pair_accuracy"]].mean()
    means.insert(0, "prompts", found.groupby(keys, sort=False).size())
    return means[means["prompts"] > 1].reset_index()[list(AVERAGES)]


def _ratings(
    store: Store, selection: Selection, settings: RankSettings, level: str, truth: pd.DataFrame
) -> tuple[Result, _Predicted]:
    """What comparisons say of each text: its system's rating on the leaderboard at system level, else its own among its
    item's candidates."""
    if level != "system":
        result = candidates(store, selection, settings)
        return result, _Predicted(result.rows[["generation", "rating"]].rename(columns={"rating": "value"}))
    result = leaderboard(store, selection, replace(settings, bootstrap=0))
    of_system = result.rows.set_index("system")["rating"]
    texts = truth.loc[truth["attribute"] == selection.attribute, ["generation", "system"]]
    values = pd.DataFrame({"generation": texts["generation"], "value": texts["system"].map(of_system)})
    return result, _Predicted(values, rankings.resampling(store, selection, settings))


def _win_ratios(frame: pd.DataFrame, truth: pd.DataFrame, level: str) -> _Predicted:
    """The win ratios, or mean probabilities, of the texts or systems in comparisons with their `outcome`."""
    sides = ("system_a", "system_b") if level == "system" else ("generation_a", "generation_b")
    names = np.unique(frame[list(sides)].to_numpy())
    first, second = (np.searchsorted(names, frame[side].to_numpy()) for side in sides)
    outcome = frame["outcome"].to_numpy(float)
    ratio = pd.Series(win_ratio(first, second, outcome, n=len(names)), index=names)
    if level != "system":
        return _Predicted(pd.DataFrame({"generation": names, "value": ratio.to_numpy()}))
    values = pd.DataFrame({"generation": truth["generation"], "value": truth["system"].map(ratio)})

    def ratings(items: NDArray[Any], systems: NDArray[Any], counts: NDArray[np.float64]) -> NDArray[np.float64]:
        place = pd.Index(items).get_indexer(frame["item"])
        code = pd.Index(systems).get_indexer(names)
        size = (len(items), len(systems))
        points, times = np.zeros(size), np.zeros(size)
        for side, of_side in ((first, outcome), (second, 1 - outcome)):
            column = code[side]
            there = (column >= 0) & (place >= 0)
            np.add.at(points, (place[there], column[there]), of_side[there])
            np.add.at(times, (place[there], column[there]), 1.0)
        drawn_points, drawn_times = counts @ points, counts @ times
        nothing = np.full(drawn_times.shape, np.nan)
        return np.asarray(np.divide(drawn_points, drawn_times, out=nothing, where=drawn_times > 0))

    return _Predicted(values, ratings)


def _correlated(truth: pd.DataFrame, predicted: _Predicted, level: str, bootstrap: int, seed: int) -> dict[str, Any]:
    both = truth.merge(predicted.values, on="generation", how="outer", suffixes=("", "_predicted"))
    both = both.dropna(subset=["item"])
    x, y = both["value_predicted"].to_numpy(float), both["value"].to_numpy(float)
    (items, item_names), (systems, system_names) = (pd.factorize(both[name], sort=True) for name in ("item", "system"))
    found: correlation.Correlations | correlation.ItemCorrelations
    undefined = 0
    if level == "item":
        found = correlation.by_item(items, x, y)
        n, undefined = found.items, found.undefined
        accuracy = correlation.pair_accuracy(items, x, y)
    elif level == "system":
        found = correlation.by_system(systems, x, y)
        n = found.n
        means = both.dropna(subset=["value", "value_predicted"]).groupby("system")[["value_predicted", "value"]].mean()
        accuracy = correlation.pair_accuracy(np.zeros(len(means), dtype=np.int64), *means.to_numpy(float).T)
    else:
        found = correlation.correlations(x, y)
        n = found.n
        accuracy = correlation.pair_accuracy(np.zeros(len(both), dtype=np.int64), x, y)
    counts = intervals.resample_counts(len(item_names), bootstrap, np.random.default_rng(seed))
    rated = predicted.ratings(np.asarray(item_names), np.asarray(system_names), counts) if predicted.ratings else None
    drawn = correlation.resampled(level, items, systems, x, y, counts, ratings=rated)
    bounds = {name: intervals.percentiles(getattr(drawn, name)) for name in (*COEFFICIENTS, "pair_accuracy")}
    row = {
        **{name: getattr(found, name) for name in COEFFICIENTS},
        "n": n,
        "items": n if level == "item" else len(item_names),
        "undefined_items": undefined,
        "pair_accuracy": accuracy.accuracy,
        "pairs": accuracy.pairs,
        "missing": found.missing,
        **{f"{name}_low": float(low) for name, (low, _) in bounds.items()},
        **{f"{name}_high": float(high) for name, (_, high) in bounds.items()},
    }
    return {name: row[name] for name in FIGURES}


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {reason: one.get(reason, 0) + other.get(reason, 0) for reason in {**one, **other}}
