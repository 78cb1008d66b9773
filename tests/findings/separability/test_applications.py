"""What separability is used for: sep-Elo, how many texts it takes, the mean rank of metrics; by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata, spearmanr

from core.findings.judgements import Selection
from core.findings.leaderboard import leaderboard
from core.findings.leaderboard.fitted_board import compare_to_elo
from core.findings.leaderboard.settings import RankSettings
from core.findings.separability import applications
from core.findings.separability.applications import compare_sizes, compare_temperatures
from core.findings.separability.compute import rank_mean, separabilities
from core.findings.separability.settings import Settings
from core.judging.registry import make
from core.pairing import planning
from core.pairing.item_draws import BySeparability
from core.pairing.planning import Request
from core.records import Answer, Dataset, Generation, Item, Outcome, System, TandemError
from core.runs import execution
from core.similarity import make_metric
from core.similarity.metrics import MEMBERS
from core.store import ChosenGenerations, Store
from tests.sentence_facts import find_sentences
from tests.study import DATASET, add_texts, compare, fill, ids, judge, measure

# ---- sep-Elo from the store: similarities written down by hand, ratings by eq. 6 on paper


SEP = RankSettings("sep-elo", separability="rouge1", bootstrap=0)
CROSS = {("i0", "alpha", "beta"): 0.0, ("i1", "alpha", "beta"): 0.6, ("i0", "alpha", "gamma"): 1.0}
"""All texts of one system are alike (1), so separability is 1 less this; i1 has one sample of gamma
only.
"""

VOTES = [
    ("i0", "alpha", "beta", Outcome.A), ("i1", "beta", "alpha", Outcome.A), ("i0", "gamma", "alpha", Outcome.A),
    ("i1", "gamma", "alpha", Outcome.B), ("i0", "beta", "alpha", Outcome.TIE),
]  # fmt: skip


@pytest.fixture
def voted(store: Store) -> Store:
    fill(store, items=2, samples=2)
    known, ada = ids(store), judge(store)
    key = make_metric("rouge1").signatures["rouge1"]
    rows = []
    for item in ("i0", "i1"):
        there = [one for one in known if one[0] == item and one != ("i1", "gamma", 1)]
        for one, other in combinations(there, 2):
            systems = tuple(sorted({one[1], other[1]}))
            value = 1.0 if len(systems) == 1 else CROSS.get((item, *systems), 0.5)
            if (item, *systems) != ("i1", "alpha", "gamma"):
                rows.append((key, known[one], known[other], value))
    store.similarities.add(rows)
    for item, *sides, outcome in VOTES:
        store.judgements.add_vote(None, compare(store, item, *sides), ada, Answer(outcome))
    return store


def by_hand() -> dict[str, float]:
    """Eq. 6 and Elo's rule, one vote after another: the steps at 1, 0.4, 0 and 1; the fourth vote
    has no separability.
    """
    rating = dict.fromkeys(("alpha", "beta", "gamma"), 1000.0)
    for (_, a, b, outcome), delta in zip(VOTES, (1.0, 0.4, 0.0, None, 1.0), strict=True):
        if delta is not None:
            step = 4 * 2 / (1 + math.exp(-6 * (delta - 0.4)))
            change = step * (outcome.points - 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400)))
            rating[a], rating[b] = rating[a] + change, rating[b] - change
    return rating


def test_ratings_by_hand(voted: Store) -> None:
    result = leaderboard(voted, Selection(DATASET), SEP)
    rows = result.rows.set_index("system")
    assert rows["rating"].to_dict() == pytest.approx(by_hand())
    assert result.judgements == 4
    assert any(note.startswith("1 judgement is left out") for note in result.notes)
    assert "|separability:rouge1|T:0.4|alpha:2|beta:6|" in result.signature
    # 2 / (1 + e^(-6 (delta - 0.4))) at 1, 0.4, 0 and 1: 1.947, 1, 0.166 and 1.947 of K, whatever K.
    for k in (4.0, 10.0):
        settings = RankSettings("sep-elo", separability="rouge1", bootstrap=0, k=k)
        notes = leaderboard(voted, Selection(DATASET), settings).notes
        assert find_sentences(notes, r"\bsep-Elo\b.*\b126% .*\bmore\.$")
    # Of alpha and gamma all that was measured is alike: there is no scale, though there is one with
    # beta.
    with pytest.raises(TandemError, match=r"^none of\b.*\brouge1 separability\b"):
        leaderboard(voted, Selection(DATASET, systems=("alpha", "gamma")), SEP)


def test_only_an_interval_around_0_may_be_chance() -> None:
    columns = (np.array([0, 1, 2]), np.array([1, 2, 0]), np.ones(3))
    change = np.array([5.0, -5.0, 1.0])
    weights, interval = np.array([0.9, 0.4, 0.1]), (change, change - 2, change + 2)
    found = compare_to_elo(columns, weights, np.zeros(3), interval, 0.4)
    assert found["change"].tolist() == [5, -5, 1]
    up, down, level = (why.split(":")[0] for why in found["why"])
    assert (up, down) == ("Up 5.0 (+3.0 to +7.0)", "Down 5.0 (-7.0 to -3.0)")
    assert re.match(r"Up 1\.0 \(-1\.0 to \+3\.0\), .*\bchance$", level)


def test_an_item_is_as_separable_as_its_pairs_on_average(voted: Store) -> None:
    """i0: alpha and beta 1, alpha and gamma 0, beta and gamma 1/2. i1: alpha and beta 0.4; of gamma
    there is one text.
    """
    chances = {}
    for seed in range(8):
        [(item, chance)], unknown = applications.drawn_items(
            voted, Selection(DATASET, seed=seed), BySeparability("proportional", 1), "rouge1"
        )
        chances[item] = chance
        assert unknown == 0
    assert chances == {"i0": pytest.approx(0.5 / 0.9), "i1": pytest.approx(0.4 / 0.9)}


def test_plain_elo_beside_it_and_where_the_change_comes_from(voted: Store) -> None:
    result = leaderboard(voted, Selection(DATASET), SEP)
    rows = result.rows.set_index("system")
    plain = RankSettings("elo", bootstrap=0)
    # Of the same judgements, so without the one that has no separability.
    voted.connection.execute("DROP TRIGGER judgements_stay")
    voted.connection.execute("DELETE FROM judgements WHERE id = 4")
    alone = leaderboard(voted, Selection(DATASET), plain).rows.set_index("system")["rating"]
    assert rows["elo"].to_dict() == pytest.approx(alone.to_dict())
    assert rows["change"].to_dict() == pytest.approx((rows["rating"] - alone).to_dict())
    why = rows["why"]
    assert re.search(r": its comparison\b.*\bbelow 0\.4\.$", why["gamma"])
    # beta: lost and tied at 1, won at 0.4.
    assert re.search(r": all its 3 comparisons\b.*\b0\.4 or more\.$", why["beta"])
    assert re.search(r"\bwon 50% of the 3 .*\b0% of the other 1\b", why["alpha"])


def test_the_change_has_an_interval_of_the_same_resamples(voted: Store) -> None:
    settings = RankSettings(
        "sep-elo", separability="rouge1", bootstrap=60, over="judgements", sep_threshold=0.0
    )
    rows = leaderboard(voted, Selection(DATASET), settings).rows.set_index("system")
    assert np.isnan(rows.loc["gamma", "change_low"]), "one vote has no interval"
    rows = rows.drop(index="gamma")
    assert (rows["change_low"] <= rows["change"]).all()
    assert (rows["change"] <= rows["change_high"]).all()
    # Its own interval would be wider than that of either alone, were they drawn apart.
    width = (rows["change_high"] - rows["change_low"])["alpha"]
    assert width < (rows["high"] - rows["low"])["alpha"]


def test_settings_that_make_no_sense() -> None:
    rouge1, settings = {"separability": "rouge1"}, "sep-elo weighs comparisons by separability: say"
    given: dict[str, Any]
    for said, given in (
        (f"{settings} by which metric", {}),
        ("sep alpha 0 should be a number above 0", rouge1 | {"sep_alpha": 0.0}),
        ("sep beta nan should be a number above 0", rouge1 | {"sep_beta": float("nan")}),
        ("sep threshold 1.5 should lie between -1 and 1", rouge1 | {"sep_threshold": 1.5}),
    ):
        with pytest.raises(TandemError, match=said):
            RankSettings("sep-elo", **given)


def test_what_is_not_measured_is_refused(voted: Store) -> None:
    missing = r"^no bleu similarities of 'tiny'.*`python -m core separability"
    with pytest.raises(TandemError, match=missing):
        leaderboard(voted, Selection(DATASET), RankSettings("sep-elo", separability="bleu"))
    with pytest.raises(TandemError, match="unknown metric 'rogue'"):
        leaderboard(voted, Selection(DATASET), RankSettings("sep-elo", separability="rogue"))
    comparison = compare(voted, "i1", "alpha", "gamma")
    voted.judgements.add_vote(None, comparison, judge(voted, "Ben"), Answer(Outcome.A))
    with pytest.raises(TandemError, match=r"^none of\b.*\brouge1 separability\b"):
        leaderboard(voted, Selection(DATASET, judges=("Ben",)), SEP)


def asked(store: Store, run: int) -> list[tuple[str, float]]:
    """(item, probability) of a run's comparisons, in planned order."""
    return store.connection.rows(
        """SELECT i.key, q.probability FROM run_comparisons q
        JOIN comparisons c ON c.id = q.comparison
        JOIN items i ON i.id = c.item WHERE q.run = ? ORDER BY q.priority, q.id""",
        (run,),
    )


