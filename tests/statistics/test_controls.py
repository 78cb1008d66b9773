"""Win rates at equal length and strengths at equal style: statsmodels, scipy, published rates."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit
from statsmodels.api import Logit

from core.statistics import length_controlled as module
from core.statistics.bradley_terry import bradley_terry, position_effect
from core.statistics.columns import SCALE
from core.statistics.length_controlled import length_controlled
from core.statistics.style_control import (
    control_effects,
    control_position,
    controlled_bradley_terry,
)
from tests.statistics.votes import decide, leaderboard, meet, points_of

# ---- Win rates at equal length: statsmodels, scipy, known truth, AlpacaEval's published rates


def study(rng, strengths, items=200, slope=1.0, longer=0.5, weight=1.0, harder=0.0):
    """Votes for each system against the baseline, the last one, on every item; texts are `longer`
    by so many standard deviations, and `harder` more for each unit of difficulty. Rows are
    shuffled, and either side is first.
    """
    k = len(strengths)
    system, item = np.repeat(np.arange(k), items), np.tile(np.arange(items), k)
    length = rng.normal(longer, 1.0, size=k * items)
    difficulty = rng.normal(size=items)
    length += harder * difficulty[item]
    odds = np.asarray(strengths)[system] + slope * np.tanh(length) + weight * difficulty[item]
    won = decide(rng, odds)
    flipped = rng.random(k * items) < 0.5
    columns = np.where(flipped, k, system), np.where(flipped, system, k)
    return (*columns, np.where(flipped, 1 - won, won)), {
        "item": item, "length": 300 * length, "baseline_first": flipped.astype(float),
    }  # fmt: skip


def read(votes, settings, n):
    """Rows as the module has them, and a weight of 1 for each."""
    sides = (settings[name] for name in ("item", "baseline_first", "length"))
    return module._read(*votes, n, *sides), np.ones(len(votes[0]))  # type: ignore[call-arg]


def turn(votes, settings):
    """The same comparisons with the other text first."""
    first, second, outcome = votes
    return (second, first, 1 - outcome), {
        **settings, "baseline_first": 1 - settings["baseline_first"],
    }  # fmt: skip


def test_of_one_system_it_is_a_logistic_regression_at_no_difference() -> None:
    """statsmodels' fit; the weak prior of ours moves 4,000 votes by less than a thousandth."""
    votes, settings = study(np.random.default_rng(0), [-0.5], items=4000)
    won = np.where(settings["baseline_first"] == 1, 1 - votes[2], votes[2])
    d = settings["length"]
    design = sm.add_constant(np.tanh(d / d.std(ddof=1)))
    theirs = sm.GLM(won, design, family=sm.families.Binomial()).fit()
    rate = length_controlled(*votes, n=2, **settings)
    assert_allclose(rate, [expit(theirs.params[0]), 0.5], atol=1e-3)


def test_without_lengths_it_is_the_share_won() -> None:
    votes, settings = study(np.random.default_rng(1), [-1.0, 0.0, 0.5, 1.0])
    shares = leaderboard("win-ratio", *votes, n=5, resamples=0)
    rate = length_controlled(*votes, n=5, **{**settings, "length": None})
    assert_allclose(rate[:4], shares.rating[:4], atol=5e-3)


def test_who_was_shown_first_and_the_order_of_rows_make_no_difference() -> None:
    rng = np.random.default_rng(2)
    votes, settings = study(rng, [-1.0, 0.0, 0.5])
    rate = length_controlled(*votes, n=4, **settings)
    other, mirrored = turn(votes, settings)
    assert_allclose(length_controlled(*other, n=4, **mirrored), rate, atol=1e-6)
    order = rng.permutation(len(votes[0]))
    shuffled = {name: value[order] for name, value in settings.items()}
    mixed = length_controlled(*(column[order] for column in votes), n=4, **shuffled)
    assert_allclose(mixed, rate, atol=1e-5)


