"""Turns in which pages of figures are drawn, one after another, and after votes.

Python's threads share one interpreter. Twenty pages drawn at once leave a vote one twenty-first of
it; drawn in turn they take no longer, and a vote keeps half. It keeps nearly all of it as a page
that is drawn gives way to votes.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, get_ident
from time import monotonic

import streamlit as st

LONGEST = 5.0
"""Seconds after which the next page need not wait any longer for one that is being drawn. Work that
takes longer as a rule is an `interlude`.
"""

REST = 4
"""Pages redraw themselves after a rest of so many times as long as the last one took."""

LEAST = 0.1  # seconds that a page counts as taking at least
FORGOTTEN = 20.0  # seconds after which a page that has not looked for figures counts as closed
YIELD = 2.0  # seconds that a page waits for votes before each of its parts, at most


class DrawingTurns:
    """The turns of a server's pages. Many threads may ask at once."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._condition, self._clock = Condition(), clock
        self._waiting: deque[int] = deque()
        self._drawing: int | None = None  # the thread whose turn it is
        self._until = 0.0  # when that turn ends
        self._began: dict[int, float] = {}  # when each page began, less the time it waited since
        self._ended, self._took = -math.inf, LEAST  # the last page that was drawn
        self._looked: dict[str, float] = {}  # when each open page last looked for its figures
        self._votes = 0  # pages of annotators that are being drawn

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the pages that came before, at most LONGEST seconds each; then draw."""
        page = get_ident()
        self._take(page)
        self._began[page] = self._clock()
        try:
            yield
        finally:
            seconds = self._leave(page) - self._began.pop(page)
            self._took = min(max(seconds, LEAST), LONGEST)

    @contextmanager
    def interlude(self) -> Iterator[None]:
        """Let others draw while this page waits for something, then take another turn."""
        page = get_ident()
        if page not in self._began:  # a part of a page is drawn by itself, without a turn
            yield
            return
        left = self._leave(page)
        try:
            yield
        finally:
            self._take(page)
            self._began[page] += self._clock() - left

    @contextmanager
    def vote(self) -> Iterator[None]:
        """Draw the page of somebody who votes: at once, while others give way."""
        with self._condition:
            self._votes += 1
        try:
            yield
        finally:
            with self._condition:
                self._votes -= 1
                self._condition.notify_all()

    def note_look(self, session: str) -> None:
        """Note that the open page of a session looks whether its figures are ready."""
        now = self._clock()
        with self._condition:
            self._looked = {
                one: looked for one, looked in self._looked.items() if looked > now - FORGOTTEN
            } | {session: now}

    def count_pages(self) -> int:
        """Count the open pages that look for figures, and those about to be drawn."""
        with self._condition:
            return len(self._looked) + len(self._waiting)

    def give_way(self) -> None:
        """Wait before a part of a page of figures until no vote is being answered."""
        page = get_ident()
        if page not in self._began:
            return
        with self._condition:
            begin = self._clock()
            self._condition.wait_for(lambda: not self._votes, YIELD)
            if self._drawing == page:
                self._until += self._clock() - begin

    def _take(self, page: int) -> None:
        with self._condition:
            self._waiting.append(page)
            while self._waiting[0] != page or self._is_busy():
                self._condition.wait(max(self._until - self._clock(), 0.01))
            self._waiting.popleft()
            self._drawing, self._until = page, self._clock() + LONGEST

    def _leave(self, page: int) -> float:
        with self._condition:
            if self._drawing == page:
                self._drawing = None
            self._ended = self._clock()
            self._condition.notify_all()
            return self._ended

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


@contextmanager
def wait_aside(doing: str) -> Iterator[None]:
    """Show what a page waits for, and let others draw meanwhile."""
    with drawing_turns().interlude(), st.spinner(doing):
        yield
