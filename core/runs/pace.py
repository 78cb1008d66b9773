"""How long work will still take."""

from __future__ import annotations

from core.runs.overview import span


class Pace:
    """The pace of the stage that is at work: what came before, loading a model say, is over."""

    def __init__(self) -> None:
        self._stage = ""
        self._origin = (0.0, 0)  # when this stage was first heard of, and how far it was then

    def estimate(self, stage: str, done: int, of: int, now: float) -> str:
        """The time left, such as "about 2 min left"; "" where nobody knows. `now` is in seconds."""
        if stage != self._stage or done < self._origin[1]:
            self._stage, self._origin = stage, (now, done)
        began, done_then = self._origin
        if done <= done_then or done >= of:
            return ""
        return f"about {span((now - began) / (done - done_then) * (of - done))} left"