def test_the_fit_is_the_most_probable_one() -> None:
    """scipy's BFGS on the posterior, of everything but difficulties and variances."""
    votes, settings = study(np.random.default_rng(3), [-1.0, 0.0, 0.5, 1.0], items=60)
    rows, w = read(votes, settings, 5)
    common, state = module._estimate_prior(rows, w)
    rows = module._add_difficulty(rows, w, common)

    def improbability(flat):
        theta, mean = flat[:15].reshape(5, 3), flat[15:]
        odds = (rows.design * theta[rows.system]).sum(axis=1)
        misfit = np.logaddexp(0, odds) - rows.wins * odds
        away = (theta[:, 1:] - mean) ** 2 / state.variance
        weak = module.WEAK * ((theta[:, 0] ** 2).sum() + ((mean - module.CENTRE) ** 2).sum())
        return misfit.sum() + (away.sum() + weak) / 2

    start = np.zeros(17)
    best = minimize(improbability, start, options={"gtol": 1e-7}).x[:15].reshape(5, 3)
    assert_allclose(module._fit(rows, w, state), best, atol=1e-4)


def test_an_item_is_as_hard_for_a_system_as_the_others_found_it() -> None:
    """scipy's optimum of the difficulty without what was answered about the system itself; a step
    of Newton's method comes within a tenth of the range.
    """
    votes, settings = study(np.random.default_rng(6), [-1.0, 0.0, 1.0], items=40)
    rows, w = read(votes, settings, 4)
    common = module._fit_common(rows, w)
    found = module._add_difficulty(rows, w, common).design[:, 2]

    def improbability(difficulty, others, expected):
        odds = common.strength[rows.system[others]] + common.slope * rows.design[others, 1]
        misfit = np.logaddexp(0, odds + difficulty) - rows.wins[others] * (odds + difficulty)
        return misfit.sum() + (difficulty - expected) ** 2 / common.variance / 2

    best = [
        minimize_scalar(
            improbability,
            args=((rows.item == item) & (rows.system != system), common.expected[item]),
        ).x
        for item, system in zip(rows.item, rows.system, strict=True)
    ]
    assert np.abs(found - best).max() < 0.1 * np.ptp(best)
    assert np.corrcoef(found, best)[0, 1] > 0.99


def test_texts_that_are_longer_on_harder_items_bias_nothing() -> None:
    """Of three systems on 20,000 items the error is 0.4 points. Difficulties that do not know of
    lengths are 1.8 points off here.
    """
    strengths = np.array([-1.0, 0.0, 1.0])
    difficulty = np.random.default_rng(0).normal(size=200_000)
    truth = expit(strengths[:, None] + difficulty).mean(axis=1)
    votes, settings = study(np.random.default_rng(3), strengths, items=20_000, harder=0.5)
    assert_allclose(length_controlled(*votes, n=4, **settings)[:3], truth, atol=0.01)


def test_an_item_that_counts_twice_is_as_two() -> None:
    """Weights of a resample, beside the same comparisons listed so often."""
    votes, settings = study(np.random.default_rng(7), [-1.0, 0.0, 1.0], items=60)
    rows, w = read(votes, settings, 4)
    twice = settings["item"] < 20
    common = module._fit_common(rows, w)
    weighted = module._refit_common(rows, w + twice, w, common)
    more = {name: np.append(value, value[twice]) for name, value in settings.items()}
    more["item"][len(w) :] += 60
    listed, ones = read([np.append(column, column[twice]) for column in votes], more, 4)
    # Lengths are compared with the same deviations and means as before
    listed = listed._replace(
        design=np.concatenate([rows.design, rows.design[twice]]),
        longer=np.append(rows.longer, rows.longer[:20]),
    )
    start = common._replace(
        difficulty=np.append(common.difficulty, common.difficulty[:20]),
        expected=np.append(common.expected, common.expected[:20]),
        share=np.ones(80),
    )
    for _ in range(module.ROUNDS):
        start, _, moved = module._step_common(listed, ones, start)
        if moved < module.NEAR:
            break
    assert_allclose(weighted.difficulty, start.difficulty[:60], atol=1e-6)
    assert weighted.slope == pytest.approx(start.slope, abs=1e-6)
    assert abs(weighted.slope - common.slope) > 0.01


