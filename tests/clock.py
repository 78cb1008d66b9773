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
    """Run a coroutine in its own thread: a browser test may have left an event loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
