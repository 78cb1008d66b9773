"""The mean rank of several metrics' separabilities, by hand, and through the command's function."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import rankdata, spearmanr

from core.findings.judgements import Selection
from core.findings.separability.compute import rank_mean, separabilities
from core.findings.separability.settings import Settings
from core.records import Generation
from core.similarity import make_metric
from core.similarity.ensemble import MEMBERS
from core.store import ChosenGenerations, Store
from tests.study import add_texts, measure

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
    words = np.array(
        ["cat", "dog", "Rome", "1999", "tree", "walks", "the", "red", "on", "Berlin", "sees", "new"]
    )
    texts = [
        Generation(f"i{n}", system, k, " ".join(rng.choice(words, rng.integers(2, 12))))
        for n in range(8)
        for system in "xy"
        for k in range(3)
    ]
    add_texts(store, "d", texts)
    measure(store, ChosenGenerations("d"), make_metric("ensemble"))
    of = {
        name: separabilities(store, Selection("d"), Settings(name, resamples=0))["separability"]
        for name in (*MEMBERS, "ensemble")
    }
    ranks = np.mean([rankdata(of[name]) for name in MEMBERS], axis=0)
    assert spearmanr(of["ensemble"], ranks).statistic > 0.9999
    assert of["ensemble"].between(-1, 1).all()
