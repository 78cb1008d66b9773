"""Limits of how fast a model behind a server may be asked, by all runs of this process together.

Also whether the server is there at all, and how often one request is tried.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import astuple, dataclass

from ...records import TandemError, option_ref
from .server_errors import LOST, MALFORMED, NO_CONNECTION, RequestError


@dataclass(frozen=True)
class RunLimits:
    """Limits of one run: requests at a time, and requests and tokens a minute; None = no limit."""

    concurrency: int | None = None
    rpm: int | None = None
    tpm: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 1:
                raise TandemError(f"--{name} is {value}; it is at least 1")


class RatePacer:
    """At most so many a minute, evenly spread: no minute holds more of them, wherever one starts
    counting.

    `now` is a clock's reading in seconds; any clock will do that does not go back.
    """

    def __init__(self) -> None:
        self._free = -math.inf

    def take(self, amount: float, now: float, per_minute: float) -> float:
        """Take so many, after those taken before: the time from which they may be used."""
        start = max(self._free, now)
        self._free = start + amount * 60.0 / per_minute
        return start

    def correct(self, amount: float, per_minute: float) -> None:
        """Correct what was taken by that many more (or, negative, fewer)."""
        self._free += amount * 60.0 / per_minute


@dataclass(frozen=True)
class Clock:
    """Clock that tells the time in seconds, and waits for some of them to pass."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


IMPATIENT_TRIES = {NO_CONNECTION: 1, MALFORMED: 3}  # of what is likely to be the wrong address
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


class Limits:
    """The limits of one model of one server, and the pause the server itself asks for.

    They belong to the server, not to a run: runs side by side take their turns in the order they
    come. Where they were allowed different numbers, the strictest of those that are asking at the
    moment holds for all.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.contact = Contact(lambda: self.clock.now())
        self._asking = Counter[RunLimits]()
        self._requests, self._tokens, self._held = RatePacer(), RatePacer(), -math.inf
        self._open, self._door, self._left = 0, asyncio.Lock(), asyncio.Event()

    @property
    def strictest_limits(self) -> RunLimits:
        """Return the limits that hold at the moment."""
        each = zip(*map(astuple, self._asking), strict=True)
        return RunLimits(
            *(min((number for number in numbers if number), default=None) for numbers in each)
        )

    @asynccontextmanager
    async def turn(self, allowed: RunLimits, tokens: float) -> AsyncIterator[None]:
        """Hold the turn of one request, of about that many tokens, until its answer is there.

        Raises TandemError for one that takes more tokens than a minute has.
        """
        if allowed.tpm and tokens > allowed.tpm:
            raise TandemError(
                f"{option_ref('tpm')} is {allowed.tpm:,}, and one request takes about "
                f"{tokens:,.0f} tokens: allow more"
            )
        self._asking[allowed] += 1
        try:
            async with self._door:  # it lets through in the order of arrival
                while self._open >= (self.strictest_limits.concurrency or math.inf):
                    self._left.clear()
                    await self._left.wait()
                self._open += 1
            try:
                ready = self.take(tokens, self.clock.now(), self.strictest_limits)
                while (left := max(ready, self._held) - self.clock.now()) > 0:
                    await self.clock.sleep(left)
                yield
            finally:
                self._open -= 1
                self._left.set()
        finally:
            self._asking[allowed] -= 1
            self._asking += Counter()  # without those that are through

    def take(self, tokens: float, now: float, limit: RunLimits) -> float:
        """Return the time from which one more request, of about that many tokens, may leave."""
        start = self._requests.take(1, now, limit.rpm) if limit.rpm else now
        return self._tokens.take(tokens, start, limit.tpm) if limit.tpm else start

    def correct(self, tokens: float) -> None:
        """Correct the tokens of a request, which still has its turn, by that many more."""
        if limit := self.strictest_limits.tpm:
            self._tokens.correct(tokens, limit)

    def hold(self, until: float) -> None:
        """Let no request leave before then: a pause the server asks of one run is for all."""
        self._held = max(self._held, until)


_limits: dict[tuple[str, str], Limits] = {}


def limits_of(base_url: str, model: str) -> Limits:
    """Return the limits of a model of a server, shared by all runs of this process."""
    return _limits.setdefault((base_url, model), Limits())


class Retries:
    """History of one request. Between two tries it waits twice as long each time, and all requests
    of the server wait as long as that asks.

    `check_alive` asks a trifle; without it, nothing is waited for that looks like the wrong
    address. A request that is lost each time fails alone if the server has replied to anybody
    meanwhile, or does to a trifle. Raises TandemError when it has been silent for long enough to
    be dead.
    """

    def __init__(
        self,
        address: str,
        limits: Limits,
        backoff: float,
        check_alive: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self._address, self._limits, self._backoff = address, limits, backoff
        self._check_alive = check_alive
        self._counts = Counter[str]()
        self._replies: int | None = None  # of the server, when this request was first lost in a row

    async def wait_after(self, trouble: RequestError) -> bool:
        """Wait for the next try; return False if all tries are used."""
        self._counts[trouble.failure] += 1
        contact, clock, tries = self._limits.contact, self._limits.clock, trouble.tries
        if not self._check_alive:
            tries = IMPATIENT_TRIES.get(trouble.failure, tries)
        if not self._check_alive or trouble.failure not in LOST:
            self._replies = None
        elif self._replies is None:
            self._replies = contact.replies
        if self._counts[trouble.failure] >= tries and (
            self._replies is None or await self._is_alive(self._replies, trouble)
        ):
            return False
        self._limits.hold(clock.now() + trouble.wait)
        pause = self._backoff * 2 ** min(self._counts.total() - 1, 6)
        await clock.sleep(pause * random.uniform(0.75, 1.25))
        return True

    async def _is_alive(self, replies: int, trouble: RequestError) -> bool:
        contact = self._limits.contact
        if contact.replies == replies and self._check_alive:
            with suppress(RequestError):
                await self._check_alive()
        if contact.is_dead:
            raise TandemError(
                f"the server at {self._address} cannot be reached: no reply for "
                f"{SILENCE:.0f} seconds ({trouble.detail or trouble.failure})"
            )
        return contact.replies > replies
