"""Costs, by hand."""

from __future__ import annotations

import pytest

from core.prices import Prices


def test_what_is_read_and_what_is_written_have_their_own_price() -> None:
    """1,200 tokens, 200 of them written, at 2.50 and 10.00 a million: 0.0025 + 0.0020."""
    assert Prices(2.5, 10.0).cost(1200, 200) == pytest.approx(0.0045)
    assert Prices.from_execution({"price_in": 2.5, "rpm": 7}) == Prices(2.5, 0.0)
    assert not Prices().has_any
    assert Prices().cost(1200, 200) == 0
