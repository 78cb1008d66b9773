"""How the times of answers are told."""

from __future__ import annotations

from core.runs import Latency


def test_times_are_told_without_powers_of_ten() -> None:
    for times, words in [
        ((0.25, 0.32, 5.5e-05, 9.6e-05), "median latency 0.25 s (95% within 0.32 s)"),
        (
            (12.4, 121.0, 5.5e-05, 0.5),
            "median latency 12 s (95% within 121 s), after under 0.01 s in line (95% within 0.5 s)",
        ),
    ]:
        assert str(Latency(3, *times)) == words