def test_a_system_that_only_writes_more_gains_nothing() -> None:
    """Four systems as good as the baseline, whose texts are longer by one standard deviation: they
    win more than 60%, and about half at equal length. Their error is 1.5 points each."""
    votes, settings = study(np.random.default_rng(4), [0.0] * 4, items=2000, longer=1.0)
    shares = leaderboard("win-ratio", *votes, n=5, resamples=0)
    assert (shares.rating[:4] > 0.6).all()
    assert_allclose(length_controlled(*votes, n=5, **settings), 0.5, atol=0.05)


def test_who_wins_or_loses_everything_has_a_rate_between_0_and_1() -> None:
    """Also where the longer text always wins, so that nothing bounds what length does."""
    item, zero = np.arange(40), np.zeros(40, dtype=int)
    longer = np.where(item % 2, 50.0, -50.0)
    settings = {"item": item, "length": longer, "baseline_first": item * 0.0}
    for won in (np.ones(40), np.zeros(40), item % 2 * 1.0):
        rate = length_controlled(zero, zero + 1, won, n=2, **settings)
        assert (rate > 0).all()
        assert (rate < 1).all()


@pytest.fixture(scope="module")
def alpaca(datasets: Path):
    """AlpacaEval 2's answers but for the baseline's with itself, and the published rates in %."""
    folder = datasets / "alpaca_eval"
    with gzip.open(folder / "preferences_weighted_gpt4_turbo.csv.gz") as file:
        rows = pd.read_csv(file)
    rates = pd.read_csv(folder / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv", index_col=0)
    return rows[rows["model_dir"] != "gpt4_1106_preview"], rates["length_controlled_winrate"]


def test_alpaca_eval_comes_near_the_published_rates(alpaca) -> None:
    """Of models with all 805 rows that have a published rate. AlpacaEval takes difficulties that it
    does not publish with its results, and two baselines that were asked to write more and less; the
    win rates alone are 4.85 points off on average. Nothing of ours was fitted to these rates.
    """
    rows, published = alpaca
    system, names = pd.factorize(rows["model_dir"])
    m, n = len(rows), len(names) + 1
    rate = 100 * length_controlled(
        system, np.full(m, n - 1), (rows["preference"] - 1).to_numpy(), n=n,
        item=rows["instruction_index"].to_numpy(), baseline_first=np.zeros(m),
        length=(rows["len_2"] - rows["len_1"]).to_numpy(float),
    )[:-1]  # fmt: skip
    whole = np.bincount(system) == 805
    off = (pd.Series(rate, names) - published.reindex(names))[whole].dropna().abs()
    assert len(off) == 50
    assert off.mean() < 0.8
    assert (off < 1).sum() >= 38
    assert off.nlargest(2).iloc[1] < 2


# ---- Strengths at equal style: against statsmodels' logit, and what must not change them


ITEMS = 60


def drawn(seed, m=600, n=6, k=3):
    """Votes of random pairs that style has a say in, every fifth of them a tie, and their items."""
    rng = np.random.default_rng(seed)
    first, second = meet(rng, n, m)
    control = rng.normal(size=(m, k))
    odds = rng.normal(size=n)
    p = expit(odds[first] - odds[second] + control @ rng.normal(size=k) / 2 + 0.3)
    outcome = np.where(rng.random(m) < 0.2, 0.5, rng.random(m) < p)
    return (first, second, outcome), control, rng.integers(ITEMS, size=m)


def logit(votes, control, items, position):
    """statsmodels 0.15's fit. It takes no ties: each vote stands there twice, a tie once either way,
    which changes neither the estimate nor a covariance that is robust to clusters.
    """
    first, second, outcome = votes
    one = np.eye(int(max(first.max(), second.max())) + 1)
    design = (one[first] - one[second])[:, 1:]
    columns = [design, control, *([np.ones(len(first))] if position else [])]
    won = np.stack([outcome >= 0.5, outcome > 0.5], axis=1).ravel().astype(float)
    return Logit(won, np.repeat(np.column_stack(columns), 2, axis=0)).fit(
        disp=0, tol=1e-12, cov_type="cluster",
        cov_kwds={"groups": np.repeat(items, 2), "use_correction": False},
    )  # fmt: skip


def test_agrees_with_statsmodels() -> None:
    for position, seed in product([False, True], range(2)):
        votes, control, items = drawn(seed)
        theirs, how = logit(votes, control, items, position), {"n": 6, "control": control}
        rating = controlled_bradley_terry(*votes, position=position, **how)
        assert_allclose(rating, points_of(np.append(0.0, theirs.params[:5])), atol=1e-6 * SCALE)
        effects = control_effects(*votes, sources=[items], position=position, **how)
        assert_allclose(effects.centre / SCALE, theirs.params[5:8], atol=1e-6)
        variance, freedom = effects.variance()
        errors = theirs.bse[5:8] * np.sqrt(ITEMS / (ITEMS - 1))
        assert_allclose(np.sqrt(variance) / SCALE, errors, atol=1e-6)
        assert_allclose(freedom, ITEMS - 1)
        if position:
            shown_first = control_position(*votes, **how)
            assert shown_first / SCALE == pytest.approx(theirs.params[-1], abs=1e-6)


def test_without_controls_it_is_bradley_terry() -> None:
    votes, _, _ = drawn(2)
    chain = np.array([0, 0, 1]), np.array([1, 1, 2]), np.ones(3)
    for of, n, position in [(votes, 6, False), (votes, 6, True), (chain, 3, False)]:
        theirs = bradley_terry(*of, n=n, position=position)
        assert_allclose(controlled_bradley_terry(*of, n=n, position=position), theirs, atol=1e-6)
    assert control_position(*votes, n=6) == pytest.approx(position_effect(*votes, n=6), abs=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(6)))
