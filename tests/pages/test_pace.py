"""How long a thing takes, in words."""

from __future__ import annotations

from pages.components.annotate.question import format_duration, round_seconds_left

WORDS = {
    0.2: "1 s", 19.6: "20 s", 60: "1 min", 540: "9 min", 3600: "1 h", 5400: "1 h 30 min",
    78_840: "21 h 54 min",
}  # fmt: skip
STEPS = {20: 60, 500: 480, 1_400: 1_500, 5_000: 5_400, 78_840: 79_200}


def test_steps_suit_the_size_and_what_was_told_stays_until_it_is_a_step_off() -> None:
    assert {seconds: format_duration(seconds) for seconds in WORDS} == WORDS
    assert {seconds: round_seconds_left(seconds, None) for seconds in STEPS} == STEPS
    told, shown = None, []
    for seconds in (1_400, 1_600, 1_300, 1_650, 1_250, 1_190, 1_000):
        told = round_seconds_left(seconds, told)
        shown.append(told)
    assert shown == [1_500, 1_500, 1_500, 1_500, 1_500, 1_200, 1_200]
