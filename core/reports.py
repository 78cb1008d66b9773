"""Store frames -> tidy result frames, one function per research question. Page and command line show the same ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from core import __version__, debiasing
from core.debiasing import Debiased
from core.records import Kind, Outcome, Status, TandemError
from core.statistics import bias as positional
from core.statistics import correlation, ratings
from core.statistics.experts import Experts
from core.store import Store

POINTS = {outcome.value: outcome.points for outcome in Outcome}
RANKS = ("rank", "rank_low", "rank_high")
BIAS = (
    "judge", "prompt", "attribute", "comparisons", "p_first", "low", "high", "first_share", "mean_prob_first",
    "pairs_both_orders", "consistent_both_orders", "both_unanswered", "tau", "alpha", "p_first_after",
)  # fmt: skip
MODEL_TIES = "bradley-terry"  # the one method with a probability of its own for ties


@dataclass(frozen=True)
class Selection:
    """Which judgements or scores a figure is about. `judges` are names or kinds; none = the humans, if there are any."""

    dataset: str
    subset: str | None = None
    attribute: str | None = None
    judges: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Result:
    """A result frame with everything a reader needs to trust it: what it was computed from and how.

    `unanswered` counts failures by reason; `notes` are sentences a reader must know; `facts` are single figures.
    """

    rows: pd.DataFrame
    signature: str
    judgements: int
    unanswered: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """As the command line prints it with --json."""
        return {
            **plain(self.facts),
            "rows": records(self.rows),
            "signature": self.signature,
            "judgements": self.judgements,
            "unanswered": dict(self.unanswered),
            "notes": list(self.notes),
        }


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON knows them: what is not a number is null."""
    return {name: _plain(value) for name, value in values.items()}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as JSON objects."""
    return [plain({str(name): value for name, value in row.items()}) for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)) else value


def signature(name: str, **settings: object) -> str:
    """The settings behind a figure in one line, such as `elo|k:4|boot:100|seed:1|v:0.1.0`; blank ones are left out."""
    given = [f"{key}:{value}" for key, value in settings.items() if value not in (None, "", ())]
    return "|".join([name, *given, f"v:{__version__}"])


def chosen_judges(store: Store, selection: Selection) -> pd.DataFrame:
    """judge and kind of those the selection means. Raises TandemError when it has to be asked which are meant."""
    tally = store.tally(selection.dataset)
    if selection.attribute:
        tally = tally[tally["attribute"] == selection.attribute]
    there = tally[["judge", "kind"]].drop_duplicates()
    if there.empty:
        raise TandemError(
            f"data set {selection.dataset!r} has no judgements yet"
            f"{f' of {selection.attribute}' if selection.attribute else ''}: annotate, or run a judge"
        )
    wanted = selection.judges or (Kind.HUMAN.value,)
    unknown = [name for name in wanted if name not in {*there["judge"], *Kind}]
    if unknown:
        raise TandemError(f"no judgements by {unknown[0]!r} here; there are some by {_some(there['judge'])}")
    found = there[there["judge"].isin(wanted) | there["kind"].isin(wanted)]
    if found.empty:
        asked = f"no judgements by {' or '.join(wanted)} here" if selection.judges else "no human has judged here yet"
        kinds = ", ".join(sorted(there["kind"].unique()))
        raise TandemError(f"{asked}: choose with --judges {kinds}, or of {_some(there['judge'])}")
    return found


def judged(store: Store, selection: Selection) -> tuple[pd.DataFrame, dict[str, int]]:
    """The answered judgements of a selection with their `points` for A, and the unanswered ones counted by reason."""
    frame, unanswered = _asked(store, selection)
    return frame.dropna(subset="points"), unanswered


def _asked(store: Store, selection: Selection) -> tuple[pd.DataFrame, dict[str, int]]:
    """All judgements of a selection with their `points` for A, NaN where unanswered, and those counted by reason."""
    check(store, selection)
    if len(set(selection.systems)) == 1:
        raise TandemError(f"--systems {selection.systems[0]} is one system, and a comparison needs two: name another")
    judges = chosen_judges(store, selection)
    frame = store.judgements(selection.dataset, attribute=selection.attribute, subset=selection.subset)
    frame = frame[frame["judge"].isin(judges["judge"])]
    if selection.systems:
        frame = frame[frame["system_a"].isin(selection.systems) & frame["system_b"].isin(selection.systems)]
    unanswered = Counter(frame.loc[frame["outcome"].isna(), "failure"].tolist())
    return frame.assign(points=frame["outcome"].map(POINTS).astype(float)), unanswered


def check(store: Store, selection: Selection) -> None:
    """Raises TandemError for a name the store does not have."""
    frame = store.datasets()
    known = {
        "data set": (selection.dataset, list(frame["dataset"])),
        "attribute": (selection.attribute, [a.name for a in store.attributes(selection.dataset)]),
        "subset": (selection.subset, store.subsets(selection.dataset)),
        **{f"system {name}": (name, store.systems(selection.dataset)) for name in selection.systems},
    }
    for what, (name, there) in known.items():
        if name and name not in there:
            what = "system" if what.startswith("system") else what
            raise TandemError(f"unknown {what} {name!r}; there are{f': {_some(there)}' if there else f' no {what}s'}")


def span(seconds: float) -> str:
    """A duration as a person would say it: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def plans(store: Store) -> pd.DataFrame:
    """Runs and campaigns, newest first: the store's columns, `done` (asked, or with all its votes), `failed` and by
    reason `failures`, and `per_second` of those at work (0 = not known)."""
    frame = store.plans().rename(columns={"asked": "done"})
    failed = [
        store.run_failures(run) if kind == "run" else {} for run, kind in zip(frame["run"], frame["kind"], strict=True)
    ]
    pace = [
        store.pace(run) if status == Status.RUNNING else 0.0
        for run, status in zip(frame["run"], frame["status"], strict=True)
    ]
    counts = [sum(reasons.values()) for reasons in failed]
    return frame.assign(failed=counts, failures=pd.Series(failed, dtype=object), per_second=pace)


