"""Limits: how fast a server may be asked."""

from __future__ import annotations

import asyncio
import math

from core.records import TandemError


class Pace:
    """At most so many a minute, evenly spread: no minute holds more of them, wherever one starts counting.

    `now` is a clock's reading in seconds; any clock will do that does not go back.
    """

    def __init__(self, per_minute: float) -> None:
        self._seconds = 60.0 / per_minute
        self._free = -math.inf

    def take(self, amount: float, now: float) -> float:
        """Take so many, after those taken before: the time from which they may be used."""
        start = max(self._free, now)
        self._free = start + amount * self._seconds
        return start

    def correct(self, amount: float) -> None:
        """It was that many more (or, negative, fewer) than were taken."""
        self._free += amount * self._seconds


class Limits:
    """Requests and tokens a minute, None being no limit, and whatever pause the server itself asks for."""

    def __init__(self, rpm: int | None = None, tpm: int | None = None) -> None:
        self._requests = Pace(rpm) if rpm else None
        self._tokens = Pace(tpm) if tpm else None
        self._tpm = tpm
        self._held = -math.inf

    def take(self, tokens: float, now: float) -> float:
        """The time from which one more request, of about that many tokens, may leave."""
        start = self._requests.take(1, now) if self._requests else now
        return self._tokens.take(tokens, start) if self._tokens else start

    def correct(self, tokens: float) -> None:
        """A request took that many tokens more than were taken for it."""
        if self._tokens:
            self._tokens.correct(tokens)

    def hold(self, until: float) -> None:
        """Nothing leaves before then: a server that is asked too fast by one is asked too fast by all."""
        self._held = max(self._held, until)

    async def wait(self, tokens: float) -> None:
        """Until one more request may leave. Raises TandemError for one that takes more tokens than a minute has."""
        if self._tpm and tokens > self._tpm:
            raise TandemError(f"--tpm is {self._tpm:,}, and one request takes about {tokens:,.0f} tokens: allow more")
        clock = asyncio.get_running_loop().time
        ready = self.take(tokens, clock())
        while (left := max(ready, self._held) - clock()) > 0:
            await asyncio.sleep(left)