def test_relabelling_mirroring_and_a_shift_change_nothing(seed, order) -> None:
    (first, second, outcome), control, items = drawn(seed, m=120, k=1)
    turned = np.random.default_rng(seed).random(120) < 0.5
    mirrored = (
        np.where(turned, second, first),
        np.where(turned, first, second),
        np.where(turned, 1 - outcome, outcome),
    )
    sides = np.where(turned[:, None], -control, control)
    rating = controlled_bradley_terry(first, second, outcome, n=6, control=control)
    assert_allclose(controlled_bradley_terry(*mirrored, n=6, control=sides), rating, atol=1e-6)
    place = np.array(order)
    renamed = controlled_bradley_terry(place[first], place[second], outcome, n=6, control=control)
    assert_allclose(renamed[place], rating, atol=1e-6)
    # Both texts of a system become longer by as much on every item: only strengths differ by it.
    style = np.arange(6.0)
    moved = controlled_bradley_terry(
        first, second, outcome, n=6, control=control + (style[first] - style[second])[:, None]
    )
    [effect] = control_effects(first, second, outcome, n=6, control=control, sources=[items]).centre
    assert_allclose(moved + effect * (style - style.mean()), rating, atol=1e-5)


def test_what_has_no_estimate_is_said() -> None:
    votes, control, _ = drawn(3, m=200, k=1)
    longer_wins = (np.sign(control[:, 0]) + 1) / 2
    with pytest.raises(ArithmeticError, match=r"\bevery answer\b"):
        controlled_bradley_terry(votes[0], votes[1], longer_wins, n=6, control=control)
    of_system = (np.arange(6.0)[votes[0]] - np.arange(6.0)[votes[1]])[:, None]
    for useless in (of_system, np.zeros((200, 1)), np.column_stack([control, 2 * control])):
        with pytest.raises(ArithmeticError, match=r"\bseparated\b.*\bsystems\b"):
            controlled_bradley_terry(*votes, n=6, control=useless)


def test_a_leaderboard_of_equal_systems_whose_lengths_differ() -> None:
    """Whoever writes longer is preferred for that alone: at equal length all are alike."""
    rng = np.random.default_rng(4)
    m = 1500
    first, second = meet(rng, 3, m)
    length = rng.normal(size=m) + (first - second)
    votes = first, second, decide(rng, length)
    how = {"n": 3, "rng": rng, "groups": np.arange(m) // 3}
    board = leaderboard("bradley-terry-controlled", *votes, control=length[:, None], **how)
    assert ((board.low < 1000) & (board.high > 1000)).all()
    assert not board.beats.any()
    plain = leaderboard("bradley-terry", *votes, **how)
    assert plain.beats[2, 0], "which a plain leaderboard cannot know"
