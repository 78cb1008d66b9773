"""Pages of figures are drawn one after another, so that those who vote wait for one of them at most.

Threads of Python share one interpreter. Twenty pages that are drawn at once leave a vote a
twenty-first part of it; drawn in turn they are there as soon, and a vote keeps half.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic

import streamlit as st

LONGEST = 1.0
"""Seconds after which the next page need not wait any longer for one that is being drawn."""

REST = 4
"""Pages draw themselves anew after a rest of so many times as long as the last one took."""

LEAST = 0.1  # seconds that a page counts as taking at least


class DrawingTurns:
    """The turns of a server's pages. Many threads may ask at once."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._condition, self._clock = Condition(), clock
        self._waiting: deque[object] = deque()
        self._drawing: object | None = None
        self._until = 0.0  # when whoever draws has had their turn
        self._next_redraw = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for those who came before, each of whom has LONGEST seconds, and draw."""
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
                took = max(self._clock() - begin, LEAST)
                self._next_redraw = max(self._next_redraw, self._clock() + REST * took)
                self._condition.notify_all()

    def claim_redraw(self) -> bool:
        """Whether a page may draw itself anew now. Where it may, the others wait for a while: so
        many open pages that get new figures at once come one by one.
        """
        with self._condition:
            if self._is_busy() or self._waiting or self._clock() < self._next_redraw:
                return False
            self._next_redraw = self._clock() + REST * LEAST
            return True

    def _is_busy(self) -> bool:
        return self._drawing is not None and self._clock() < self._until


@st.cache_resource(show_spinner=False)
def drawing_turns() -> DrawingTurns:
    """The turns of this server."""
    return DrawingTurns()