@dataclass(frozen=True)
class Description:
    """What a data set holds, as named frames."""

    frames: Mapping[str, pd.DataFrame]
    signature: str
    judgements: int
    unanswered: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """As the command line prints it with --json."""
        return {
            **{name: records(frame) for name, frame in self.frames.items()},
            "signature": self.signature,
            "judgements": self.judgements,
            "unanswered": dict(self.unanswered),
        }


def describe(store: Store, selection: Selection) -> Description:
    """What a data set holds in figures, of all kinds of judges unless some are chosen.

    scores: system (None = all), attribute, rater, n, mean; a panel such as expert-1, expert-2 .. also as `expert`.
    outcomes: judge, attribute, a, b, tie, both_bad, failed, p_first and first_share (where the order shown is known).
    ties: attribute, rater, pairs within items, how many of them tied, items with all scores equal.
    """
    check(store, selection)
    outcomes = _outcomes(store, selection)
    judges = selection.judges or tuple(Kind)
    failures = _chosen_scores(store, selection)["failure"]
    unanswered = Counter(failures[failures != ""].tolist())
    if outcomes["failed"].any():
        unanswered.update(judged(store, replace(selection, judges=judges))[1])
    return Description(
        {"scores": _means(store, selection), "outcomes": outcomes, "ties": _ties(store, selection)},
        signature(
            "describe",
            judges="+".join(selection.judges) or "all",
            attribute=selection.attribute or "all",
            subset=selection.subset,
            systems="+".join(selection.systems),
        ),
        int(outcomes[list(Outcome)].to_numpy().sum()),
        unanswered,
    )


def _chosen_scores(store: Store, selection: Selection) -> pd.DataFrame:
    frame = store.scores(selection.dataset).astype({"value": float})
    keep = pd.Series(True, index=frame.index)
    for column, wanted in (("subset", selection.subset), ("attribute", selection.attribute)):
        if wanted:
            keep &= frame[column] == wanted
    if selection.systems:
        keep &= frame["system"].isin(selection.systems)
    frame = frame[keep]
    frame = frame.assign(panel=frame["rater"].str.replace(r"-\d+$", "", regex=True))
    if selection.judges:
        named = frame[["rater", "kind", "panel"]].isin(selection.judges).any(axis=1)
        frame = frame[named]
    return frame


