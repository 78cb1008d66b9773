"""What values of a winner column mean: as told, and as offered where they are uncertain."""

from __future__ import annotations

import pytest

from core.importing import Codes, described
from core.importing.codes import make_uncertain_error
from core.records import Outcome, TandemError

A, B, TIE = Outcome.A, Outcome.B, Outcome.TIE


def test_what_values_mean() -> None:
    for codes, values in [
        (Codes(("1",), ("0",)), {"1": A, "1.0": A, " 1 ": A, "0": B, "0,0": B, "-0": B, "2": None}),
        (Codes(("-1",), ("1",), ("0",)), {"-1": A, "-1.0": A, "1": B, "+1": B, "0": TIE}),
        (Codes(("1..4",), ("4..7",), ("4",)), {"1": A, "3,5": A, "4": TIE, "4.0": TIE, "7": B}),
        (Codes(("1..1.5",), ("1.5..2",), ("1.5",)), {"1.4999": A, "1.5": TIE, "1.9": B, "2.1": None}),
        (Codes(("-3..-1",), ("1..3",), ("0",)), {"-2": A, "3": B, "0": TIE, "0.5": None}),
        (Codes(("Links",), ("rechts",)), {"links": A, "RECHTS ": B, "gleich": None, "": None}),
    ]:  # fmt: skip
        assert {value: codes.outcome(value) for value in values} == values  # type: ignore[attr-defined]


def test_a_value_has_one_meaning() -> None:
    for told in [
        {"first": ("1",), "second": ("1.0",)},
        {"first": ("win",), "tie": ("Win",)},
        {"first": ("1..4",), "second": ("4..7",)},
        {"first": ("1..4",), "second": ("3..7",), "tie": ("3", "4")},
    ]:
        with pytest.raises(TandemError, match=r"'.+'.*two meanings"):
            Codes(**told)


def test_a_range_that_ends_before_it_begins() -> None:
    with pytest.raises(TandemError, match=r"\b3\.\.1 .*\b1\.\.3\b"):
        Codes(("3..1",))


def test_the_likely_readings() -> None:
    """Each end of a scale may be the first system; each reading says how it is chosen."""
    for values, readings in [
        (["0", "1"], ["0 = x, 1 = y", "1 = x, 0 = y"]),
        (["1", "2", ""], ["1 = x, 2 = y", "2 = x, 1 = y"]),
        (["1"], ["1 = x", "1 = y"]),
        (["0", "1", "2"], ["1 = x, 2 = y, 0 = a tie", "0 = x, 1 = y, 2 = a tie", "0 = x, 2 = y, 1 = a tie"]),
        (["-1", "0", "1", "tie"], ["-1 = x, 1 = y, 0 = a tie", "1 = x, -1 = y, 0 = a tie"]),
        (["0", "0.5", "1"], ["0 = x, 1 = y, 0.5 = a tie", "1 = x, 0 = y, 0.5 = a tie"]),
        (["0.1", "0,9", "0.4"], ["0..0.5 = x, 0.5..1 = y, 0.5 = a tie", "0.5..1 = x, 0..0.5 = y, 0.5 = a tie"]),
        (["1", "1.7", "2.0"], ["1..1.5 = x, 1.5..2 = y, 1.5 = a tie", "1.5..2 = x, 1..1.5 = y, 1.5 = a tie"]),
        (["1", "3", "7", "6"], ["1..4 = x, 4..7 = y, 4 = a tie", "4..7 = x, 1..4 = y, 4 = a tie"]),
        (["-3", "-1", "1", "2"], ["-3..0 = x, 0..3 = y, 0 = a tie", "0..3 = x, -3..0 = y, 0 = a tie"]),
        (["win", "lose"], ["win = x, lose = y", "lose = x, win = y"]),
        (["win", "lose", "no"], []),
    ]:  # fmt: skip
        refused = make_uncertain_error("f.csv", "c", values, ("x", "y"), Codes())
        assert [described(reading, ("x", "y")) for reading in refused.readings] == readings
        for reading in refused.readings:
            assert reading.settings() in refused.sentence
        assert "--" not in refused.sentence
