"""Reports that pages compute once, and again only when what they are made of has changed. Those of
a large store are counted in the background: the page shows the figures there are, says how old they
are, and draws itself anew when others have come.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import Any, NamedTuple, Protocol, TypeVar

import streamlit as st

from core.records import FaultError, TandemError
from core.runs import span
from core.store import Store
from pages.components.shared.counting import KEPT, Counted, Counter, Task
from pages.components.shared.faults import fragment
from pages.components.shared.notice import small

Request = TypeVar("Request", bound=Hashable, contravariant=True)
Answer = TypeVar("Answer", covariant=True)

AT_ONCE = 50_000  # judgements, marks and texts up to which a page counts itself
PATIENCE = 2.0  # seconds up to which a page counts what it knows the time of
REST = 4  # a count rests as many times as long as it took, however many vote meanwhile
PACE = 80_000  # judgements, marks and texts a second, as long as a report has not been timed


class Report(Protocol[Request, Answer]):
    """What a function computes of a store under a frozen request, kept under a stamp: a text that
    changes whenever what it reads from the store does, and begins with the identity of the data set
    (`Study.texts_stamp`). `otherwise` is shown until there is one.
    """

    def __call__(
        self, store: Store, request: Request, stamp: str, otherwise: Any = None
    ) -> Answer: ...


def cached_report(
    spinner: str | bool,
    takes: Callable[[Store, Any], float] | None = None,
) -> Callable[[Callable[[Store, Request], Answer]], Report[Request, Answer]]:
    """Keep what a function computes. `spinner` is the sentence that is shown meanwhile. `takes`
    tells about how many seconds a request takes, where that is no matter of the store's volume.
    """

    def keep(compute: Callable[[Store, Request], Answer]) -> Report[Request, Answer]:
        def answer(_store: Store, path: object, stamp: str, request: Any) -> Any:
            return compute(_store, request)

        # Streamlit tells caches apart by these names: reports of one request must not share one.
        answer.__module__, answer.__qualname__ = compute.__module__, compute.__qualname__

        @cache
        def cached() -> Any:  # where a page is drawn: the process that counts keeps none
            return st.cache_data(answer, max_entries=KEPT, show_spinner=spinner)

        @wraps(compute)
        def report(store: Store, request: Any, stamp: str, otherwise: Any = None) -> Any:
            # what was counted of a store before it was restored is not of this one
            of = f"{store.campaigns.seal('store')}-{stamp.partition('-')[0]}"
            stamp = f"{of}-{stamp}"
            volume = store.datasets.volume()
            seconds = takes(store, request) if takes else 0.0
            if volume <= AT_ONCE and seconds <= PATIENCE:
                return cached()(store, store.path, stamp, request)
            task = Task(report, store.path.absolute(), request, stamp, of)
            work = _Work(
                f"{volume:,} judgements, marks and texts of the whole store", volume / PACE
            )
            if takes:
                work = _Work("what you chose", seconds)
            return _counted(task, work, otherwise)

        return report  # type: ignore[return-value]

    return keep


class _Work(NamedTuple):
    """What is counted, in words, and about how many seconds that takes."""

    what: str
    seconds: float


@st.cache_resource(show_spinner=False)
def _counter() -> Counter:
    return Counter()


def _counted(task: Task, work: _Work, otherwise: Any) -> Any:
    """The latest answer, asked for anew where the store has changed since and it is time."""
    counter = _counter()
    latest = counter.answer(task)
    if latest is None or (_outdated(latest, task) and _rested(latest)):
        counter.ask(task)
    if latest is None or latest.stamp != task.stamp:
        _watch(task, latest, work)
    if latest is None and otherwise is None:
        st.stop()
    if latest is None:
        return otherwise
    if isinstance(latest.answer, TandemError):
        raise latest.answer
    return latest.answer


def _outdated(latest: Counted, task: Task) -> bool:
    """Whether another answer is to be expected: the store has changed, or stood in the way."""
    return latest.stamp != task.stamp or isinstance(latest.answer, FaultError)


def _rested(latest: Counted) -> bool:
    return latest.age > REST * latest.seconds


def _watch(task: Task, latest: Counted | None, work: _Work) -> None:
    """What is being counted, once a page, told anew every second until it is there."""
    if not st.session_state.get("watched"):
        st.session_state["watched"] = True
        fragment(_tell, every=1.0)(task, latest, work)


def _tell(task: Task, shown: Counted | None, work: _Work) -> None:
    counter = _counter()
    latest, progress = counter.answer(task), counter.progress(task)
    if latest is not shown or (progress is None and (shown is None or _rested(shown))):
        st.rerun()
    if progress is None:
        assert shown is not None
        wait = span(max(REST * shown.seconds - shown.age, 1))
        small(f"These figures are {span(shown.age)} old. They are counted again in {wait}.")
        return
    before, seconds = progress
    old = f"These figures are {span(shown.age)} old. " if shown else ""
    doing = "Counting again" if shown else f"Counting {work.what}"
    expected = shown.seconds if shown else work.seconds
    left = f", about {span(expected - seconds)} left" if expected - seconds > 1 else ""
    done = min(seconds / max(expected, 1), 0.97)  # by the time it is expected to take
    so_far = f"about {done:.0%} done, {span(seconds)} so far{left}"
    st.progress(done, f"{old}{doing}: {'other counts come first' if before else so_far}.")
