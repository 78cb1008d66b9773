"""Contact: whether a server is there at all, as all who ask it have found."""

from __future__ import annotations

import time
from collections.abc import Callable

SILENCE = 60.0
"""Seconds without any reply, while every request is lost, after which a server counts as dead."""


class Contact:
    """Contact with a server: its replies of any kind, and since when requests were lost.

    A request is lost by no connection, a broken one, or no reply in time.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.replies = 0
        self._lost_since: float | None = None

    def note_reply(self) -> None:
        """Note a reply, if only that something is wrong."""
        self.replies += 1
        self._lost_since = None

    def note_loss(self) -> None:
        """Note a request that came to nothing."""
        if self._lost_since is None:
            self._lost_since = self.now()

    @property
    def is_dead(self) -> bool:
        """Return whether nothing has been heard for SILENCE since the first request that was
        lost.
        """
        return self._lost_since is not None and self.now() - self._lost_since >= SILENCE