def test_a_run_asks_only_the_items_it_has_drawn_with_their_probability(voted: Store) -> None:
    """Of alpha and beta, i0 has a separability of 1 and i1 of 0.4: one in two is i0 with
    probability 1 / 1.4.
    """
    longer = make("baseline:longer")
    chances = {"i0": 1 / 1.4, "i1": 0.4 / 1.4}
    seen = set()
    for seed in range(6):
        chosen = Selection(DATASET, systems=("alpha", "beta"), seed=seed)
        draws = BySeparability("proportional", 1)
        drawn, unknown = applications.drawn_items(voted, chosen, draws, "rouge1")
        assert (len(drawn), unknown) == (1, 0)
        request = Request(DATASET, systems=("alpha", "beta"), seed=seed, drawn=drawn)
        request = planning.check_request(voted, request)
        run = planning.enqueue(voted, longer.spec, request)
        assert run == planning.enqueue(voted, longer.spec, request)
        execution.execute(voted, run)
        [(item, probability)] = drawn
        assert probability == pytest.approx(chances[item])
        assert asked(voted, run) == [(item, pytest.approx(probability))] * 2
        seen.add(item)
    assert seen == {"i0", "i1"}


def test_items_in_the_order_of_their_separability(voted: Store) -> None:
    drawn, _ = applications.drawn_items(
        voted, Selection(DATASET, systems=("alpha", "beta")), BySeparability("order"), "rouge1"
    )
    assert [item for item, _ in drawn] == ["i0", "i1"]
    turned = tuple(reversed(drawn))
    for order in (drawn, turned):
        request = planning.check_request(voted, Request(DATASET, drawn=order))
        run = planning.enqueue(voted, make("baseline:longer").spec, request)
        items = dict.fromkeys(item for item, _ in asked(voted, run))
        assert list(items) == [item for item, _ in order]


