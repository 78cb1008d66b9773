"""How numbers are written where a plain format would not do."""

from __future__ import annotations

import math

import numpy as np

from core.rendering import NONE, POINTS, YES_NO, Names, Unit

REACHED = Unit(",.0f", infinite="not reached")


def test_points_are_of_a_hundred() -> None:
    assert POINTS.write(0.0342) == "+3.4"
    assert POINTS.write(-0.0001) == "0.0"
    assert POINTS.write_with_range(0.0342, -0.01, 0.0784) == "+3.4 (-1.0 to +7.8)"
    narrow = POINTS.write_with_range(0.03421, 0.03421, 0.03424)
    assert narrow == "+3.42 (+3.42 to +3.42)", "a digit more does not change the unit"


def test_no_number_is_enough() -> None:
    assert REACHED.write(math.inf) == "not reached"
    assert REACHED.write_range(100.0, math.inf) == f"100 to {REACHED.write(math.inf)}"
    assert REACHED.write_range(math.inf, math.inf) == "not reached"
    assert REACHED.write(math.nan) == NONE
    assert Unit(".0%").write(math.inf) == "∞"
    assert [YES_NO.write(value) for value in (True, np.bool_(False), None)] == ["yes", "no", NONE]


def test_a_figure_is_never_minus_nothing_or_none() -> None:
    for value, form, said in (
        (0.724, ".0%", "72%"),
        (-0.001, ".0%", "0%"),
        (-0.001, "+.2f", "0.00"),
        (12345, ",.0f", "12,345"),
        (-2.5, "+.1f", "-2.5"),
        (float("nan"), ".2f", "–"),
        (None, ",.0f", "–"),
    ):
        assert Unit(form).write(value) == said


def test_many_names_are_the_first_and_how_many_more() -> None:
    """A leaderboard of 114 systems once listed 113 names in each row."""
    of = Names(noun="system")
    many = tuple(f"s{number}" for number in range(113))
    assert of.write(many) == "113 systems"
    assert of.write_whole(many) == "s0, s1, s2 and 110 more"
    assert [of.write_whole(many[:n]) for n in (0, 1, 2, 4)] == [
        NONE, "s0", "s0, s1", "s0, s1, s2, s3",
    ]  # fmt: skip
