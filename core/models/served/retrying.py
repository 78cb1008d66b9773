"""Retrying: a request is asked again as long as that can help."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from ...records import TandemError
from .chat_client import LOST, MALFORMED, NO_CONNECTION
from .contact import SILENCE
from .rate_limits import Limits
from .request_errors import RequestError

IMPATIENT_TRIES = {NO_CONNECTION: 1, MALFORMED: 3}  # of what is likely to be the wrong address


@dataclass
class Retries:
    """History of one request: its `failure_counts`. Between two tries it waits twice as long
    each time, and all requests of the `limits` wait as long as the server asks.

    A request that is lost each time fails alone if the server has replied to anybody meanwhile,
    or does to a `health_check`. Raises TandemError when it has been silent for long enough to be
    dead.
    """

    limits: Limits
    address: str
    backoff: float
    health_check: Callable[[], Awaitable[object]]
    patient: bool = True
    failure_counts: Counter[str] = field(default_factory=Counter)
    replies: int | None = None  # of the server, when this request was first lost in a row

    async def wait_after(self, trouble: RequestError) -> bool:
        """Wait for the next try; return False if all tries are used."""
        self.failure_counts[trouble.failure] += 1
        tries = trouble.tries
        if not self.patient:
            tries = IMPATIENT_TRIES.get(trouble.failure, tries)
        lost = self.patient and trouble.failure in LOST
        contact = self.limits.contact
        self.replies = (contact.replies if self.replies is None else self.replies) if lost else None
        if self.failure_counts[trouble.failure] >= tries and (
            self.replies is None or await self._is_alive(self.replies, trouble)
        ):
            return False
        clock = self.limits.clock
        self.limits.hold(clock.now() + trouble.wait)
        pause = self.backoff * 2 ** min(self.failure_counts.total() - 1, 6)
        await clock.sleep(pause * random.uniform(0.75, 1.25))
        return True

    async def _is_alive(self, replies: int, trouble: RequestError) -> bool:
        contact = self.limits.contact
        if contact.replies == replies:
            with suppress(RequestError):
                await self.health_check()
        if contact.is_dead:
            raise TandemError(
                f"the server at {self.address} cannot be reached: no reply for {SILENCE:.0f} "
                f"seconds ({trouble.detail or trouble.failure})"
            )
        return contact.replies > replies