# ---- Separability against K, C and temperature, by hand from similarities put into the store


KEY = make_metric("rouge1").signatures["rouge1"]
HOW = Settings("rouge1", over="pair", resamples=0)
Value = Callable[[str, int, str, int], float]


def fill_samples(
    store: Store, items: dict[str, Value], systems: list[System], samples: int
) -> None:
    """Every two texts of an item as alike as `value(system, sample, system, sample)` says."""
    every = product(items, (system.name for system in systems), range(samples))
    with store.transaction():
        store.datasets.add(Dataset("d"))
        store.datasets.add_items("d", [Item(item, f"about {item}") for item in items])
        store.datasets.add_systems("d", systems)
        texts = [Generation(i, s, n, f"{s} {n} on {i}") for i, s, n in every]
        store.datasets.add_generations("d", texts)
    for item, of in store.texts.generations("d").groupby("item"):
        rows = of[["generation", "system", "sample"]].to_numpy().tolist()
        store.similarities.add(
            (KEY, one[0], other[0], items[item](*one[1:], *other[1:]))
            for one, other in combinations(rows, 2)
        )


def changing(one: str, n: int, other: str, m: int) -> float:
    """Of three texts each, the first two are as alike as they will be, the third less so."""
    if one == other:
        return {"a": (0.9, 0.6), "b": (0.8, 0.5)}[one][max(n, m) == 2]
    return 0.3 if max(n, m) == 2 else 0.1


def steady(one: str, n: int, other: str, m: int) -> float:
    return 0.4 if one == other else 0.3


