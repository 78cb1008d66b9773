"""Questions in flight: many at once to a server, answers as they land.

The requests live on one event loop in a thread of its own, so that whoever asks (a run, a page)
needs to know nothing of asyncio, and questions are drawn in the asker's own thread, the only one
that may read its store.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from core.models.respondent import BATCH_SECONDS

Q = TypeVar("Q")
A = TypeVar("A")

_loops: list[asyncio.AbstractEventLoop] = []
_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process; it ends with the process."""
    with _starting:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(
                target=_loops[0].run_forever, name="tandem-requests", daemon=True
            ).start()
        return _loops[0]


def wait_for(coroutine: Coroutine[Any, Any, A]) -> A:
    """What a coroutine comes to."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def all_through(
    questions: Sequence[Q], answer: Callable[[Q], Coroutine[Any, Any, A]], at_once: int
) -> list[A]:
    """The answers in the order of the questions, `at_once` of which are in flight. Raises what an
    `answer` raises.
    """
    numbered = stream_through(iter(enumerate(questions)), lambda pair: answer(pair[1]), at_once)
    found = {number: one for batch in numbered for (number, _), one in batch}
    return [found[number] for number in range(len(questions))]


def stream_through(
    questions: Iterator[Q],
    answer: Callable[[Q], Coroutine[Any, Any, A]],
    at_once: int,
    *,
    seconds: float = BATCH_SECONDS,
) -> Iterator[list[tuple[Q, A]]]:
    """Questions with their answers in the order these land, about every so many seconds (an empty
    list: still waiting).

    `at_once` questions are in flight; the next is drawn when one lands. When the questions end,
    what is in flight is waited for; when the iteration is abandoned, it is given up. An `answer`
    that raises ends the stream, after what has landed before it was handed out.
    """
    landed: SimpleQueue[tuple[Q, Future[A]]] = SimpleQueue()
    flying: set[Future[A]] = set()

    def launch(question: Q) -> None:
        future = asyncio.run_coroutine_threadsafe(answer(question), _loop())
        flying.add(future)
        future.add_done_callback(lambda done: landed.put((question, done)))

    more, error = True, None
    try:
        while (more or flying) and not error:
            batch: list[tuple[Q, A]] = []
            until = time.monotonic() + seconds
            while not error and (left := until - time.monotonic()) > 0:
                while more and len(flying) < at_once:
                    try:
                        launch(next(questions))
                    except StopIteration:
                        more = False
                if not flying:
                    break
                try:
                    question, done = landed.get(timeout=left)
                except Empty:
                    break
                flying.discard(done)
                error = done.exception()
                if not error:
                    batch.append((question, done.result()))
            yield batch
        if error:
            raise error
    finally:
        for future in flying:
            future.cancel()
