"""A clock that nobody waits for."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from core.models.served.rate_limits import Clock


def jumping() -> Clock:
    """It stands still until somebody sleeps, and jumps to when they wake."""
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        until = now + seconds
        await asyncio.sleep(0)
        now = max(now, until)

    return Clock(lambda: now, sleep)


def alone(coroutine):
    """What a coroutine gives, run in a thread of its own: a browser test of the same process may
    have left its event loop running in this one.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
