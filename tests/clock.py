"""A clock that nobody waits for."""

import asyncio

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
