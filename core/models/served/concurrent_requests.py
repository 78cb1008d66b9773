"""Questions in flight: many at once to a server, answers as they land.

The requests live on one event loop in a thread of its own, so that the caller (a run, a page)
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
from typing import Any, Generic, TypeVar

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


def gather_answers(
    questions: Sequence[Q], answer: Callable[[Q], Coroutine[Any, Any, A]], at_once: int
) -> list[A]:
    """Return the answers in the order of the questions, asking `at_once` of them at a time.

    Raises what an `answer` raises.
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
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[list[tuple[Q, A]]]:
    """Yield questions with their answers in the order these land, at most TOGETHER_SECONDS later.

    An empty list says that nothing has landed for so many seconds.

    `at_once` questions are in flight; the next is drawn when one lands. When the questions end,
    what is in flight is waited for; when the iteration is abandoned, it is given up. An `answer`
    that raises ends the stream, and so does Ctrl-C, after what has landed before was handed out.
    """
    flights = _Flights(questions, answer, at_once, clock)
    error: BaseException | None = None
    try:
        while (flights.more or flights.flying) and not error:
            batch: list[tuple[Q, A]] = []
            try:
                flights.wait(batch, seconds)
            except (Exception, KeyboardInterrupt) as broken:
                error = broken
                batch += flights.take_answers()
            yield batch
        if error:
            raise error
    finally:
        flights.give_up()


class _Flights(Generic[Q, A]):
    """Questions in flight, and whether there may be `more` of them."""

    def __init__(
        self,
        questions: Iterator[Q],
        answer: Callable[[Q], Coroutine[Any, Any, A]],
        at_once: int,
        clock: Callable[[], float],
    ) -> None:
        self._questions, self._answer, self._at_once = questions, answer, at_once
        self._clock = clock
        self._landed: SimpleQueue[tuple[Q, Future[A]]] = SimpleQueue()
        self.flying: set[Future[A]] = set()
        self.more = True

    def wait(self, batch: list[tuple[Q, A]], seconds: float) -> None:
        """Wait so long for a first answer, and TOGETHER_SECONDS for others; let more start.

        They are added to `batch`. Raises what an answer raises.
        """
        until = self._clock() + seconds
        while (left := until - self._clock()) > 0:
            while self.more and len(self.flying) < self._at_once:
                try:
                    self._launch(next(self._questions))
                except StopIteration:
                    self.more = False
            if not self.flying:
                return
            try:
                question, done = self._landed.get(timeout=left)
            except Empty:
                return
            self.flying.discard(done)
            if not batch:
                until = self._clock() + TOGETHER_SECONDS
            batch.append((question, done.result()))

    def take_answers(self) -> list[tuple[Q, A]]:
        """Return the answers that are there already, without those that raised."""
        there = []
        while not self._landed.empty():
            question, done = self._landed.get()
            self.flying.discard(done)
            if not done.exception():
                there.append((question, done.result()))
        return there

    def _launch(self, question: Q) -> None:
        future = asyncio.run_coroutine_threadsafe(self._answer(question), _loop())
        self.flying.add(future)
        future.add_done_callback(lambda done: self._landed.put((question, done)))

    def give_up(self) -> None:
        for future in self.flying:
            future.cancel()
