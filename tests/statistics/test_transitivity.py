from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from core.statistics import transitivity


def columns(wins: dict[tuple[int, int], float], losses: dict[tuple[int, int], float]) -> Any:
    """One item's pairs, as columns."""
    first, second = np.array(list(wins), dtype=np.int64).reshape(-1, 2).T
    pairs = transitivity.TextPairs(np.zeros(len(wins), dtype=np.int64), first, second)
    return pairs, np.array(list(wins.values())), np.array(list(losses.values()))


@given(st.integers(3, 9), st.integers(0, 2**32 - 1))
def test_cyclic_triples_of_a_tournament(texts: int, seed: int) -> None:
    """As many as networkx counts: C(n, 3) less those in which one text beats two."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(texts), 2))
    wins = {pair: float(rng.random() < 0.5) for pair in pairs}
    beats = nx.DiGraph(pair if won else pair[::-1] for pair, won in wins.items())
    assert nx.is_tournament(beats)
    cyclic = len(list(combinations(range(texts), 3))) - sum(
        degree * (degree - 1) // 2 for _, degree in beats.out_degree
    )
    triples = transitivity.triples(*columns(wins, {pair: 1 - won for pair, won in wins.items()}))
    assert triples.cyclic.tolist() == [cyclic]
    assert triples.decided.tolist() == triples.answered.tolist()
    assert triples.answered.tolist() == [len(list(combinations(range(texts), 3)))]


def by_the_book(forward: dict[Any, int], backward: dict[Any, int]) -> Any:
    """Every triple in each of its 8 choices of orders: decided, cyclic, cyclic either way."""
    texts = sorted({text for pair in forward for text in pair})
    total = np.zeros(3)
    for three in combinations(texts, 3):
        pairs = list(combinations(three, 2))
        if not all(pair in forward for pair in pairs):
            continue
        steady = all(forward[pair] * backward[pair] >= 0 for pair in pairs)
        for orders in product((forward, backward), repeat=3):
            said = [order[pair] for order, pair in zip(orders, pairs, strict=True)]
            if 0 in said:
                continue
            over = {
                pair if sign > 0 else pair[::-1] for pair, sign in zip(pairs, said, strict=True)
            }
            cycle = any({(x, y), (y, z), (z, x)} <= over for x, y, z in permutations(three))
            total += np.array([1, cycle, cycle and steady]) / 8
    return total


@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_what_one_order_would_show(texts: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(texts), 2) if rng.random() < 0.9]
    pairs = pairs or [(0, 1)]
    forward, backward = ({pair: int(rng.integers(-1, 2)) for pair in pairs} for _ in range(2))
    drawn, by_position = transitivity.estimate_one_order(*columns(forward, backward))
    decided, cyclic, own = by_the_book(forward, backward)
    assert_allclose(
        [drawn.decided.sum(), drawn.cyclic.sum(), by_position.sum()],
        [decided, cyclic, cyclic - own],
        atol=1e-12,
    )


def test_position_alone_closes_the_cycles_of_a_judge_that_sees_nothing_else() -> None:
    """Who always takes the first contradicts itself on every pair: a coin each, a quarter of the
    triples (Kendall & Babington Smith 1940), all of them by position.
    """
    pairs = list(combinations(range(6), 2))
    both = columns(dict.fromkeys(pairs, 1.0), dict.fromkeys(pairs, -1.0))
    drawn, by_position = transitivity.estimate_one_order(*both)
    assert_allclose(drawn.cyclic / drawn.decided, transitivity.CHANCE)
    assert_allclose(by_position, drawn.cyclic)


def stochastic_by_the_book(p: dict[tuple[int, int], float]) -> list[int]:
    whole = p | {pair[::-1]: 1 - value for pair, value in p.items()}
    texts = sorted({text for pair in p for text in pair})
    counts = [0, 0, 0]
    for three in combinations(texts, 3):
        if not all(pair in whole for pair in permutations(three, 2)):
            continue
        chains = [
            (whole[x, y], whole[y, z], whole[x, z])
            for x, y, z in permutations(three)
            if min(whole[x, y], whole[y, z]) >= 0.5
        ]
        counts[0] += 1
        counts[1] += any(xz < 0.5 for _, _, xz in chains)
        counts[2] += any(xz < max(xy, yz) for xy, yz, xz in chains)
    return counts


@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_stochastic_transitivity(texts: int, seed: int) -> None:
    """Of eighths, so that 1/2 and equal probabilities occur, and rounding plays no part."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(texts), 2) if rng.random() < 0.9] or [(0, 1)]
    p = {pair: rng.integers(9) / 8 for pair in pairs}
    stochastic = transitivity.stochastic(*columns(p, p)[:2])
    assert [int(count.sum()) for count in stochastic] == stochastic_by_the_book(p)


def test_of_a_scale_nothing_is_violated() -> None:
    """Probabilities that come from strengths are strongly transitive."""
    strength = np.random.default_rng(0).normal(size=8)
    pairs = list(combinations(range(8), 2))
    p = {(a, b): 1 / (1 + np.exp(strength[b] - strength[a])) for a, b in pairs}
    stochastic = transitivity.stochastic(*columns(p, p)[:2])
    assert [count.tolist() for count in stochastic] == [[56.0], [0.0], [0.0]]


def test_the_share_is_over_items() -> None:
    """Each item's triples being alike, ten copies of a triple are one observation."""
    cyclic, decided = np.array([1.0, 0.0, 0.0, 1.0] * 10), np.ones(40)
    once = transitivity.share(cyclic, decided)
    assert_allclose(transitivity.share(10 * cyclic, 10 * decided), once)
    assert once[0] == 0.5
    assert np.isnan(transitivity.share(np.zeros(2), np.zeros(2))).all()
    none = transitivity.share(np.zeros(30), np.full(30, 7.0))
    # Wilson's upper end of 0 in 30 items, not in 210 triples: z^2 / (n + z^2)
    assert_allclose(none, (0.0, 0.0, 3.8415 / (30 + 3.8415)), atol=1e-4)


def test_items_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three items of texts of their own, in a mixed order, are counted as each alone."""
    rng = np.random.default_rng(7)
    every = [
        (item, 10 * item + a, 10 * item + b)
        for item in range(3)
        for a, b in combinations(range(6), 2)
    ]
    rng.shuffle(every)
    pairs = transitivity.TextPairs(*np.array(every).T)
    wins = (rng.random(len(every)) < 0.5).astype(float)
    together = transitivity.triples(pairs, wins, 1 - wins)
    for item in range(3):
        of = pairs.item == item
        one = transitivity.TextPairs(0 * pairs.item[of], pairs.first[of], pairs.second[of])
        alone = transitivity.triples(one, wins[of], 1 - wins[of])
        assert [counts[item] for counts in together] == [counts[0] for counts in alone]
    monkeypatch.setattr(transitivity, "BATCH", 4)
    assert_allclose(transitivity.triples(pairs, wins, 1 - wins), together)


def test_without_three_pairs_there_is_no_triple() -> None:
    for pairs in [[], [(0, 1)], [(0, 1), (1, 2)]]:
        given = dict.fromkeys(pairs, 1.0)
        triples = transitivity.triples(*columns(given, given))
        assert triples.answered.sum() == 0
