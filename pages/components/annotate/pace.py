"""How long a thing takes, said so that it does not flicker."""

from __future__ import annotations

STEPS = ((10 * 60, 60), (60 * 60, 5 * 60), (5 * 3600, 30 * 60))
"""Up to so many seconds, times are told in steps of so many; beyond, in hours."""


def steady(seconds: float, told: float | None) -> float:
    """Seconds left in steps that suit their size. What was `told` before stays for as long as it is
    less than a step off.
    """
    step = next((step for most, step in STEPS if seconds < most), 3600)
    if told is not None and abs(told - seconds) < step:
        return told
    return max(step, round(seconds / step) * step)


def in_words(seconds: float) -> str:
    """20 s, 9 min, 1 h 30 min, 12 h."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return " ".join(
        part
        for part in (f"{hours} h" if hours else "", f"{minutes} min" if minutes else "")
        if part
    )