def _means(store: Store, selection: Selection) -> pd.DataFrame:
    frame = _chosen_scores(store, selection)
    panels = frame[frame["panel"] != frame["rater"]]
    frame = pd.concat([frame, panels.assign(rater=panels["panel"])])
    per_system = (
        frame.groupby(["attribute", "rater", "system"], sort=False)["value"].agg(n="count", mean="mean").reset_index()
    )
    overall = frame.groupby(["attribute", "rater"], sort=False)["value"].agg(n="count", mean="mean").reset_index()
    every = pd.concat([overall.assign(system=None), per_system])
    return every[["system", "attribute", "rater", "n", "mean"]].reset_index(drop=True)


def _outcomes(store: Store, selection: Selection) -> pd.DataFrame:
    kept = selection.judges or tuple(Kind)
    if selection.subset:
        frame = store.judgements(selection.dataset, subset=selection.subset)
        frame = frame.assign(outcome=frame["outcome"].fillna("failed"), count=1)
    else:
        frame = store.tally(selection.dataset)
    frame = frame[frame["judge"].isin(kept) | frame["kind"].isin(kept)]
    if selection.attribute:
        frame = frame[frame["attribute"] == selection.attribute]
    if selection.systems:
        frame = frame[frame["system_a"].isin(selection.systems) & frame["system_b"].isin(selection.systems)]
    table = _crossed(frame)
    ordered = _crossed(frame[frame["order_known"] == 1]).reindex(table.index, fill_value=0)
    decisive, answered = ordered["a"] + ordered["b"], ordered[list(Outcome)].sum(axis=1)
    table = table.assign(p_first=ordered["a"] / decisive, first_share=ordered["a"] / answered)
    return table.reset_index().rename_axis(columns=None)


