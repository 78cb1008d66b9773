from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations, product

import choix
import evalica
import numpy as np
import pytest
import statsmodels.api
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from core.statistics import columns as comparisons
from core.statistics import drawing, ratings
from core.statistics.bradley_terry import bradley_terry, has_maximum, position_effect
from core.statistics.columns import SCALE
from core.statistics.elo import elo, sep_elo, sep_steps
from core.statistics.ratings import RATINGS
from core.statistics.win_ratio import mean_rank, win_ratio
from tests.paths import ROOT
from tests.statistics.sandwich import strengths_errors
from tests.statistics.votes import (
    columns,
    decide,
    leaderboard,
    meet,
    of_two,
    points_of,
    probable,
    resample_weights,
    simulated,
)

EVERY = [name for name, how in RATINGS.items() if "length" not in how.needs]
"""Methods that take votes between any two systems; length control takes those with one alone."""
GOLDEN = json.loads((ROOT / "tests" / "golden" / "ratings.json").read_text())
TIES = ("half", "drop", "model")


def from_wins(wins):
    """One comparison per counted win of the row over the column."""
    wins = np.array(wins)
    winner, loser = np.nonzero(wins)
    times = wins[winner, loser]
    return np.repeat(winner, times), np.repeat(loser, times), np.ones(times.sum())


def own(method, m):
    """Settings without which a method cannot be: a separability for each of m comparisons."""
    needed = "separability" in RATINGS[method].needs
    return {"separability": np.linspace(-0.2, 1.0, m)} if needed else {}


def by_evalica(method, first, second, outcome, **how):
    """Its scores, by system."""
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    found = method(first.tolist(), second.tolist(), [winner[points] for points in outcome], **how)
    return found.scores.sort_index()


# --- numbers from outside


def assert_as_printed(rating, golden, printed) -> None:
    """Printed with four digits, beside a system that is 0."""
    assert_allclose((rating - rating[golden["reference"]]) / SCALE, golden[printed], atol=0.6e-4)


def test_bradley_terry_of_the_citations_as_printed() -> None:
    golden = GOLDEN["citations"]
    rating = bradley_terry(*from_wins(golden["wins"]), n=len(golden["systems"]))
    assert_as_printed(rating, golden, "log_ability")


def test_bradley_terry_of_the_baseball_season_as_printed() -> None:
    """The home team is the one shown first, and its advantage the position term."""
    golden = GOLDEN["baseball"]
    won, lost = (from_wins(golden[side]) for side in ("home_wins", "home_losses"))
    first, second, outcome = (
        np.concatenate(sides) for sides in zip(won, (*lost[:2], 1 - lost[2]), strict=True)
    )
    plain = bradley_terry(first, second, outcome, n=7)
    assert_as_printed(plain, golden, "log_ability")
    at_home = bradley_terry(first, second, outcome, n=7, position=True)
    assert_as_printed(at_home, golden, "log_ability_at_home")
    effect = position_effect(first, second, outcome, n=7)
    assert effect / SCALE == pytest.approx(golden["at_home"], abs=0.6e-4)


# --- other implementations


def test_bradley_terry_agrees_with_evalica() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        votes = simulated(rng, rng.normal(size=8), 600)
        scores = by_evalica(evalica.bradley_terry, *votes, tolerance=1e-12, limit=10_000)
        assert_allclose(bradley_terry(*votes, n=8), points_of(np.log(scores)), atol=1e-6)


def surplus_of(first, second, outcome, rating):
    """By how much each system's points are above those that its rating expects."""
    n, surplus = len(rating), outcome - 1 / (1 + 10 ** ((rating[second] - rating[first]) / 400))
    return np.bincount(first, surplus, minlength=n) - np.bincount(second, surplus, minlength=n)


