"""Turns in which pages of figures are drawn, one after another.

So a vote waits for one page at most. Python's threads share one interpreter. Twenty pages drawn at
once leave a vote one twenty-first of it; drawn in turn they take no longer, and a vote keeps half.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic

import streamlit as st

LONGEST = 1.0
"""Seconds after which the next page need not wait any longer for one that is being drawn."""

REST = 4
"""Pages redraw themselves after a rest of so many times as long as the last one took."""

LEAST = 0.1  # seconds that a page counts as taking at least


class DrawingTurns:
    """The turns of a server's pages. Many threads may ask at once."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._condition, self._clock = Condition(), clock
        self._waiting: deque[object] = deque()
        self._drawing: object | None = None
        self._until = 0.0  # when the turn of the page being drawn ends
        self._ended, self._took = -math.inf, LEAST  # the last page that was drawn

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the pages that came before, at most LONGEST seconds each; then draw."""
        mine = object()
        with self._condition:
            self._waiting.append(mine)
            while self._waiting[0] is not mine or self._is_busy():
                self._condition.wait(max(self._until - self._clock(), 0.01))
            self._waiting.popleft()
            self._drawing, self._until = mine, self._clock() + LONGEST
        begin = self._clock()
        try:
            yield
        finally:
            with self._condition:
                if self._drawing is mine:
                    self._drawing = None
                self._ended = self._clock()
                self._took = min(max(self._ended - begin, LEAST), LONGEST)
                self._condition.notify_all()

    def claim_redraw(self, *, urgent: bool = False) -> bool:
        """Claim the turn to redraw a page; False if it is not free. Others then wait a while, so
        many open pages do not redraw at once. `urgent` is for a page without figures yet.
        """
        with self._condition:
            rest = (1 if urgent else REST) * self._took
            if self._is_busy() or self._waiting or self._clock() < self._ended + rest:
                return False
            self._ended, self._took = self._clock(), LEAST
            return True

    def _is_busy(self) -> bool:
        return self._drawing is not None and self._clock() < self._until


@st.cache_resource(show_spinner=False)
def drawing_turns() -> DrawingTurns:
    """Return the turns of this server."""
    return DrawingTurns()
