"""Questions in flight: many at once to a server, answers as they land.

The requests live on one event loop in a thread of its own, so that the caller (a run, a page)
needs to know nothing of asyncio, and questions are drawn in the asker's own thread, the only one
that may read its store.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import Any, TypeVar

from ..respondent import BATCH_SECONDS

Q = TypeVar("Q")
A = TypeVar("A")

TOGETHER_SECONDS = 0.1  # answers that land so soon after the first leave with it

_loops: list[asyncio.AbstractEventLoop] = []
_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this process; it ends with the process."""
    with _starting:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(
                target=_loops[0].run_forever, name="tandem-requests", daemon=True
            ).start()
        return _loops[0]


def wait_for(coroutine: Coroutine[Any, Any, A]) -> A:
    """Return the result of a coroutine."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def stream_through(
    questions: Iterator[Q],
    answer: Callable[[Q], Coroutine[Any, Any, A]],
    at_once: int,
    *,
    seconds: float = BATCH_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[list[tuple[Q, A]]]:
    """Yield questions with their answers in the order these land, at most TOGETHER_SECONDS later.

    An empty list says that nothing has landed for so many seconds.

    `at_once` questions are in flight; the next is drawn when one lands. When the questions end,
    what is in flight is waited for; when the iteration is abandoned, it is given up. An `answer`
    that raises ends the stream, and so does Ctrl-C, after what has landed before was handed out.
    """
    flying: dict[Future[A], Q] = {}
    is_over = False
    try:
        while flying or not is_over:
            batch: list[tuple[Q, A]] = []
            until = clock() + seconds
            try:
                while (left := until - clock()) > 0:
                    new = list(islice(questions, 0 if is_over else at_once - len(flying)))
                    for question in new:
                        flying[asyncio.run_coroutine_threadsafe(answer(question), _loop())] = (
                            question
                        )
                    is_over = is_over or len(flying) < at_once
                    landed = wait(flying, left, FIRST_COMPLETED).done
                    if not landed:
                        break
                    if not batch:
                        until = clock() + TOGETHER_SECONDS
                    for done in landed:
                        batch.append((flying[done], done.result()))
                        del flying[done]
            except (Exception, KeyboardInterrupt):
                there = [one for one in flying if one.done() and not one.exception()]
                yield [*batch, *((flying.pop(one), one.result()) for one in there)]
                raise
            yield batch
    finally:
        for future in flying:
            future.cancel()
