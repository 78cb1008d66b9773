"""What a run will ask of a server, counted by hand."""

from __future__ import annotations

import pytest

from core.judging.forms.form import ROOM
from core.judging.prompts import PROMPTS
from core.models import Options
from core.prices import Prices
from core.runs import estimate_run

OURS = "http://127.0.0.1:9/v1"


def test_one_reading_of_each_prompt_and_a_label() -> None:
    """Prompts of 400 and 800 characters are 150 tokens on average; a label first has 32."""
    options = Options(base_url=OURS, mode="classifier", prompt=PROMPTS["comparative"])
    estimate = estimate_run(1000, ["x" * 400, "x" * 800], options)
    assert (estimate.requests, estimate.read, estimate.written) == (1000, 150_000, 32_000)
    # 0.15 and 0.60 a million: 150,000 x 0.15 = 0.0225; and 32,000 x 0.60 = 0.0192
    assert estimate.costs(Prices(0.15, 0.60)) == pytest.approx((0.0225, 0.0417))


def test_sampled_votes_are_read_once_where_a_request_may_have_several() -> None:
    options = Options(base_url=OURS, mode="sample", votes=5, max_tokens=10)
    together = estimate_run(100, ["x" * 400], options)
    assert (together.requests, together.read, together.written) == (100, 10_000, 5_000)
    alone = estimate_run(
        100, ["x" * 400], Options(base_url="https://api.anthropic.com/v1", mode="sample", votes=5)
    )
    assert (alone.requests, alone.read, alone.written) == (500, 50_000, 500 * ROOM)


def test_an_open_mode_costs_at_most_what_sampled_votes_do() -> None:
    """A label first has 32 tokens where probabilities come back; each of 5 votes has 1,024."""
    options = Options(base_url=OURS, prompt=PROMPTS["comparative"])
    estimate = estimate_run(1000, ["x" * 400], options)
    assert (estimate.read, estimate.written) == (100_000, 32_000)
    assert estimate.if_sampled
    assert (estimate.if_sampled.read, estimate.if_sampled.written) == (100_000, 5_120_000)
    assert estimate.costs(Prices(1.0, 2.0)) == pytest.approx((0.1, 10.34))


def test_limits_of_several_servers() -> None:
    options = Options(base_url=OURS, mode="generate", max_tokens=1)
    estimate = estimate_run(1200, ["x" * 4000], options)  # 1,200,000 tokens
    assert estimate.least_seconds(60, None) == 1200
    assert estimate.least_seconds(6000, 100_000) == 720
    assert estimate.least_seconds(None, None) == 0
