"""Servers of a pool: how each has fared, what is on its way to it, and which is asked next."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...failures import TIMED_OUT
from .endpoint import Endpoint
from .request_errors import RequestError

FIRST_PAUSE = 1.0  # seconds; twice as long after each further trouble in a row
LONGEST_PAUSE = 60.0
MEMORY = 0.2  # of the latest answer in the mean of how long a server takes
MANY = 4  # troubles in a row from which one that is only busy is told
PATIENCE = 5.0  # seconds that any server may take for an answer, however fast the others are
FAR = 5.0  # times the slowest answer of late: longer is silence
ENOUGH = 5  # answers of others without one of its own, from which a server may be silent
LATEST = 20  # answers of a server, of which the slowest counts


class SilentError(RequestError):
    """A server gives no answer while the others do; perhaps it would have, later."""

    def __init__(self, seconds: float, missed: int) -> None:
        others = f", in which others answered {missed:,}" if missed else ""
        super().__init__(TIMED_OUT, f"silent for {seconds:.0f} seconds{others}")


@dataclass(eq=False)
class PendingRequest:
    """A request on its way.

    `since` is when its server was last heard of, `missed` how many answers other servers gave
    since; `enough` of them make it suspicious. `deadline` is when it is given up, `grace` times
    later than is usual.
    """

    since: float
    enough: float = ENOUGH
    grace: float = 1.0
    missed: int = 0
    deadline: asyncio.Timeout = field(default_factory=lambda: asyncio.Timeout(None))

    def due(self, patience: float | None) -> float | None:
        """Return when the server is given up if others answer within so much
        `estimate_patience`. None = not yet known.
        """
        suspicious = patience is not None and self.missed >= self.enough
        return self.since + self.grace * (patience or 0.0) if suspicious else None

    def record_answer(self, *, own: bool, now: float) -> None:
        """Record that its server has answered something else, or that another server has."""
        self.missed = 0 if own else self.missed + 1
        if own:
            self.since = now

    def put_off(self, patience: float | None) -> None:
        """Give it up when it is due, by the event loop's clock."""
        if not self.deadline.expired():
            self.deadline.reschedule(self.due(patience))


@dataclass(eq=False)
class ServerState:
    """One server of a pool, and how it has fared: requests in `flight`, `answered` so far, the
    `seconds` that an answer takes of late, `troubles` in a row, the last of them in words, since
    when (`failing_since`) and `until` when it is left aside for them.

    `silent_since`: since when nothing came of what it was asked, be it only busy; `wait` the
    longest it has asked for meanwhile.

    `refuses`: that was for a reason which all questions will meet, such as a wrong key;
    `is_healthy`: it has answered a health check as the others have; `health_check`: that check,
    while it is asked.

    `pending` are its requests, `latest` the seconds that its last answers took. `grace`: how many
    times longer than usual it is waited for.
    """

    endpoint: Endpoint
    flight: int = 0
    answered: int = 0
    seconds: float = 0.0
    troubles: int = 0
    why: str = ""
    failing_since: float | None = None
    silent_since: float | None = None
    wait: float = 0.0
    until: float = -math.inf
    refuses: bool = False
    is_healthy: bool = True
    health_check: asyncio.Task[None] | None = None
    grace: float = 1.0
    pending: set[PendingRequest] = field(default_factory=set)
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    @property
    def address(self) -> str:
        """The address of the server, as shown to people."""
        return self.endpoint.address

    @property
    def is_away(self) -> bool:
        """Return whether its last request was lost, and no other has been answered since."""
        return self.failing_since is not None

    def has_room(self, now: float) -> bool:
        """Return whether it may be asked; one that comes back is asked by one request at first."""
        return self.until <= now and self.flight < (
            1 if self.is_away else self.endpoint.concurrency
        )

    def note_answer(self, seconds: float | None, troubles: int) -> None:
        """Note an answer, after so many seconds, to what was asked after so many `troubles`: when
        there were more since, this may be the last that it could say.
        """
        self.answered += 1
        self.silent_since, self.wait = None, 0.0
        if troubles == self.troubles:
            self.troubles, self.why, self.failing_since, self.refuses = 0, "", None, False
        if seconds is not None:
            self.seconds += (seconds - self.seconds) * (MEMORY if self.seconds else 1.0)

    def note_failure(
        self, why: str, now: float, *, wait: float = 0.0, busy: bool = False, slow: bool = False
    ) -> None:
        """Note that it did not answer.

        What was in flight with the first that is lost counts as one trouble; one that is only
        `busy` is not away, one that is perhaps only `slow` gets longer next time.
        """
        self.why, self.wait = why, max(self.wait, wait)
        if self.silent_since is None:
            self.silent_since = now
        if not busy and self.failing_since is None:
            self.failing_since = now
        if now >= self.until:
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**self.troubles)
            self.until, self.troubles = now + max(pause, wait), min(self.troubles + 1, 10)
            self.grace *= 2.0 if slow else 1.0
        self.until = max(self.until, now + wait)

    def come_back(self) -> None:
        """Forget what was held against it, and end its pause: it answers a health check."""
        self.is_healthy = True
        self.note_answer(None, self.troubles)
        self.until = -math.inf

    def leave_out(self, why: str, now: float) -> None:
        """Leave out a server that has another model: it is asked nothing more."""
        self.why, self.failing_since, self.until, self.refuses = why, now, math.inf, True
        self.silent_since = now


def choose_least_loaded(servers: Sequence[ServerState], now: float) -> ServerState | None:
    """Return the one that is asked next: of those with room one with the fewest requests in flight;
    of several the one that takes least time, then the one that has answered least.
    """
    able = [server for server in servers if server.has_room(now)]
    return min(able, key=lambda one: (one.flight, one.seconds, one.answered), default=None)


def estimate_patience(servers: Sequence[ServerState]) -> float | None:
    """Estimate the seconds within which an answer may be expected of any of them; None = nobody has
    answered.
    """
    slowest = max((took for one in servers for took in one.latest), default=None)
    return None if slowest is None else max(PATIENCE, FAR * slowest)