def _crossed(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts by judge and attribute: a, b, tie, both_bad, failed."""
    table = frame.pivot_table(
        index=["judge", "attribute"], columns="outcome", values="count", aggfunc="sum", sort=False
    )
    return table.reindex(columns=[*Outcome, "failed"]).fillna(0).astype(int)


def _ties(store: Store, selection: Selection) -> pd.DataFrame:
    frame = _chosen_scores(store, selection).dropna(subset="value")
    keys = ["attribute", "rater"]
    sizes = frame.groupby([*keys, "item"], sort=False).agg(n=("value", "size"), different=("value", "nunique"))
    equal = frame.groupby([*keys, "item", "value"], sort=False).size().rename("n")
    table = pd.DataFrame(
        {
            "pairs": _pairs(sizes["n"]).groupby(keys, sort=False).sum(),
            "tied": _pairs(equal).groupby(keys, sort=False).sum(),
            "constant_items": ((sizes["different"] == 1) & (sizes["n"] > 1)).groupby(keys, sort=False).sum(),
        }
    )
    return table.reset_index()


def _pairs(n: pd.Series) -> pd.Series:
    return n * (n - 1) // 2


@dataclass(frozen=True)
class RankSettings:
    """How a leaderboard is made: DESIGN.md, "Ties", "Elo", "Debiasing"."""

    method: str = "win-ratio"
    ties: str = "half"
    bootstrap: int = 100
    resample: str = "item"
    k: float = 4.0
    position_term: bool = False
    debias: str = "none"
    experts: str = "logit"

    def __post_init__(self) -> None:
        choices = {
            "method": list(ratings.RATINGS),
            "ties": ["half", "drop", "model"],
            "resample": ["item", "judgement"],
            "debias": list(debiasing.DEBIASING),
            "experts": list(get_args(Experts)),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise TandemError(f"unknown --{name} {getattr(self, name)!r}; there are {', '.join(allowed)}")
        if self.ties == "model" and self.method != MODEL_TIES:
            raise TandemError(f"--ties model belongs to {MODEL_TIES}; {self.method} takes half or drop")
        if self.ties == "drop" and self.how.outcome == "probabilities":
            raise TandemError(
                f"--ties drop belongs to methods that count decisions; {self.method} counts probabilities"
            )
        if self.experts != "logit" and "experts" not in self.how.takes:
            raise TandemError(f"--experts belongs to product-of-experts; {self.method} has none")
        self._check_position_term()
        if self.bootstrap < 0:
            raise TandemError(f"--bootstrap {self.bootstrap} should not be negative")
        if not 0 < self.k < math.inf:
            raise TandemError(f"--k {self.k:g} should be a number above 0")

    def _check_position_term(self) -> None:
        if not self.position_term:
            return
        if "position" not in self.how.takes:
            having = [name for name, how in ratings.RATINGS.items() if "position" in how.takes]
            raise TandemError(f"{self.method} has no --position-term; {', '.join(having)} have one")
        if self.ties == "model":
            raise TandemError("--position-term and --ties model are not fitted together: use --ties half or drop")
        if self.debias != "none":
            raise TandemError(
                f"--position-term and --debias {self.debias} both take out the effect of being shown first: use one of them"
            )

    @property
    def how(self) -> ratings.Method:
        return ratings.RATINGS[self.method]

    def own(self, frame: pd.DataFrame) -> dict[str, Any]:
        """The settings the method itself takes, for these judgements."""
        every = {
            "k": self.k,
            "ties": self.ties,
            "position": self.position_term,
            "experts": self.experts,
            "decisions": not _probable(frame, self),
        }
        return {name: every[name] for name in self.how.takes}


def leaderboard(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """Systems by rating with bootstrap intervals: system, rating, low, high, rank, rank_low, rank_high, wins, losses,
    ties, judgements, sorted best first."""
    frame, unanswered = judged(store, selection)
    taken = _with_outcome(frame, settings)
    frame, used = taken.frame, taken.used
    systems = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    board = _rate(frame, ("system_a", "system_b"), systems, selection, settings)
    record = ratings.record(*_columns(frame, ("system_a", "system_b"), systems), n=len(systems))
    rows = _board_rows(systems, board, record).rename(columns={"name": "system"})
    few = (
        [f"Only {used} judgements for {len(systems)} systems: take the order as a first impression."]
        if used < 10 * len(systems)
        else []
    )
    return Result(
        rows.sort_values("rating", ascending=False, na_position="last", kind="stable").reset_index(drop=True),
        _rank_signature(store, selection, settings),
        used,
        unanswered,
        [note for note in (board.note, *taken.notes, *few) if note],
        {
            "connected": board.connected,
            "method": settings.method,
            "attributes": sorted(frame["attribute"].unique()),
            "position_effect": _position_effect(frame, systems, settings),
        },
    )


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """Each item's candidates by rating among themselves: the leaderboard's columns, and item and generation."""
    frame, unanswered = judged(store, selection)
    taken = _with_outcome(frame, settings)
    frame = taken.frame
    parts, apart = [], 0
    for item, of_item in frame.groupby("item", sort=False):
        names = np.unique(of_item[["generation_a", "generation_b"]])
        board = _rate(
            of_item,
            ("generation_a", "generation_b"),
            names,
            selection,
            replace(settings, bootstrap=0),
        )
        record = ratings.record(*_columns(of_item, ("generation_a", "generation_b"), names), n=len(names))
        parts.append(_board_rows(names, board, record).assign(item=item))
        apart += not board.connected
    rows = pd.concat(parts).rename(columns={"name": "generation"})
    known = store.generations(selection.dataset, texts=False)[["generation", "system", "sample"]]
    rows = rows.merge(known, on="generation")
    rows = rows[["item", "system", "sample", "generation", *rows.columns.difference(known.columns).drop("item")]]
    note = f"In {apart} of {len(parts)} items not all candidates are linked by comparisons." if apart else ""
    return Result(
        rows,
        _rank_signature(store, selection, settings) + "|by:candidate",
        taken.used,
        unanswered,
        [*taken.notes, *([note] if note else [])],
        {"connected": apart == 0, "method": settings.method},
    )


def _with_outcome(frame: pd.DataFrame, settings: RankSettings) -> Debiased:
    """The comparisons a method can use, in `outcome` what it takes of each."""
    taken = debiasing.debias(frame, settings.debias)
    rows = debiasing.with_order(taken.frame) if settings.position_term else taken.frame
    if rows.empty and len(frame):
        raise TandemError("nobody knows which text was shown first in these judgements: rank without --position-term")
    if settings.how.outcome == "probabilities":
        rows = rows.dropna(subset="prob_a")
        if rows.empty and len(frame):
            raise TandemError("these judges give no probabilities, only decisions: use win-ratio or bradley-terry")
    left_out = len(taken.frame) - len(rows)
    needed = "no known order" if settings.how.outcome == "decisions" else "no probability or no known order"
    notes = [*taken.notes, *([f"{left_out:,} judgements with {needed} are left out."] if left_out else [])]
    if settings.ties == "drop":
        rows = rows[rows["points"] != 0.5]
    if rows.empty:
        raise TandemError("nothing is left to rank: no judgement was answered, or all were ties and --ties is drop")
    return Debiased(rows.assign(outcome=rows["prob_a" if _probable(rows, settings) else "points"]), tuple(notes))


def _probable(rows: pd.DataFrame, settings: RankSettings) -> bool:
    """Whether a method takes the probabilities of these judgements."""
    made_for = settings.how.outcome
    return made_for == "probabilities" or (made_for == "either" and bool(rows["prob_a"].notna().all()))


def _columns(frame: pd.DataFrame, sides: tuple[str, str], names: Any) -> tuple[Any, Any, Any]:
    first, second = (np.searchsorted(names, frame[side].to_numpy()) for side in sides)
    return first, second, frame["outcome"].to_numpy(dtype=float)


def _rate(
    frame: pd.DataFrame, sides: tuple[str, str], names: Any, selection: Selection, settings: RankSettings
) -> ratings.Leaderboard:
    try:
        return ratings.leaderboard(
            settings.method,
            *_columns(frame, sides, names),
            n=len(names),
            groups=pd.factorize(frame["item"])[0] if settings.resample == "item" else None,
            resamples=settings.bootstrap,
            rng=np.random.default_rng(selection.seed),
            **settings.own(frame),
        )
    except ArithmeticError as error:
        raise TandemError(str(error)) from error


def _position_effect(frame: pd.DataFrame, names: Any, settings: RankSettings) -> float | None:
    """What being shown first is worth in rating points, where that was asked for."""
    effect = settings.how.position_effect
    if effect is None or not settings.position_term:
        return None
    own = {name: value for name, value in settings.own(frame).items() if name != "position"}
    return effect(*_columns(frame, ("system_a", "system_b"), names), n=len(names), **own)


def _board_rows(names: Any, board: ratings.Leaderboard, record: Any) -> pd.DataFrame:
    wins, losses, ties = record.T
    return pd.DataFrame(
        {
            "name": names,
            "rating": board.rating,
            "low": board.low,
            "high": board.high,
            **{name: pd.Series(np.round(getattr(board, name))).astype("Int64") for name in RANKS},
            "wins": wins,
            "losses": losses,
            "ties": ties,
            "judgements": wins + losses + ties,
        }
    )


def _rank_signature(store: Store, selection: Selection, settings: RankSettings) -> str:
    return signature(
        settings.method,
        judges="+".join(selection.judges) or Kind.HUMAN.value,
        attribute=selection.attribute or "all",
        subset=selection.subset,
        systems="+".join(selection.systems),
        ties=settings.ties,
        k=f"{settings.k:g}" if "k" in settings.how.takes else None,
        position="term" if settings.position_term else None,
        experts=settings.experts if "experts" in settings.how.takes else None,
        debias=settings.debias if settings.debias != "none" else None,
        boot=settings.bootstrap,
        resample=settings.resample,
        seed=selection.seed,
    )


def scored(store: Store, selection: Selection, rater: str) -> pd.DataFrame:
    """generation, item, system, attribute, value: the marks of a rater, a panel (expert = expert-1, expert-2 ..), or a
    kind, averaged over raters and trials where there are several. Raises TandemError when there are none."""
    every = _chosen_scores(store, Selection(**{**vars(selection), "judges": ()}))
    frame = every[(every["rater"] == rater) | (every["panel"] == rater)]
    if frame.empty:
        frame = every[every["kind"] == rater]
    if frame.empty:
        raise TandemError(f"no scores by {rater!r} here; there are some by {_some(every['rater'].unique())}")
    keys = ["generation", "item", "system", "attribute"]
    return frame.groupby(keys, sort=False)["value"].mean().reset_index()


def correlate(
    store: Store,
    selection: Selection,
    *,
    against: str,
    level: str,
    scores: str = "",
    settings: RankSettings | None = None,
) -> Result:
    """How well scores of a rater, or ratings from comparisons, follow the scores of another rater.

    One row per attribute: attribute, spearman, kendall, pearson, n (items, systems or texts that were correlated), items,
    undefined_items, pair_accuracy, pairs, missing (texts that have only one of the two values). `level` item: within each
    item, then averaged; system: over the systems' means; pool: over all texts. With `scores` no judgements are used.
    """
    if level not in ("item", "system", "pool"):
        raise TandemError(f"unknown --level {level!r}; there are item, system, pool")
    check(store, selection)
    truth = scored(store, selection, against)
    unanswered: Mapping[str, int] = {}
    used, notes, rows = 0, [], []
    for attribute in truth["attribute"].unique():
        one = Selection(**{**vars(selection), "attribute": attribute})
        if scores:
            predicted = scored(store, selection, scores)
            predicted = predicted.loc[predicted["attribute"] == attribute, ["generation", "value"]]
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
        both = truth[truth["attribute"] == attribute].merge(
            predicted, on="generation", how="outer", suffixes=("", "_predicted")
        )
        both = both.dropna(subset=["item"])
        rows.append({"attribute": attribute, **_correlated(both, level)})
    if not rows:
        raise TandemError(notes[0] if notes else f"{scores!r} and {against!r} have no attribute in common")
    frame = pd.DataFrame(rows)
    how = settings or RankSettings()
    of = (
        {"of": scores}
        if scores
        else {
            "of": how.method,
            "position": "term" if how.position_term else None,
            "debias": how.debias if how.debias != "none" else None,
        }
    )
    return Result(
        frame,
        signature("correlation", **of, against=against, level=level, attribute=selection.attribute or "all"),
        used,
        unanswered,
        notes,
        {"level": level, **(rows[0] if len(rows) == 1 else dict.fromkeys(rows[0]))},
    )


def _ratings(
    store: Store, selection: Selection, settings: RankSettings, level: str, truth: pd.DataFrame
) -> tuple[Result, pd.DataFrame]:
    """What comparisons say of each text (generation, value): its system's rating on the leaderboard at system level, else
    its own among its item's candidates."""
    if level != "system":
        result = candidates(store, selection, settings)
        return result, result.rows[["generation", "rating"]].rename(columns={"rating": "value"})
    result = leaderboard(store, selection, settings)
    of_system = result.rows.set_index("system")["rating"]
    texts = truth.loc[truth["attribute"] == selection.attribute, ["generation", "system"]]
    return result, pd.DataFrame({"generation": texts["generation"], "value": texts["system"].map(of_system)})


def _correlated(both: pd.DataFrame, level: str) -> dict[str, Any]:
    predicted, truth = both["value_predicted"].to_numpy(float), both["value"].to_numpy(float)
    items, systems = pd.factorize(both["item"])[0], pd.factorize(both["system"])[0]
    found: correlation.Correlations | correlation.ItemCorrelations
    undefined = 0
    if level == "item":
        found = correlation.by_item(items, predicted, truth)
        n, undefined = found.items, found.undefined
        accuracy = correlation.pair_accuracy(items, predicted, truth)
    elif level == "system":
        found = correlation.by_system(systems, predicted, truth)
        n = found.n
        means = both.dropna(subset=["value", "value_predicted"]).groupby("system")[["value_predicted", "value"]].mean()
        accuracy = correlation.pair_accuracy(np.zeros(len(means), dtype=np.int64), *means.to_numpy(float).T)
    else:
        found = correlation.correlations(predicted, truth)
        n = found.n
        accuracy = correlation.pair_accuracy(np.zeros(len(both), dtype=np.int64), predicted, truth)
    return {
        "spearman": found.spearman,
        "kendall": found.kendall,
        "pearson": found.pearson,
        "n": n,
        "items": n if level == "item" else len(np.unique(items)),
        "undefined_items": undefined,
        "pair_accuracy": accuracy.accuracy,
        "pairs": accuracy.pairs,
        "missing": found.missing,
    }


def bias(store: Store, selection: Selection, debias: str = "none") -> Result:
    """How much the place of a text decides: one row per judge and attribute, of all judges unless some are chosen.

    judge, prompt (name@version or None), attribute, comparisons (answered, shown order known), p_first with its interval
    low to high, first_share, mean_prob_first, pairs_both_orders, consistent_both_orders, both_unanswered (pairs), tau,
    alpha, p_first_after (with `debias`).
    """
    if debias not in debiasing.DEBIASING:
        raise TandemError(f"unknown --debias {debias!r}; there are {', '.join(debiasing.DEBIASING)}")
    check(store, selection)
    everybody = replace(selection, judges=selection.judges or tuple(Kind))
    every, unanswered = _asked(store, everybody)
    frame = debiasing.paired(debiasing.with_order(every))
    if debias != "none":
        debiasing.debias(frame.dropna(subset="points"), debias)  # says so where it can be done for nobody
    prompts = store.judges().set_index("judge")["prompt"]
    rows = pd.DataFrame(
        [
            {"judge": judge, "prompt": prompts.get(judge), "attribute": attribute, **_biased(of_judge, debias)}
            for (judge, attribute), of_judge in frame.groupby(debiasing.JUDGED, sort=False)
        ],
        columns=BIAS,
    )
    answered = every["points"].notna()
    unknown = int((answered & (every["order_known"] != 1)).sum())
    one_order = rows.loc[rows["pairs_both_orders"] == 0, "judge"].unique()
    notes = [f"{unknown:,} judgements whose shown order is unknown are left out."] if unknown else []
    if len(one_order):
        notes.append(
            f"No pair was answered in both orders by {_some(one_order)}: what was shown first may also have been better."
        )
    return Result(
        rows,
        signature(
            "bias",
            judges="+".join(selection.judges) or "all",
            attribute=selection.attribute or "all",
            subset=selection.subset,
            systems="+".join(selection.systems),
            debias=debias,
        ),
        int(answered.sum()) - unknown,
        unanswered,
        notes,
    )


def _biased(frame: pd.DataFrame, debias: str) -> dict[str, Any]:
    """The figures of one judge and attribute; `frame` holds every pair with its `points`, NaN where unanswered."""
    points, prob_a = frame["points"].to_numpy(float), frame["prob_a"].dropna().to_numpy(float)
    found = positional.first_position(points)
    pair = np.asarray(frame.groupby(debiasing.PAIR, sort=False).ngroup(), dtype=np.int64)
    orders = positional.both_orders(pair, frame["reverse"].to_numpy(bool), points)
    tau = positional.threshold(prob_a)
    after = points
    if debias == "threshold":
        after = debiasing.decided(positional.reweighted(prob_a, tau))
    elif debias == "swap":
        after = _both_ways(frame, orders.answered)
    return {
        "comparisons": int((~np.isnan(points)).sum()),
        **found._asdict(),
        "mean_prob_first": prob_a.mean() if len(prob_a) else np.nan,
        "pairs_both_orders": orders.answered,
        "consistent_both_orders": orders.consistent,
        "both_unanswered": orders.unanswered,
        "tau": tau,
        "alpha": positional.weight(tau),
        "p_first_after": positional.first_position(after).p_first,
    }


def _both_ways(frame: pd.DataFrame, pairs: int) -> Any:
    """The points of the first in either order once both orders say the same."""
    if not pairs:
        return np.array([])
    merged = debiasing.debias(frame.dropna(subset="points"), "swap").frame["points"].to_numpy(float)
    return np.concatenate([merged, 1 - merged])


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {reason: one.get(reason, 0) + other.get(reason, 0) for reason in {**one, **other}}


def _some(names: Any, most: int = 8) -> str:
    listed = [str(name) for name in names]
    return (", ".join(listed[:most]) or "none") + (f" and {len(listed) - most} more" if len(listed) > most else "")