def test_fewer_texts_by_hand(store: Store) -> None:
    """All three: self 0.7, cross 1.9 / 9, so 0.48889 on an item and 0.1 on the other, on a scale of
    0.48889. Of the first two: 0.8 and 0.1. Where there are two, none are smaller but fewer pairs.
    """
    fill_samples(store, {"i": changing, "j": steady}, [System("a"), System("b")], 3)
    found = compare_sizes(store, Selection("d", systems=("a", "b")), HOW)
    scale = 0.7 - 1.9 / 9
    samples = found[found["of"] == "samples"]
    assert samples["value"].tolist() == [2, 3]
    assert samples["mean"].tolist() == pytest.approx([0.45 / scale, (scale + 0.1) / 2 / scale])
    assert samples["n"].tolist() == [2, 2]
    assert samples["spearman"].tolist() == [1, 1]
    cross = found[found["of"] == "cross"].set_index("value")["mean"]
    assert cross.index.tolist() == [1, 2, 3, 5, 8, 9]
    assert cross[9] == pytest.approx((scale + 0.1) / 2 / scale)
    assert cross[1] * scale in (pytest.approx((0.6 + 0.1) / 2), pytest.approx((0.4 + 0.1) / 2))
    with Store(":memory:") as two:
        fill_samples(two, {"i": changing, "j": steady}, [System("a"), System("b")], 2)
        found = compare_sizes(two, Selection("d"), HOW)
    assert found[["of", "value"]].values.tolist() == [["cross", n] for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("steady_one", ["x", "a"])
def test_temperatures_by_hand(store: Store, steady_one: str) -> None:
    """Self 0.9 everywhere; m and n are 0.1 apart when cold and 0.5 when hot, and 0.3 from all
    others.
    """
    at = [(base, t) for base in "mn" for t in (0.2, 0.8)]
    systems = [System(f"{base}-{t}", base, (("temperature", t),)) for base, t in at]
    apart = {frozenset(("m-0.2", "n-0.2")): 0.1, frozenset(("m-0.8", "n-0.8")): 0.5}

    def value(one: str, n: int, other: str, m: int) -> float:
        return 0.9 if one == other else apart.get(frozenset((one, other)), 0.3)

    fill_samples(store, {"i": value, "j": value}, [*systems, System(steady_one)], 2)
    found = compare_temperatures(store, Selection("d"), Settings("rouge1", normalise="none"))
    rows = found.assign(pair=found["base_1"] + found["base_2"]).set_index(["pair", "temperature"])
    others = ("mx", "nx") if steady_one == "x" else ("am", "an")
    expected = {(pair, t): 0.6 for pair in others for t in (0.2, 0.8)}
    expected |= {("mn", 0.2): 0.8, ("mn", 0.8): 0.4}
    assert rows["mean"].to_dict() == pytest.approx(expected)
    assert set(rows["n"]) == {2}
    # Of the models that were chosen, at all temperatures.
    some = Selection("d", systems=("m-0.2", "n-0.8"))
    chosen = compare_temperatures(store, some, Settings("rouge1", normalise="none"))
    assert chosen["mean"].tolist() == pytest.approx([0.8, 0.4])


def test_one_temperature_makes_no_curve(store: Store) -> None:
    fill_samples(store, {"i": steady}, [System("a", "a", (("temperature", 0.5),)), System("b")], 2)
    assert compare_temperatures(store, Selection("d"), HOW).empty


# ---- The mean rank of several metrics' separabilities, by hand, and through the command's function


NAN = np.nan


def test_by_hand() -> None:
    """Ranks 1 2 3 4 and 2 1 4 3: means 1.5 1.5 3.5 3.5. Item 5 has no value by the second."""
    one, other = np.array([0.1, 0.2, 0.3, 0.4, 9]), np.array([20.0, 10, 40, 30, NAN])
    scale = np.array([0.8, 0.2, 0.4, 0.6, 0.1])
    assert_allclose(rank_mean([one, other], scale), [0.3, 0.3, 0.7, 0.7, NAN])
    assert_allclose(rank_mean([one], scale)[:4], [0.1, 0.2, 0.4, 0.6])
    assert np.isnan(rank_mean([one * NAN], scale)).all()


def test_the_ensemble_orders_items_by_the_mean_of_its_members_ranks(store: Store) -> None:
    rng = np.random.default_rng(5)
    words = ["cat", "dog", "Rome", "1999", "tree", "walks", "the", "red", "on", "Berlin", "sees"]
    every = product([f"i{n}" for n in range(8)], "xy", range(3))
    drawn = [(*one, " ".join(rng.choice(words, rng.integers(2, 12)))) for one in every]
    add_texts(store, "d", [Generation(*one) for one in drawn])
    measure(store, ChosenGenerations("d"), make_metric("ensemble"))
    of = {
        name: separabilities(store, Selection("d"), Settings(name, resamples=0))["separability"]
        for name in (*MEMBERS, "ensemble")
    }
    ranks = np.mean([rankdata(of[name]) for name in MEMBERS], axis=0)
    assert spearmanr(of["ensemble"], ranks).statistic > 0.9999
    assert of["ensemble"].between(-1, 1).all()
