"""Reports that pages have computed once, and again only when their data has changed.

They are counted beside the server (`counting.py`). A page waits a moment for what is quick. Until
there is more it shows the last figures and their time; it redraws itself when new ones are ready.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.labels import describe_duration
from core.records import FaultError
from core.store import Store
from pages.components.shared.counting import (
    DRAWN,
    QUICK,
    CountedAnswer,
    Counter,
    CountingTask,
    get_counter,
)
from pages.components.shared.drawing_turns import drawing_turns, wait_aside
from pages.components.shared.notice import fragment, show_caption

Answer = TypeVar("Answer")

PATIENCE = 2.0  # seconds that a page waits for figures before it is drawn without them
REST = 4  # a count rests as many times as long as it took, however many vote meanwhile
SHORTEST = 5.0  # seconds that a count is taken to have taken at least, where nobody asks anew
SOONEST, LATEST = 1.0, 10.0  # seconds between two looks of an open page at what is being counted
LOOKS = 4.0  # looks a second of all open pages together, about: each takes a vote's time
PART = 0.2  # of the time that is left: how soon an open page looks again
EXPECTED = 5.0  # seconds, as long as a report of a store has not been timed


def cached_report(
    doing: str = "Counting …", *, lane: str = QUICK
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a decorator that caches what a function computes; `doing` is shown meanwhile.

    The result takes a store, a frozen request and a stamp; the parts of a tuple are the function's
    arguments. The stamp changes whenever the data it reads do, and begins with the data set's
    identity (`Study.texts_stamp`). `otherwise` is shown until there is a result.
    """

    def keep(compute: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(compute)
        def report(store: Store, request: Any, stamp: str, otherwise: Any = None) -> Any:
            # what was counted of a store before it was restored is not of this one
            of = f"{store.campaigns.seal('store')}-{stamp.partition('-')[0]}"
            # The process that counts finds it by its name: that of the report where it decorates.
            named = getattr(sys.modules[compute.__module__], compute.__name__)
            path = store.path.absolute()
            task = CountingTask(named, path, request, f"{of}-{stamp}", of, lane)
            return _get_count(task, doing, otherwise)

        return report

    return keep


def start_counting() -> None:
    """Start the processes of every page, which takes seconds, before the first visitor comes."""
    for lane in (QUICK, DRAWN):
        get_counter(lane).start()


def _get_count(task: CountingTask, doing: str, otherwise: Any) -> Any:
    """Return the latest result. Request a new one if the store has changed and its rest is over."""
    drawing_turns().give_way()
    counter = get_counter(task.lane)
    latest = counter.answer(task)
    if latest is None or (_is_outdated(latest, task) and latest.age > REST * latest.seconds):
        counter.ask(task)
        if latest is None or (latest.seconds < PATIENCE and not st.session_state.get("watched")):
            with wait_aside(doing):
                latest = counter.wait(task, PATIENCE)
    if latest is None or latest.stamp != task.stamp:
        _watch(_WatchedReport(task, latest, doing))
    if latest is None and otherwise is None:
        st.stop()
    return otherwise if latest is None else latest.load()


def _is_outdated(latest: CountedAnswer, task: CountingTask) -> bool:
    """Check whether a new result is to be expected: the store has changed or could not be read."""
    return latest.stamp != task.stamp or isinstance(latest.error, FaultError)


def _rest(latest: CountedAnswer) -> float:
    return REST * max(latest.seconds, SHORTEST)


class _WatchedReport(NamedTuple):
    """A report of an open page, and the answer that it shows; None while it waits for one."""

    task: CountingTask
    shown: CountedAnswer | None
    doing: str

    @property
    def counter(self) -> Counter:
        return get_counter(self.task.lane)

    @property
    def is_new(self) -> bool:
        """True if there is another result than the page shows."""
        return self.counter.answer(self.task) is not self.shown

    @property
    def is_pending(self) -> bool:
        return self.counter.progress(self.task) is not None

    @property
    def is_due(self) -> bool:
        """True if it is to be counted again: its figures are old, and have rested."""
        shown = self.shown
        return (
            shown is not None
            and not self.is_new
            and not self.is_pending
            and shown.age > _rest(shown)
        )

    @property
    def expected_seconds(self) -> float:
        """Return the expected seconds, as it or a similar one took the last time."""
        if self.shown:
            return self.shown.seconds
        return self.counter.seconds(self.task) or EXPECTED

    @property
    def seconds_to_next_look(self) -> float:
        """Return the seconds until the next look: more if nothing is expected for long."""
        ahead = max(_rest(self.shown) - self.shown.age, 0.0) if self.shown else 0.0
        ahead = ahead or self.expected_seconds
        return min(max(ahead * PART, SOONEST, drawing_turns().count_pages() / LOOKS), LATEST)


def _watch(watched: _WatchedReport) -> None:
    """Look at times for what a page waits for, in one place for all of its reports."""
    drawing_turns().note_look(_name_session())
    reports: list[_WatchedReport] = st.session_state.setdefault("watched", [])
    reports.append(watched)
    if len(reports) == 1:
        fragment(_watch_reports, every=watched.seconds_to_next_look)(reports)


def _watch_reports(reports: Sequence[_WatchedReport]) -> None:
    """Show how far the counting is, and redraw the page in its turn once there is a new result.

    Reports that have rested long enough are counted again. No store is opened and nothing is
    computed here.
    """
    drawing_turns().note_look(_name_session())
    waits = any(one.shown is None for one in reports)
    for one in reports:
        if one.is_due:
            one.counter.ask(one.task)
    new = [one for one in reports if one.is_new or not (one.shown or one.is_pending)]
    if new and (waits or not any(one.is_pending and not one.is_new for one in reports)):
        if drawing_turns().claim_redraw(urgent=waits):
            st.rerun()
        st.progress(1.0, "Counting is done: the figures are about to appear.")
        return
    _show_progress(next((one for one in reports if one.is_pending), reports[0]))


def _name_session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _show_progress(watched: _WatchedReport) -> None:
    shown, progress = watched.shown, watched.counter.progress(watched.task)
    if progress is None:
        wait = describe_duration(max(_rest(shown) - shown.age, 1) if shown else 1)
        old = f"Figures as of {_write_time(shown)}. " if shown else ""
        show_caption(f"{old}They are counted again in {wait}.")
        return
    before, seconds = progress
    done, so_far = _progress(seconds, watched.expected_seconds)
    doing = (
        f"Figures as of {_write_time(shown)}. Counting again"
        if shown
        else watched.doing.rstrip(" …")
    )
    st.progress(done, f"{doing}: {'other counts come first' if before else so_far}.")


def _write_time(shown: CountedAnswer) -> str:
    """Write when figures were asked for, by the reader's clock."""
    east = timedelta(minutes=-(st.context.timezone_offset or 0))
    asked = datetime.now(timezone(east)) - timedelta(seconds=shown.age)
    return asked.strftime("%H:%M" if shown.age < 24 * 3600 else "%d %b, %H:%M")


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