def test_bradley_terry_of_a_judge_sure_of_everything() -> None:
    """Few probabilities within 1e-9 of 0 and 1 leave little information, and still a maximum."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        every = np.array(list(permutations(range(20), 2)))
        first, second = every[rng.permutation(len(every))[:30]].T
        p = 1 / (1 + np.exp(-9 * rng.normal(size=30)))
        rating = bradley_terry(first, second, p, n=20)
        known = np.isfinite(rating)
        assert known.sum() == len({*first, *second})
        assert_allclose(surplus_of(first, second, p, rating), 0, atol=1e-7)


def test_elo_agrees_with_evalica() -> None:
    rng = np.random.default_rng(5)
    votes = simulated(rng, rng.normal(size=6), 500)
    scores = by_evalica(evalica.elo, *votes, initial=1000, k=4.0)
    assert_allclose(elo(*votes, n=6), scores, atol=1e-9)


def test_win_ratio_agrees_with_evalica_where_every_opponent_is_met_equally_often() -> None:
    # evalica averages over opponents, not over comparisons: in a round robin it is the same.
    pairs = np.array(list(permutations(range(5), 2)) * 4)
    votes = *pairs.T, np.random.default_rng(2).choice([0.0, 0.5, 1.0], size=len(pairs))
    scores = by_evalica(evalica.average_win_rate, *votes)
    assert_allclose(win_ratio(*votes, n=5), scores, atol=1e-12)


def minus_log_likelihood(parameters, first, second, outcome):
    """Davidson (1970), eq. 2.2, written down independently: strengths pi, tie parameter nu."""
    pi, nu = np.exp(parameters[:-1]), np.exp(parameters[-1])
    root = nu * np.sqrt(pi[first] * pi[second])
    seen = np.where(outcome == 1, pi[first], np.where(outcome == 0, pi[second], root))
    return -np.log(seen / (pi[first] + pi[second] + root)).sum()


def test_the_tie_model_agrees_with_newman() -> None:
    """Newman (2023) iterates towards the same likelihood; evalica stops after 100 rounds unless
    told otherwise.
    """
    rng = np.random.default_rng(7)
    votes = simulated(rng, rng.normal(size=6), 500)
    scores = by_evalica(evalica.newman, *votes, tolerance=1e-12, limit=100_000)
    ours = bradley_terry(*votes, n=6, ties="model")
    assert_allclose(ours, points_of(np.log(scores)), atol=1e-5)


# --- counted by hand

HAND = columns((0, 1, 1), (1, 0, 1), (0, 1, 0.5), (2, 0, 0), (2, 0, 1))


def test_shares_and_records_by_hand() -> None:
    # 0: won, lost, tied, won, lost = 2.5 of 5; 1: lost, won, tied = 1.5 of 3; 2: lost, won = 1 of
    # 2; 3: never compared.
    assert_array_equal(win_ratio(*HAND, n=4), [0.5, 0.5, 0.5, np.nan])
    weights = np.array([3, 1, 1, 0, 0])
    assert_array_equal(win_ratio(*HAND, n=4, weights=weights), [0.7, 0.3, np.nan, np.nan])
    assert_array_equal(ratings.record(*HAND, n=4), [[2, 2, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0]])
    votes = columns((0, 1, 0.9), (1, 0, 0.4))
    assert_allclose(RATINGS["average-probability"].rate(*votes, n=2), [0.75, 0.25])
    few = columns((0, 1, 1), (1, 2, 0.5))
    counted = ratings.record(*few, n=3, times=np.array([3.0, 2.0]))
    assert counted.tolist() == [[3, 0, 0], [0, 3, 2], [0, 0, 2]]


def test_elo_by_hand() -> None:
    # 1000 each: half of K = 4 changes hands. Then 1002 against 998 expects 1 / (1 + 10^(-4/400)) =
    # 0.505756.
    votes = columns((0, 1, 1), (0, 1, 0))
    assert_allclose(elo(*votes, n=3), [1002 - 4 * 0.505756, 998 + 4 * 0.505756, np.nan], atol=1e-5)
    assert_allclose(elo(*votes, n=2, k=[8, 0]), [1004, 996])
    # Weights scale the step and not the outcome: a win at a tenth of the weight is still a win.
    # evalica 0.4.2 would take points off for it.
    votes = columns((0, 1, 1), (1, 2, 0.5), (2, 0, 1))
    weighted = elo(*votes, n=3, weights=np.array([2, 1, 0.5]))
    assert_allclose(weighted, elo(*votes, n=3, k=np.array([8, 4, 2])))
    assert elo(*columns((0, 1, 1)), n=2, weights=np.array([0.1]))[0] == pytest.approx(1000.2)


def test_sep_elo_steps_by_hand() -> None:
    # Ghosh et al. 2024, eq. 6, K = 4, alpha = 2, beta = 6, T = 0.4: K at the threshold; 8 / (1 +
    # e^2.4) at 0, ...
    found = sep_steps(np.array([0.4, 0.0, 1.0, -1.0]))
    assert_allclose(
        found, [4.0, 8 / (1 + 11.0231764), 8 / (1 + 0.0273237), 8 / (1 + 4447.0667)], rtol=1e-6
    )
    assert_allclose(sep_steps(np.array([0.5]), k=10, threshold=0.5, alpha=1, beta=3), [5.0])


def test_sep_elo_by_hand() -> None:
    # 1000 each: half of the step changes hands, 4 at the threshold and 0.665381 at 0; then 1002
    # against 998.
    votes = columns((0, 1, 1), (0, 1, 0))
    moved = 8 / (1 + np.exp(2.4)) / (1 + 10 ** (-4 / 400))
    assert moved == pytest.approx(0.336525, abs=1e-5)
    found = sep_elo(*votes, n=3, separability=np.array([0.4, 0.0]))
    assert_allclose(found, [1002 - moved, 998 + moved, np.nan])
    # A win where nobody can tell the two apart is still a win: the step is scaled, not the outcome.
    assert sep_elo(*columns((0, 1, 1)), n=2, separability=np.array([-0.5]))[0] > 1000
    # Where all lie at the threshold it is Elo.
    votes = simulated(np.random.default_rng(1), np.zeros(4), 50)
    assert_allclose(sep_elo(*votes, n=4, separability=np.full(50, 0.4)), elo(*votes, n=4))


def test_mean_rank_by_hand() -> None:
    # 0 > 1 > 2 > 3 is worth 1, 2/3, 1/3, 0; then 1 > 0 alone, worth 1 and 0; 4 is in no ranking.
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (1, 0)]
    votes = columns(*((*pair, 1) for pair in pairs))
    share = np.array([1 / 3] * 6 + [1.0])
    found = mean_rank(*votes, n=5, share=share)
    assert_allclose(found, [(1 + 0) / 2, (2 / 3 + 1) / 2, 1 / 3, 0, np.nan])


def test_bradley_terry_by_hand() -> None:
    # Two systems: the odds are the ratio of wins, 3 : 1. The tie is half a win each way, 3.5 : 1.5,
    # or left out.
    votes = columns((0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 0, 1), (0, 1, 0.5))
    for ties, odds in [("half", 3.5 / 1.5), ("drop", 3), ("model", 3)]:
        apart = bradley_terry(*votes, n=2, ties=ties) @ [1, -1]
        assert apart == pytest.approx(400 * np.log10(odds)), ties


def test_without_ties_the_three_treatments_agree() -> None:
    for ties in TIES:
        votes = simulated(np.random.default_rng(0), np.linspace(-1, 1, 5), 300, ties=0)
        assert_allclose(
            bradley_terry(*votes, n=5, ties=ties), bradley_terry(*votes, n=5), atol=1e-8
        )


# --- where there is no maximum


def test_a_system_that_won_everything_gets_a_finite_strength_by_the_prior() -> None:
    votes = columns((0, 1, 1), (0, 1, 1))
    assert not has_maximum(*votes, n=2)
    # Two wins, and a tenth of a comparison split evenly: odds 2.05 : 0.05.
    assert bradley_terry(*votes, n=2) @ [1, -1] == pytest.approx(400 * np.log10(41))
    assert "prior" in leaderboard("bradley-terry", *votes, n=2).note


def test_the_prior_stays_out_of_the_resamples_that_do_not_need_it() -> None:
    votes = columns((0, 1, 1), (0, 1, 1), (0, 1, 0))
    apart = bradley_terry(*votes, n=2, weights=np.array([[1, 1, 1], [1, 1, 0]])) @ [1, -1]
    assert_allclose(apart, 400 * np.log10([2, 41]))


def test_all_ties_are_equal_strengths() -> None:
    votes = columns((0, 1, 0.5), (1, 2, 0.5))
    for ties in ("half", "model"):
        assert_allclose(bradley_terry(*votes, n=3, ties=ties), 1000)
    assert np.isnan(bradley_terry(*votes, n=3, ties="drop")).all()


def test_has_maximum() -> None:
    for rows, half, model in [
        ([(0, 1, 1), (0, 1, 0)], True, True),
        ([(0, 1, 1), (1, 2, 1)], False, False),
        ([(0, 1, 1), (1, 2, 1), (2, 0, 1)], True, True),
        # The tie alone cannot hold the strengths back from growing with the tie parameter ...
        ([(0, 1, 1), (0, 1, 0.5)], True, False),
        # ... but a cycle of two wins and one tie can, and of two ties and one win cannot.
        ([(0, 1, 1), (1, 2, 1), (2, 0, 0.5)], True, True),
        ([(0, 1, 1), (1, 2, 0.5), (2, 0, 0.5)], True, False),
        ([(0, 1, 0.5)], True, False),
        # Two sets that never met each have their own maximum, or not.
        ([(0, 1, 1), (0, 1, 0), (2, 3, 1), (2, 3, 0)], True, True),
        ([(0, 1, 1), (0, 1, 0), (2, 3, 1)], False, False),
    ]:
        votes = columns(*rows)
        assert has_maximum(*votes, n=5) is half
        assert has_maximum(*votes, n=5, ties="model") is model


def test_has_maximum_tells_where_an_optimiser_runs_off() -> None:
    for rows in [[(0, 1, 1), (1, 2, 1), (2, 0, 0.5)], [(0, 1, 1), (1, 2, 0.5), (2, 0, 0.5)]]:
        votes = columns(*rows)
        best = minimize(
            minus_log_likelihood, np.zeros(4), votes, tol=1e-9, options={"maxiter": 5000}
        ).x
        assert bool(np.ptp(best[:-1]) < 5) is has_maximum(*votes, n=3, ties="model")


def test_sets_that_never_met_are_told_and_centred_each() -> None:
    votes = columns((0, 1, 1), (0, 1, 1), (0, 1, 0), (2, 3, 1), (2, 3, 0))
    assert comparisons.components(*votes[:2], n=5) == 2
    assert comparisons.components(*(column[:3] for column in votes[:2]), n=5) == 1
    lead = 200 * np.log10(2)
    assert_allclose(bradley_terry(*votes, n=5), [1000 + lead, 1000 - lead, 1000, 1000, np.nan])
    board = leaderboard("win-ratio", *votes, n=5)
    assert not board.connected
    assert "2 sets" in board.note


def test_ties_that_are_dropped_link_nothing() -> None:
    votes = columns((0, 1, 1), (0, 1, 0), (1, 2, 0.5), (2, 3, 1), (2, 3, 0))
    assert leaderboard("bradley-terry", *votes, n=4).connected
    assert not leaderboard("bradley-terry", *votes, n=4, ties="drop").connected


def test_not_converging_raises() -> None:
    with pytest.raises(ArithmeticError, match="converge"):
        bradley_terry(*columns((0, 1, 1), (1, 0, np.nan)), n=2)


def test_newton_converges_on_a_resample_unlike_all_others() -> None:
    # Plain Newton steps from the common fit, odds of 66, beyond all bounds: the information there
    # is a 66th.
    weights = np.array([[99, 1]] * 200 + [[1, 99]])
    apart = bradley_terry(*columns((0, 1, 1), (0, 1, 0)), n=2, weights=weights) @ [1, -1]
    assert_allclose(apart[[0, -1]], [400 * np.log10(99), -400 * np.log10(99)])


def test_bradley_terry_of_a_chain() -> None:
    pairs = [(i, i + 1, 1) for i in range(9)] * 2000 + [(i + 1, i, 1) for i in range(9)]
    steps = -np.diff(bradley_terry(*columns(*pairs), n=10))
    assert_allclose(steps, 400 * np.log10(2000))


def test_bradley_terry_agrees_with_choix() -> None:
    rng = np.random.default_rng(7)
    first, second, won = simulated(rng, rng.normal(size=6), 400, ties=0)
    wins = np.where(
        won[:, None] == 1, np.column_stack([first, second]), np.column_stack([second, first])
    )
    theirs = choix.opt_pairwise(6, wins.tolist(), alpha=0.0, tol=1e-12)
    assert_allclose(bradley_terry(first, second, won, n=6), points_of(theirs), atol=1.7e-4)


# --- weights and resamples


WAYS = [
    *((method, {"ties": ties} if "ties" in RATINGS[method].takes else {})
      for method in EVERY for ties in TIES),
    *((method, {"position": True})
      for method in ("bradley-terry", "bradley-terry-soft", "product-of-experts")),
]  # fmt: skip
"""Methods with their treatments of ties, and with a position term."""


def test_resamples_at_once_are_the_resamples_one_by_one() -> None:
    for method, more in WAYS:
        for draw in (simulated, probable):
            rng = np.random.default_rng(3)
            votes = draw(rng, rng.normal(size=5), 40)
            weights = resample_weights(np.arange(40) // 4, 30, rng)
            weights[0, (votes[0] == 2) | (votes[1] == 2)] = 0
            options = more | own(method, 40)
            together = RATINGS[method].rate(*votes, n=5, weights=weights, **options)
            alone = [RATINGS[method].rate(*votes, n=5, weights=one, **options) for one in weights]
            assert_allclose(together, alone, atol=1e-5 if "position" in more else 1e-7)
            assert np.isnan(together[0, 2])


def test_a_weight_of_three_is_the_comparison_three_times() -> None:
    for method in ["win-ratio", "macro-win-ratio", "bradley-terry", "likelihood"]:
        rng = np.random.default_rng(4)
        votes = simulated(rng, rng.normal(size=4), 60)
        weights = rng.integers(4, size=60)
        repeated = (np.repeat(column, weights) for column in votes)
        rate = RATINGS[method].rate
        assert_allclose(rate(*votes, n=4, weights=weights), rate(*repeated, n=4), atol=1e-7)


# --- the leaderboard


def test_leaderboard_of_every_method() -> None:
    for method in EVERY:
        rng = np.random.default_rng(6)
        votes = simulated(rng, np.array([1.5, 0.5, -0.5, -1.5]), 800)
        board = leaderboard(method, *votes, n=5, rng=rng, resamples=50, **own(method, 800))
        assert_array_equal(board.rank, [1, 2, 3, 4, np.nan])
        seen = slice(0, 4)
        for ends in (
            (board.low, board.rating, board.high), (board.rank_low, board.rank, board.rank_high)
        ):  # fmt: skip
            assert (np.diff([end[seen] for end in ends], axis=0) >= 0).all()
        assert (board.low[seen] < board.high[seen]).all()
        assert board.rank_high[0] == 1  # far ahead of the others
        assert np.isnan(
            [board.rating[4], board.low[4], board.high[4], board.rank_low[4], board.rank_high[4]]
        ).all()
        assert (board.connected, board.note) == (True, "")
        assert [part.shape for part in board.uncertainty.deviations] == [(50, 5)]


def test_the_same_seed_gives_the_same_intervals_and_another_seed_others() -> None:
    votes = simulated(np.random.default_rng(0), np.zeros(4), 100)
    low = [leaderboard("bradley-terry", *votes, n=4, rng=seed).low for seed in (1, 1, 2)]
    assert_array_equal(low[0], low[1])
    assert (low[0] != low[2]).any()


def test_resamples_in_several_batches_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    votes, groups = simulated(np.random.default_rng(0), np.zeros(4), 60), np.arange(60) // 3
    whole = drawing.MEMORY
    for method in EVERY:
        found = []
        for memory in (whole, 1):
            monkeypatch.setattr(drawing, "MEMORY", memory)
            how = {"groups": groups, "resamples": 7, **own(method, 60)}
            board = leaderboard(method, *votes, n=4, rng=1, **how)
            found.append(board.uncertainty.deviations[0])
        assert_allclose(*found, atol=1e-6, err_msg=method)


def test_with_a_position_term_it_matters_who_was_first() -> None:
    """By hand: odds of 3 with 0 first and of 1 with 0 second, so the root of 3."""
    for method in ["bradley-terry", "bradley-terry-soft", "product-of-experts"]:
        votes = columns(*[(0, 1, 1)] * 3, (0, 1, 0), (1, 0, 0), (1, 0, 1))
        board = leaderboard(method, *votes, n=2, resamples=0, position=True)
        assert_allclose(board.rating, RATINGS[method].rate(*votes, n=2, position=True), atol=1e-6)
        if method != "product-of-experts":
            assert board.rating @ [1, -1] == pytest.approx(200 * np.log10(3))


def test_no_resamples_no_interval_and_no_comparisons_no_rating() -> None:
    for method in EVERY:
        board = leaderboard(method, *HAND, n=4, resamples=0, **own(method, 5))
        assert not np.isnan(board.rating[:3]).any()
        assert np.isnan([board.low, board.high, board.rank_low, board.rank_high]).all()
        codes = np.array([], dtype=int)
        empty = leaderboard(method, codes, codes, np.array([]), n=3, **own(method, 0))
        assert np.isnan([empty.rating, empty.low, empty.rank, empty.rank_high]).all()
        assert empty.connected


def test_what_the_resamples_leave_open() -> None:
    """0 beats 1 nearly always, 2 and 3 are even; without resamples the level ones are open."""
    ahead, even = [(0, 1, 1), (1, 2, 1)] * 60, [(2, 3, 1), (3, 2, 1)] * 30
    votes = columns(*ahead, *even, *[(1, 0, 1), (2, 1, 1)] * 2)
    found = ratings.find_unresolved(leaderboard("bradley-terry", *votes, n=5))
    assert_array_equal(found, found.T)
    assert found[2, 3]
    assert not found[0, 1:].any()
    assert not found[4].any()
    few = columns((0, 1, 0.5), (1, 2, 1), (2, 0, 0))
    bare = leaderboard("win-ratio", *few, n=3, resamples=0)
    assert_array_equal(np.argwhere(ratings.find_unresolved(bare)), [[0, 1], [1, 0]])


def test_equal_records_share_a_rank() -> None:
    won, tied = [(0, 1, 1), (1, 0, 1), (0, 2, 1), (1, 2, 1)], [(2, 0), (2, 1), (0, 3), (1, 3)]
    votes = columns(*won, *((*pair, 0.5) for pair in tied))
    # By win ratio 0.6, 0.6, 0.25, 0.5. In Bradley-Terry nothing but ties with the best two makes
    # the last as good as they.
    for method, rank in [("win-ratio", [1, 1, 4, 3]), ("bradley-terry", [1, 1, 4, 1])]:
        assert_array_equal(leaderboard(method, *votes, n=4).rank, rank)
    # 0.1 + 0.2 is 0.30000000000000004.
    sums = columns((0, 2, 0.1), (0, 2, 0.2), (1, 2, 0.3), (1, 2, 0))
    assert_array_equal(ratings.ranks(win_ratio(*sums, n=3)), [2, 2, 1])


def test_counted_and_listed_comparisons_are_resampled_alike() -> None:
    rng = np.random.default_rng(8)
    votes = simulated(rng, np.linspace(-1, 1, 4), 300)
    # Two groups of one comparison would be counted; a last comparison in the group of another has
    # all of them listed.
    listed = np.minimum(np.arange(300), 298)
    boards = [
        leaderboard("bradley-terry", *votes, n=4, rng=rng, groups=groups, resamples=3000)
        for groups in (None, listed)
    ]
    for one, other in zip(*((board.low, board.high) for board in boards), strict=True):
        assert_allclose(one, other, atol=5)


def test_copies_within_an_item_do_not_narrow_the_interval() -> None:
    for method in [name for name in EVERY if name != "likelihood"]:
        rng = np.random.default_rng(9)
        votes = [np.repeat(column, 9) for column in simulated(rng, np.zeros(3), 100)]
        items = np.repeat(np.arange(100), 9)
        by_item, by_judgement = (
            leaderboard(
                method, *votes, n=3, rng=rng, groups=groups, resamples=400, **own(method, 900)
            )
            for groups in (items, None)
        )
        ratio = (by_item.high - by_item.low) / (by_judgement.high - by_judgement.low)
        assert_allclose(ratio, 3, rtol=0.3)


def test_what_is_no_outcome_or_no_method_is_refused() -> None:
    rng = np.random.default_rng(0)
    for bad in [np.nan, -0.5, 1.5]:
        with pytest.raises(ValueError, match="between 0 and 1"):
            leaderboard("win-ratio", *columns((0, 1, bad)), n=2, rng=rng)
    with pytest.raises(ValueError, match=r"'eloo'; there are: .*elo"):
        leaderboard("eloo", *HAND, n=4, rng=rng)
    with pytest.raises(ValueError, match=r"'halve'.*\bhalf\b.*\bdrop\b.*\bmodel\b"):
        bradley_terry(*HAND, n=4, ties="halve")
    one = (np.array([0]), np.array([1]), np.array([1.0]))
    for method, weights, match in (
        ("elo", None, "takes no weights"),  # it follows the order
        ("win-ratio", np.ones(1), "either weights or times"),
    ):
        drawn = drawing.Drawing(rng, times=np.ones(1), weights=weights)
        with pytest.raises(ValueError, match=match):
            ratings.leaderboard(method, *one, n=2, drawing=drawn)


def test_codes_of_any_integer_type() -> None:
    rng = np.random.default_rng(0)
    first, second, outcome = simulated(rng, rng.normal(size=30), 500)
    short, long = (
        leaderboard("bradley-terry", first.astype(kind), second.astype(kind), outcome, n=30, rng=1)
        for kind in (np.int8, np.int64)
    )
    assert_array_equal(short.rating, long.rating)
    assert_array_equal(short.low, long.low)


def test_two_methods_with_the_same_seed_and_groups_share_their_resamples() -> None:
    votes = simulated(np.random.default_rng(2), np.zeros(4), 60)
    boards = [
        leaderboard(method, *votes, n=4, rng=3, resamples=20, **settings)
        for method, settings in [("elo", {}), ("sep-elo", {"separability": np.full(60, 0.4)})]
    ]
    parts = [board.uncertainty.deviations[0] for board in boards]
    assert_allclose(*parts)


# --- properties

N = 4


@st.composite
def votes_of_four(draw):
    pair = st.sampled_from(list(permutations(range(N), 2)))
    outcome = st.sampled_from([0.0, 0.5, 1.0])
    rows = draw(st.lists(st.tuples(pair, outcome), min_size=1, max_size=25))
    return columns(*((*systems, points) for systems, points in rows))


@given(votes=votes_of_four(), order=st.permutations(range(N)))
def test_swapping_sides_changes_nothing_and_relabelling_permutes(votes, order) -> None:
    first, second, outcome = votes
    order = np.array(order)
    for method, options in [
        ("win-ratio", {}),
        ("elo", {}),
        ("pairs", {}),
        ("product-of-experts", {}),
        ("product-of-experts", {"experts": "probability"}),
        *(("bradley-terry", {"ties": ties}) for ties in TIES),
        ("bradley-terry", {"position": True}),
        ("product-of-experts", {"position": True}),
    ]:
        rate, told = RATINGS[method].rate, f"{method} {options}"
        near = 1e-4 if "position" in options else 1e-6
        expected = rate(first, second, outcome, n=N, **options)
        swapped = rate(second, first, 1 - outcome, n=N, **options)
        assert_allclose(swapped, expected, atol=near, err_msg=told)
        renamed = rate(order[first], order[second], outcome, n=N, **options)[order]
        assert_allclose(renamed, expected, atol=near, err_msg=told)


@given(votes=votes_of_four(), data=st.data())
def test_the_order_matters_to_elo_alone(votes, data) -> None:
    order = np.array(data.draw(st.permutations(range(len(votes[0])))))
    for method in EVERY:
        how = RATINGS[method]
        if not how.in_order:
            shuffled = how.rate(*(column[order] for column in votes), n=N)
            assert_allclose(shuffled, how.rate(*votes, n=N), atol=1e-6, err_msg=method)


@given(votes=votes_of_four())
@example(votes=columns((0, 1, 1), (1, 2, 1), (2, 0, 0.5)))
def test_bradley_terry_expects_the_points_that_were_won(votes) -> None:
    """The likelihood equations: expected points equal points, system by system."""
    assume(has_maximum(*votes, n=N))
    assert_allclose(surplus_of(*votes, bradley_terry(*votes, n=N)), 0, atol=1e-6)  # type: ignore[call-arg]


def grouped_votes(rng, items, votes, strengths):
    """Votes on items of which each is kind to some systems, in any order, with their item."""
    item, n = rng.integers(items, size=votes), len(strengths)
    first, second = meet(rng, n, votes)
    own = strengths + rng.normal(0, 0.7, (items, n))
    won = decide(rng, own[item, first] - own[item, second])
    return first, second, np.where(rng.random(votes) < 0.2, 0.5, won), item


def counted_rows(*columns):
    """Distinct rows, and how often each is there."""
    rows, times = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    first, second, outcome, *groups = rows.T
    codes = [group.astype(int) for group in groups]
    return (first.astype(int), second.astype(int), outcome, *codes), times.astype(float)


def test_counts_say_what_the_comparisons_say_one_by_one() -> None:
    """A row that stands for five is five rows, of the same cluster or each of its own."""
    ways = [("win-ratio", {}), ("macro-win-ratio", {}), ("bradley-terry", {"position": True})]
    ways += [("bradley-terry", {"ties": ties}) for ties in TIES]
    for grouped, (method, settings) in product([True, False], ways):
        votes = grouped_votes(np.random.default_rng(3), 30, 2000, np.linspace(-0.5, 0.5, 4))
        few, times = counted_rows(*(votes if grouped else votes[:3]))
        listed = tuple(np.repeat(x, times.astype(int)) for x in few)
        boards = []
        for rows, counted in ((few, times), (listed, None)):
            groups, rng = rows[3] if grouped else None, np.random.default_rng(1)
            drawn = drawing.Drawing(rng, groups=groups, times=counted)
            boards.append(ratings.leaderboard(method, *rows[:3], n=4, drawing=drawn, **settings))
        for name in ("rating", "low", "high", "rank_low", "rank_high"):
            counted, each = (getattr(board, name) for board in boards)
            assert_allclose(counted, each, rtol=1e-9, err_msg=name)


def test_resamples_of_counts_agree_with_the_sandwich_and_with_statsmodels() -> None:
    """Logistic regression with errors clustered by item (statsmodels), the formula, and the
    multiplier bootstrap of counts. Items differ, so errors that take votes for independent are too
    small by a third.
    """
    first, second, outcome, item = grouped_votes(
        np.random.default_rng(0), 150, 9000, np.linspace(-0.6, 0.6, 5)
    )
    decided = outcome != 0.5
    first, second, outcome, item = (x[decided] for x in (first, second, outcome, item))
    (one, other, points, group), times = counted_rows(first, second, outcome, item)
    drawn = drawing.Drawing(np.random.default_rng(2), 3000, group, times=times)
    board = ratings.leaderboard("bradley-terry", one, other, points, n=5, drawing=drawn)
    resampled = np.sqrt(board.uncertainty.variance()[0])
    formula = strengths_errors(board.rating, one, other, points, group, times)
    assert_allclose(resampled, formula, rtol=0.06)
    design = np.zeros((len(first), 5))
    rows = np.arange(len(first))
    design[rows, first], design[rows, second] = 1, -1
    model = statsmodels.api.GLM(outcome, design[:, 1:], family=statsmodels.api.families.Binomial())
    clustered = model.fit(
        cov_type="cluster", cov_kwds={"groups": item, "use_correction": False}
    ).cov_params()
    centred = (np.eye(5) - 1 / 5)[:, 1:]  # statsmodels holds the first at 0, we their mean
    outside, naive = (
        SCALE * np.sqrt(np.diagonal(centred @ covariance @ centred.T))
        for covariance in (clustered * 150 / 149, model.fit().cov_params())
    )
    assert_allclose(formula, outside, rtol=1e-4)
    assert (naive < 0.75 * outside).all()


def test_large_items_are_left_out_one_at_a_time() -> None:
    """Nine answers about three items: 5, 3 and 1. The variance of a share is that of the three
    shares without an item (CV3), and nothing of it is drawn.
    """
    points, items = np.array([1, 1, 1, 1, 0, 0, 0, 1, 0.0]), np.repeat([0, 1, 2], [5, 3, 1])
    board = of_two(points, rng=1, groups=items)
    assert board.uncertainty is not None
    assert board.uncertainty.resamples == 0
    moved = np.array([1 / 4, 4 / 6, 5 / 8]) - 5 / 9
    variance, freedom = board.uncertainty.variance()
    assert variance[0] == pytest.approx(2 / 3 * (moved**2).sum())
    assert freedom[0] == pytest.approx(81 / 35 - 1)


def test_clusters_are_left_out_where_a_method_asks_for_it() -> None:
    """40 items of two answers each, of a share: no more of them than resamples are left out, and
    their variance is that of the shares without each, by hand.
    """
    for resamples, left_out in [(40, 40), (39, 0)]:
        rng = np.random.default_rng(2)
        points, items = rng.integers(0, 2, 80).astype(float), np.repeat(np.arange(40), 2)
        first = np.zeros(80, dtype=np.int64)
        found = drawing.resample_ratings(
            replace(RATINGS["win-ratio"], left_out=True),
            (first, first + 1, points),
            2,
            drawing.Drawing(rng, resamples, items),
            {},
        )
        assert found.resamples == (0 if left_out else resamples)
        without = np.array([points[items != item].mean() for item in range(40)])
        jackknife = 39 / 40 * ((without - points.mean()) ** 2).sum()
        exactly = 1e-9 if left_out else 0.5
        assert found.variance()[0][0] == pytest.approx(jackknife, rel=exactly)
