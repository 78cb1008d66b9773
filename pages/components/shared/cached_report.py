"""Reports that pages compute once, and again only when their data has changed.

Reports of a large store are computed in the background. Until then the page shows the last figures
and their age; it redraws itself when new ones are ready.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from functools import cache, wraps
from typing import Any, NamedTuple, Protocol, TypeVar

import streamlit as st

from core.labels import describe_duration
from core.records import FaultError, TandemError
from core.store import Store
from pages.components.shared.counting import (
    KEPT,
    CountedAnswer,
    Counter,
    CountingTask,
    split_request,
)
from pages.components.shared.drawing_turns import drawing_turns
from pages.components.shared.faults import fragment
from pages.components.shared.notice import show_caption

Request = TypeVar("Request", bound=Hashable, contravariant=True)
Answer = TypeVar("Answer", covariant=True)

AT_ONCE = 50_000  # judgements, scores and texts up to which a page counts itself
PATIENCE = 2.0  # seconds up to which a page counts what it knows the time of
REST = 4  # a count rests as many times as long as it took, however many vote meanwhile
SHORTEST = 5.0  # seconds that a count is taken to have taken at least, for its rest
SOONEST, LATEST = 1.0, 10.0  # seconds between two looks of an open page at what is being counted
PART = 0.2  # of the time that is left: how soon an open page looks again
PACE = 80_000  # judgements, scores and texts a second, as long as a report has not been timed


class CachedReport(Protocol[Request, Answer]):
    """Function that computes a report on a store for a frozen request, and keeps the result under a
    stamp. The stamp changes whenever the data it reads do, and begins with the data set's identity
    (`Study.texts_stamp`). If the request is a tuple, its parts are the function's arguments.
    `otherwise` is shown until there is a result.
    """

    def __call__(
        self, store: Store, request: Request, stamp: str, otherwise: Any = None
    ) -> Answer: ...


def cached_report(
    spinner: str | bool,
    takes: Callable[..., float] | None = None,
) -> Callable[[Callable[..., Answer]], CachedReport[Any, Answer]]:
    """Make a decorator that caches what a function computes.

    `spinner` is the sentence shown meanwhile. `takes` estimates the seconds for a request, if they
    do not depend on the volume of the store.
    """

    def keep(compute: Callable[..., Answer]) -> CachedReport[Any, Answer]:
        def answer(_store: Store, path: object, stamp: str, request: Any) -> Any:
            return compute(_store, *split_request(request))

        # Streamlit tells caches apart by these names: reports of one request must not share one.
        answer.__module__, answer.__qualname__ = compute.__module__, compute.__qualname__

        @cache
        def get_cache() -> Any:  # where a page is drawn: the process that counts keeps none
            return st.cache_data(answer, max_entries=KEPT, show_spinner=spinner)

        @wraps(compute)
        def report(store: Store, request: Any, stamp: str, otherwise: Any = None) -> Any:
            # what was counted of a store before it was restored is not of this one
            of = f"{store.campaigns.seal('store')}-{stamp.partition('-')[0]}"
            stamp = f"{of}-{stamp}"
            volume = store.datasets.volume()
            seconds = takes(store, *split_request(request)) if takes else 0.0
            if volume <= AT_ONCE and seconds <= PATIENCE:
                return get_cache()(store, store.path, stamp, request)
            # The process that counts finds it by its name: that of the report where it decorates.
            named = getattr(sys.modules[compute.__module__], compute.__name__)
            task = CountingTask(named, store.path.absolute(), request, stamp, of)
            work = _Work(
                f"{volume:,} judgements, scores and texts of the whole store", volume / PACE
            )
            if takes:
                work = _Work("what you chose", seconds)
            return _get_count(task, work, otherwise)

        return report  # type: ignore[return-value]

    return keep


class _Work(NamedTuple):
    """Description of a computation, and about how many seconds it takes."""

    description: str
    seconds: float


@st.cache_resource(show_spinner=False)
def _counter() -> Counter:
    return Counter()


def _get_count(task: CountingTask, work: _Work, otherwise: Any) -> Any:
    """Return the latest result. Request a new one if the store has changed and its rest is over."""
    counter = _counter()
    latest = counter.answer(task)
    if latest is None or (_is_outdated(latest, task) and _has_rested(latest)):
        counter.ask(task)
    if latest is None or latest.stamp != task.stamp:
        _watch(_WatchedReport(task, latest, work))
    if latest is None and otherwise is None:
        st.stop()
    if latest is None:
        return otherwise
    if isinstance(latest.answer, TandemError):
        raise latest.answer
    return latest.answer


def _is_outdated(latest: CountedAnswer, task: CountingTask) -> bool:
    """Check whether a new result is to be expected: the store has changed or could not be read."""
    return latest.stamp != task.stamp or isinstance(latest.answer, FaultError)


def _has_rested(latest: CountedAnswer) -> bool:
    return latest.age > _rest(latest)


def _rest(latest: CountedAnswer) -> float:
    """Return the seconds that figures rest after they were asked for."""
    return REST * max(latest.seconds, SHORTEST)


class _WatchedReport(NamedTuple):
    """A report of an open page, and the answer that it shows; None while it waits for one."""

    task: CountingTask
    shown: CountedAnswer | None
    work: _Work

    @property
    def latest(self) -> CountedAnswer | None:
        return _counter().answer(self.task)

    @property
    def is_new(self) -> bool:
        """True if there is another result than the page shows."""
        return self.latest is not self.shown

    @property
    def is_pending(self) -> bool:
        return _counter().progress(self.task) is not None

    @property
    def expected_seconds(self) -> float:
        """Return the expected seconds, as it or a similar one took the last time."""
        if self.shown:
            return self.shown.seconds
        return _counter().seconds(self.task) or self.work.seconds

    @property
    def seconds_to_next_look(self) -> float:
        """Return the seconds until the next look: more if nothing is expected for long."""
        ahead = max(_rest(self.shown) - self.shown.age, 0.0) if self.shown else 0.0
        ahead = ahead or self.expected_seconds
        return min(max(ahead * PART, SOONEST), LATEST)


def _watch(watched: _WatchedReport) -> None:
    """Look at times for what a page waits for, in one place for all of its reports."""
    reports: list[_WatchedReport] = st.session_state.setdefault("watched", [])
    reports.append(watched)
    if len(reports) == 1:
        fragment(_watch_reports, every=watched.seconds_to_next_look)(reports)


def _watch_reports(reports: Sequence[_WatchedReport]) -> None:
    """Show how far the counting is, and redraw the page in its turn once there is a new result.

    Reports that have rested long enough are counted again. No store is opened and nothing is
    computed here.
    """
    waits = any(one.shown is None for one in reports)
    for one in reports:
        if (
            one.shown is not None
            and not one.is_new
            and not one.is_pending
            and _has_rested(one.shown)
        ):
            _counter().ask(one.task)
    new = [one for one in reports if one.is_new or not (one.shown or one.is_pending)]
    if new and (waits or not any(one.is_pending and not one.is_new for one in reports)):
        if drawing_turns().claim_redraw(urgent=waits):
            st.rerun()
        st.progress(1.0, "Counting is done: the figures are about to appear.")
        return
    _show_progress(next((one for one in reports if one.is_pending), reports[0]))


def _show_progress(watched: _WatchedReport) -> None:
    shown, progress = watched.shown, _counter().progress(watched.task)
    old = f"These figures are {describe_duration(shown.age)} old. " if shown else ""
    if progress is None:
        wait = (
            describe_duration(max(_rest(shown) - shown.age, 1)) if shown else describe_duration(1)
        )
        show_caption(f"{old}They are counted again in {wait}.")
        return
    before, seconds = progress
    doing = "Counting again" if shown else f"Counting {watched.work.description}"
    done, so_far = _progress(seconds, watched.expected_seconds)
    st.progress(done, f"{old}{doing}: {'other counts come first' if before else so_far}.")


def _progress(seconds: float, expected: float) -> tuple[float, str]:
    """Estimate the share that is done after so many seconds, and say it in words.

    Each time the expected seconds are over, they are doubled: so the bar does not stay nearly full.
    """
    total, overdue = max(expected, 1.0), False
    while seconds >= total:
        total, overdue = 2 * total, True
    so_far = f"{describe_duration(seconds)} so far"
    if overdue:
        longer = f"longer than the {describe_duration(expected)} expected"
        return seconds / total, f"{so_far}, {longer}"
    left = f", about {describe_duration(total - seconds)} left" if total - seconds > 1 else ""
    return seconds / total, f"about {seconds / total:.0%} done, {so_far}{left}"
