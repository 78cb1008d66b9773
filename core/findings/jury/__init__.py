"""Jury: a leaderboard by several judges together, and how often they are right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from ...labels import percent, pluralize
from ...records import Kind, TandemError, choose_voting_kind
from ...rendering import COUNT, POINTS, SHARE, Column, list_names
from ...statistics import Floats, NoVerdictError, intervals
from ...statistics import jury as estimates
from ...store import Store
from ..judgements import Finding, Selection, calibrating, minimum, orient
from ..judgements.judge_differences import STUDENT
from ..judgements.judges import declare_estimate
from ..judgements.verdicts import PAIR, find_better_text, score_rightness
from ..leaderboard import RankSettings, rank_among
from ..leaderboard.rating_input import SYSTEMS, extract_columns, prepare_comparisons

GAIN = (
    Column("way", "way", help="How the judges' answers become one"),
    Column("pairs", "pairs", COUNT, "Pairs of texts that all judges answered, and people voted on"),
    Column("items", "items", COUNT),
    declare_estimate(
        "accuracy", "accuracy", SHARE, "How often it is right by what most annotators say", ends="",
    ),
    declare_estimate(
        "gain", "gain in points", POINTS, "Over the best single judge, on the same pairs",
        interval=STUDENT,
    ),
)  # fmt: skip


WAYS = ("jury", "average", "majority", "best judge")
KEYS = ["family", *PAIR]
NOT_PEOPLE = (Kind.LLM.value, Kind.BASELINE.value)


def jury(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """The `leaderboard` by a jury, and the table `gain`: how often models and baselines of the
    selection are right together, of the pairs of texts all of them answered and most people
    prefer one of. Nobody's vote is on the jury here.

    Its columns are declared in `core.findings.jury`; the gain is over the best judge, from
    the same pairs. All is cross-fitted by item: discriminations, and which judge is the best, are
    of other items. Fact `sentences`: the result, or why the table is empty.
    """
    if not settings.method:
        settings = replace(settings, method="jury")
    board = rank_among(store, selection, settings, 1)
    try:
        gain = _gain(store, selection, settings)
    except NoVerdictError as error:
        gain = f"How often the jury is right is unknown: {error}."
    except TandemError as error:
        gain = f"How often the jury is right is unknown: {error}."
    if isinstance(gain, str):
        said, table = gain, pd.DataFrame(columns=list_names(GAIN))
    else:
        said, table = _sentence(gain), gain
    return replace(
        board,
        facts={**board.facts, "sentences": [said]},
        tables={**board.tables, "gain": table},
        table_columns={**board.table_columns, "gain": GAIN},
    )


@dataclass(frozen=True)
class _JuryAnswers:
    """A row for each answer; each of the `pairs` of texts has a row in `mean` (pairs, K), each
    judge's mean for the first text, and in `better`, what most people say.
    """

    rows: pd.DataFrame
    names: Any
    pairs: pd.MultiIndex
    mean: Floats
    better: Floats

    @property
    def family(self) -> Any:
        return self.pairs.get_level_values("family").to_numpy()

    @property
    def judge(self) -> Any:
        """(m,) which of `names` each row is by."""
        return np.searchsorted(self.names, self.rows["judge"].to_numpy(str))


def _gain(store: Store, selection: Selection, settings: RankSettings) -> pd.DataFrame | str:
    answers = _answers(store, selection, settings)
    if len(answers.names) < 2:
        return "There is no gain to tell: it takes two judges or more beside people."
    known = np.isin(answers.better, (-1, 1)) & ~np.isnan(answers.mean).any(axis=1)
    items = len(np.unique(answers.family[known]))
    short = minimum.describe_shortfall(
        "how often the jury is right is reported",
        minimum.count_answers(int(known.sum()), "pair"),
        minimum.count_items(items),
    )
    if short:
        return f"Where people voted and all judges answered: {short}"
    rights = _rights(answers, known, settings, selection.seed)
    groups = pd.factorize(answers.family[known])[0]
    found = []
    for way in WAYS:
        share = intervals.share(rights[way], groups)
        apart = intervals.difference(rights[way] - rights["best judge"], groups)
        row = {"way": way, "pairs": share[3], "items": items}
        row |= intervals.spread("accuracy", share, "")
        if way != "best judge":
            row |= intervals.spread("gain", apart)
        found.append(row)
    return pd.DataFrame(found, columns=list_names(GAIN))


def _answers(store: Store, selection: Selection, settings: RankSettings) -> _JuryAnswers:
    """Load the answers of models and baselines, and the majority of people. Simulated annotators
    replace people if the selection has no person.
    """
    taken = prepare_comparisons(
        store, selection, replace(settings, people="each", reweight=False)
    ).frame
    votes = calibrating.load_votes(store, selection, taken, choose_voting_kind(taken["kind"]).value)
    taken = taken[taken["kind"].isin(NOT_PEOPLE)]
    if taken.empty:
        raise TandemError("only people are on it")
    rows = orient(taken.assign(points=taken["outcome"])).reset_index(drop=True)
    mean = rows.pivot_table(index=KEYS, columns="judge", values="points_1", sort=False)
    mean = mean[sorted(map(str, mean))]
    pairs = mean.index.to_frame(index=False)
    better = find_better_text(pairs.assign(judge=""), votes)
    index = pd.MultiIndex.from_frame(pairs)
    return _JuryAnswers(rows, mean.columns.to_numpy(str), index, mean.to_numpy(float), better)


def _rights(
    answers: _JuryAnswers, known: Any, settings: RankSettings, seed: int
) -> dict[str, Floats]:
    """way -> (pairs,) whether it is right, 1/2 where it prefers neither."""
    fold = calibrating.assign_folds(pd.DataFrame({"family": answers.family}), seed)
    of_family = dict(zip(answers.family, fold, strict=True))
    of_row = answers.rows["family"].map(of_family).to_numpy()
    mean, better = answers.mean, answers.better
    says = {way: np.full(len(mean), np.nan) for way in WAYS}
    says["average"] = mean.mean(axis=1) - 0.5
    says["majority"] = np.sign(np.round(mean - 0.5, 9)).sum(axis=1)
    single = score_rightness(mean.T, better).T
    single = np.where(np.isnan(single), np.nan, (np.sign(np.round(single - 0.5, 9)) + 1) / 2)
    for one in np.unique(fold):
        held, rest = fold == one, (fold != one) & known
        d, gamma = _discriminations(answers, of_row != one, settings)
        says["jury"][held] = _votes(answers, d, gamma)[held]
        best = int(np.argmax(single[rest].mean(axis=0)))
        says["best judge"][held] = mean[held, best] - 0.5
    return {
        way: score_rightness((np.sign(np.round(say[known], 9)) + 1) / 2, better[known])
        for way, say in says.items()
    }


def _discriminations(
    answers: _JuryAnswers, used: Any, settings: RankSettings
) -> tuple[Floats, Floats]:
    """(K,) discriminations, and what being shown first is worth, by the answers that are used."""
    rows = answers.rows[used]
    systems = np.unique(rows[list(SYSTEMS)])
    judge = answers.judge[used]
    fit = estimates.fit_jury(
        *extract_columns(rows, SYSTEMS, systems), n=len(systems), judge=judge,
        position=settings.position_term,
    )  # fmt: skip
    return fit.discrimination, fit.position


def _votes(answers: _JuryAnswers, d: Floats, gamma: Floats) -> Floats:
    """(pairs,) above 0 where the judges' answers are likelier if the first text is the better one:
    in the model of the jury the log of that ratio is, for any small difference, in proportion to
    the sum over judges of d (answer - what it would be of equal texts).
    """
    rows, judge = answers.rows, answers.judge
    surplus = d[judge] * (rows["outcome"].to_numpy(float) - expit(gamma[judge]))
    side = np.where(rows["turned"], -1.0, 1.0)
    summed = rows.assign(value=side * surplus).groupby([*KEYS, "judge"], sort=False)["value"]
    by_pair = summed.mean().groupby(KEYS, sort=False).sum()
    return by_pair.reindex(answers.pairs).to_numpy(float)


def _sentence(gain: pd.DataFrame) -> str:
    by = {row["way"]: row for _, row in gain.iterrows()}
    first, best = by["jury"], by["best judge"]
    return (
        f"Where people voted, the jury is right in {percent(*first[['accuracy', 'low', 'high']])} "
        f"of {pluralize(int(first['pairs']), 'pair')}: {_compare_to_best(first)}. "
        "Averaging reaches "
        f"{by['average']['accuracy']:.0%}, a majority {by['majority']['accuracy']:.0%}, the best "
        f"judge {best['accuracy']:.0%}."
    )


def _compare_to_best(first: pd.Series) -> str:
    """The gain of the jury; it has no interval where every pair says the same of it."""
    gain, low, high = (100 * first[name] for name in ("gain", "gain_low", "gain_high"))
    level = f"{abs(gain):.1f}" == "0.0"
    points = f"{abs(gain):.1f} points {'more' if gain > 0 else 'less'}"
    if np.isnan(low) and level:
        return "in each of them as right as the best single judge"
    if np.isnan(low):
        return f"{points} than the best single judge, in each of them alike"
    between = f"({low:+.1f} to {high:+.1f} points)"
    if level:
        return f"as often as the best single judge {between}"
    certain = "beyond chance" if low > 0 or high < 0 else "which may be chance"
    return f"{points} than the best single judge {between}, {certain}"
