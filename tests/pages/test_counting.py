"""Figures are counted in a process of their own: pages are painted at once and redraw."""

from __future__ import annotations

import os
import pickle
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.models import Options
from core.pairing import Request
from core.records import Answer, FaultError, Outcome, TandemError
from core.rendering.charts import Caption, CaptionedChart, EstimateColumns, dots
from core.store import Store
from pages.components.judge.trial import try_judge
from pages.components.shared import cached_report, counting
from pages.components.shared.counting import (
    QUICK,
    CountedAnswer,
    Counter,
    CountingTask,
    LoneTask,
    count_alone,
)
from pages.components.shared.drawing_turns import DrawingTurns
from pages.components.shared.picture import DrawingTask
from tests.pages import reports
from tests.pages.drawn import draw, run, words
from tests.paths import ROOT
from tests.study import DATASET, campaign_asking, compare, fill, judge, wait_for
from tests.votes import Vote, add_votes


def beside(name: str = "store.sqlite3") -> Path:
    """A file beside the test's store, or the store itself."""
    return Path(os.environ["TANDEM_STORE"]).with_name(name)


@contextmanager
def counters(number: int) -> Iterator[list[Counter]]:
    running = [Counter(QUICK) for _ in range(number)]
    yield running
    for counter in running:
        if counter._process is not None:
            counter._process.kill()


@pytest.fixture(scope="module")
def running_counter() -> Iterator[Counter]:
    with counters(1) as [counter]:
        yield counter


@pytest.fixture
def counter(study: Store, running_counter: Counter) -> Counter:
    """One that has counted nothing yet: its process, which takes long to start, may be there."""
    settle(running_counter)
    running_counter._answers.clear()
    running_counter._seconds.clear()
    return running_counter


def settle(counter: Counter) -> None:
    while counter._now is not None or counter._waiting:
        time.sleep(0.02)


def task_of(report: Any, request: object, stamp: str = "") -> CountingTask:
    return CountingTask(report, beside(), request, stamp)


def name(request: str = "x", stamp: str = "") -> CountingTask:
    """To say which data sets a store has."""
    return task_of(reports.names, request, stamp)


def answered(counter: Counter, task: CountingTask) -> CountedAnswer:
    while (counted := counter.answer(task)) is None or counter.progress(task) is not None:
        time.sleep(0.02)
    return counted


def ask(counter: Counter, task: CountingTask) -> CountedAnswer:
    counter.ask(task)
    return answered(counter, task)


def test_counts_in_its_own_process_and_a_page_may_change_its_answer(counter: Counter) -> None:
    counted = [ask(counter, name(request)) for request in "xy"]
    found = [one.load() for one in counted]
    assert [(names, request) for names, request, _ in found] == [([DATASET], "x"), ([DATASET], "y")]
    [process] = {process for _, _, process in found}
    assert process != os.getpid()
    found[0][0].append("of one page")
    assert counted[0].load()[0] == [DATASET]


def test_of_several_servers_one_counts_at_a_time(study: Store) -> None:
    task = task_of(reports.alone, beside("at it"))
    with counters(3) as servers:
        for counter in servers:
            counter.ask(task)
        assert [answered(counter, task).load() for counter in servers] == ["counted"] * 3


def test_a_store_without_locks_is_counted_and_one_that_is_gone_is_said(counter: Counter) -> None:
    locks = beside("store.sqlite3.locks")
    locks.rename(beside("gone"))
    locks.write_text("a file where the folder would be")
    assert ask(counter, name()).load()[0] == [DATASET]
    gone = beside("none.sqlite3")
    assert str(gone) in str(ask(counter, CountingTask(reports.names, gone, "x", "")).error)


def test_a_refusal_is_an_answer_and_a_mistake_costs_no_other_count(counter: Counter) -> None:
    for kind, refusal in reports.REFUSALS.items():
        with pytest.raises(TandemError, match=f"^{kind}$") as error:
            ask(counter, task_of(reports.refused, kind)).load()
        assert type(error.value) is refusal
    with pytest.raises(TandemError, match="ZeroDivisionError"):
        ask(counter, task_of(reports.mistaken, "x")).load()
    assert ask(counter, name()).load()[0] == [DATASET]


def test_a_process_that_took_much_memory_is_replaced(counter: Counter) -> None:
    """Also where the next task waits already."""
    ending, other = beside("end"), name()
    hoard = task_of(reports.hoard, ending)
    counter.ask(hoard)
    before = counter._process.pid
    counter.ask(other)
    ending.touch()
    assert answered(counter, other).load()[2] not in (before, os.getpid())
    assert counter.answer(hoard).load() == "counted"


def test_a_killed_process_is_replaced_and_what_kills_each_is_given_up(counter: Counter) -> None:
    once = task_of(reports.killed_once, beside("was here"))
    assert ask(counter, once).load() == "counted"
    task, other = task_of(reports.killed, "x"), name()
    counter.ask(task)
    counter.ask(other)
    assert answered(counter, other).load()[0] == [DATASET]
    assert str(answered(counter, task).error) == counting.STOPPED


def test_a_process_ends_with_its_server_in_the_middle_of_a_count(counter: Counter) -> None:
    began = beside("began")
    counter.ask(task_of(reports.endless, began))
    process = counter._process
    wait_for(began.exists)
    counter._now = None  # as with the server gone: nobody starts it again
    process.stdin.close()
    assert process.wait(30) == 0
    wait_for(lambda: counter._process is None)  # which the next test may start again


def test_what_stood_in_the_way_is_no_answer_to_keep() -> None:
    task = name(stamp="stamp")
    for error in (FaultError("the disk is full"), None):
        counted = CountedAnswer(b"", error, "stamp", 0.0, 0.0)
        assert cached_report._is_outdated(counted, task) == (error is not None)


def test_a_chart_is_drawn_beside_the_server_as_it_is_here(counter: Counter) -> None:
    rows = pd.DataFrame(
        {"label": ["b", "a"], "kind": "llm", "share": [0.75, 0.25], "low": 0.2, "high": 0.9, "n": 4}
    )
    draw = partial(dots, rows, "share", EstimateColumns("share", "low", "high", "n"))
    drawing = CaptionedChart(draw, Caption("Shares", "4 judgements"))
    task = DrawingTask(pickle.dumps((drawing, "dark")))
    counter.ask(task)
    specification = counter.wait(task, 60).load()
    assert specification == task.compute()
    assert specification["description"].startswith("Shares. 4 judgements.")


def test_keeps_the_latest_answers_only(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "KEPT", 2)
    tasks = [name(request) for request in "abc"]
    for task in tasks:
        ask(counter, task)
    assert [counter.answer(task) is None for task in tasks] == [True, False, False]
    monkeypatch.setattr(counting, "KEPT_BYTES", 1)
    ask(counter, tasks[0])
    assert [counter.answer(task) is None for task in tasks] == [False, True, True]


def test_of_the_same_in_a_row_the_latest_is_counted(counter: Counter) -> None:
    ending = beside("end")
    counter.ask(task_of(reports.wait_for_file, ending))
    for stamp in ("1", "2"):
        counter.ask(name("y", stamp))
    ending.touch()
    assert answered(counter, name("y")).stamp == "2"


def test_how_long_a_report_takes_is_known_from_its_last_count(counter: Counter) -> None:
    task, other = name("x"), name("y")
    assert counter.seconds(task) is None
    counted = ask(counter, task)
    assert counter.seconds(other) == counted.seconds
    assert counter.seconds(task_of(reports.mistaken, "x")) is None


class RerunError(Exception):
    """Instead of Streamlit's: the page would be drawn anew."""


class TestOpenPage:
    """What an open page does by itself, every few seconds."""

    @pytest.fixture(autouse=True)
    def without_a_browser(self, counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
        def draw_anew() -> None:
            raise RerunError

        self.turns, self.said = DrawingTurns(lambda: 0.0), []
        monkeypatch.setattr(cached_report, "REST", 4)
        monkeypatch.setattr(cached_report, "get_counter", lambda lane: counter)
        monkeypatch.setattr(cached_report, "drawing_turns", lambda: self.turns)
        monkeypatch.setattr(cached_report.st, "rerun", draw_anew)
        monkeypatch.setattr(cached_report.st, "progress", lambda part, text: self.said.append(text))
        monkeypatch.setattr(cached_report, "show_caption", self.said.append)

    def watched(self, shown: CountedAnswer | None, request: str = "x") -> Any:
        return cached_report._WatchedReport(name(request), shown, "Counting …")

    def test_a_look_opens_no_store_and_computes_nothing(
        self, counter: Counter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waiting = self.watched(None)
        monkeypatch.setattr(counter, "_now", counting._Turn(name("another"), 0.0))
        turn = counting._Turn(waiting.task, 0.0)
        monkeypatch.setitem(counter._waiting, waiting.task.key, turn)

        def refuse(*arguments: object, **words: object) -> None:
            raise AssertionError("a look does no work")

        for owner, part in ((Store, "__init__"), (sqlite3, "connect"), (counting, "_send")):
            monkeypatch.setattr(owner, part, refuse)
        monkeypatch.setattr(CountingTask, "compute", refuse)
        for _ in range(3):
            cached_report._watch_reports([waiting])
        assert len(self.said) == 3
        assert all("come first" in text for text in self.said)

    def test_of_many_that_wait_for_an_answer_one_is_drawn_at_a_time(self, counter: Counter) -> None:
        assert ask(counter, name()).load()[0] == [DATASET]
        with pytest.raises(RerunError):
            cached_report._watch_reports([self.watched(None)])
        for _ in range(19):
            cached_report._watch_reports([self.watched(None)])
        assert len(self.said) == 19

    def test_figures_that_have_rested_are_counted_again_and_the_page_is_not_drawn(
        self, counter: Counter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shown = ask(counter, name())
        cached_report._watch_reports([self.watched(shown)])
        assert counter.progress(name()) is None  # they still rest
        monkeypatch.setattr(cached_report, "REST", 0)
        sent, send = list[Any](), counting._send
        monkeypatch.setattr(counting, "_send", lambda *both: sent.append(both))
        for _ in range(20):  # readers
            cached_report._watch_reports([self.watched(shown)])
        assert len(sent) == 1
        send(*sent[0])
        settle(counter)
        with pytest.raises(RerunError):
            cached_report._watch_reports([self.watched(shown)])

    def test_a_page_with_figures_waits_for_all_of_its_reports(self, counter: Counter) -> None:
        """So it is drawn anew once, not once for each."""
        old, new = ask(counter, name()), ask(counter, name())
        other = ask(counter, name("y"))
        assert new is not old
        page = [self.watched(old), self.watched(other, "y")]
        counter._waiting[page[1].task.key] = counting._Turn(page[1].task, 0.0)
        cached_report._watch_reports(page)
        del counter._waiting[page[1].task.key]
        with pytest.raises(RerunError):
            cached_report._watch_reports(page)


def test_a_count_that_takes_longer_than_expected_is_not_nearly_done() -> None:
    """Of 120 seconds where one was expected, the bar said 97% for 119."""
    for seconds, expected, done in ((2, 8, 0.25), (7.9, 8, 0.9875), (12, 8, 0.75), (120, 1, 0.94)):
        part, said = cached_report._progress(seconds, expected)
        assert part == pytest.approx(done, abs=0.003)
        assert ("%" in said) == (seconds < expected)
        assert ("longer than" in said) == (seconds > expected)


def vote(outcome: Outcome) -> None:
    with Store(beside()) as store:
        who = judge(store, f"person {store.datasets.volume()}")
        campaign = campaign_asking(store)
        comparison = compare(store, "i0", "alpha", "beta")
        store.judgements.add_vote(campaign, comparison, who, Answer(outcome))


def figures(app: AppTest) -> list[str]:
    """Sentences and tables."""
    bodies = [block.proto.body for block in app.get("html")]
    return [body for body in bodies if '<p class="tandem-lead"' in body or "<table" in body]


def counting_now(app: AppTest) -> list[str]:
    return [bar.proto.text for bar in app.get("progress")]


@pytest.fixture
def shared(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pages have sent to the counter that they share, by its key."""
    sent, send = list[str](), counting._send
    monkeypatch.setattr(cached_report, "get_counter", lambda lane: counter)
    monkeypatch.setattr(counting, "_send", lambda *both: sent.append(both[1].key) or send(*both))
    return sent


@pytest.fixture
def app(shared: list[str], monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The section Bias, which waits for nothing."""
    vote(Outcome.A)
    vote(Outcome.TIE)
    monkeypatch.setattr(cached_report, "PATIENCE", 0)
    return open_bias()


def open_bias() -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page("pages/judges.py")
    app.query_params["section"] = "bias"
    return app


def test_a_page_is_painted_at_once_and_shows_old_figures_while_it_counts(
    app: AppTest, counter: Counter
) -> None:
    """Three looks: before the figures are there, when they are, and after another vote."""
    app.run()
    assert not app.exception
    [bar] = counting_now(app)
    task = counter._now.task
    assert bar.startswith("Computing")
    assert figures(app) == []
    settle(counter)
    app.run()
    assert counting_now(app) == []
    before = figures(app)
    assert before
    vote(Outcome.B)
    app.run()
    assert figures(app) == before
    [bar] = counting_now(app)
    at = datetime.now(UTC) - timedelta(seconds=counter.answer(task).age)
    near = (at + timedelta(seconds=seconds) for seconds in (-2, 2))  # a minute may end just then
    assert any(f"as of {moment:%H:%M}" in bar for moment in near)
    settle(counter)
    app.run()
    assert counting_now(app) == []
    assert figures(app) not in ([], before)


def test_readers_of_one_finding_have_it_counted_once(
    app: AppTest, counter: Counter, shared: list[str]
) -> None:
    readers = [app, *(open_bias() for _ in range(4))]
    for reader in readers:
        reader.run()
    settle(counter)
    for reader in readers:
        reader.run()
        settle(counter)
    assert len(shared) == len(set(shared)) > 0
    [shown] = {tuple(figures(reader)) for reader in readers}
    assert shown


def test_a_reader_whose_count_failed_is_told_why(app: AppTest, counter: Counter) -> None:
    app.run()
    task = counter._now.task
    settle(counter)
    said, stamp = TandemError("1 of 2 processes was stopped"), counter.answer(task).stamp
    counter._answers[task.key] = CountedAnswer(b"", said, stamp, 0.0, 0.0)
    assert str(said) in words(run(app))


def test_figures_rest_however_many_vote(
    app: AppTest, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count that took an hour is not begun again at once; a page says when it will be."""
    monkeypatch.setattr(cached_report, "REST", 4)
    app.run()
    assert counter._now is not None
    task = counter._now.task
    counter._answers[task.key] = replace(answered(counter, task), seconds=3600)
    vote(Outcome.B)
    run(app)
    assert counter.progress(task) is None
    assert "again in 4" in words(app)


def test_a_reader_is_shown_new_figures_for_votes_in_the_same_data_set_alone(
    study: Store, shared: list[str]
) -> None:
    """What a person's visits of the leaderboard have counted: at first, when nothing happened,
    after a vote elsewhere, and after a vote here.
    """
    fill(study, dataset="another", systems=("delta", "epsilon"))
    judge(study)
    elsewhere = Vote("i0", "delta", "epsilon", "Ada", Answer(Outcome.B), attribute="coherence")
    vote(Outcome.A)

    def read() -> tuple[list[str], int]:
        shared.clear()
        app = draw("leaderboard", dataset=DATASET)
        assert counting_now(app) == []
        return figures(app), len(shared)

    first, number = read()
    assert number
    assert read() == (first, 0)
    assert add_votes(study, "another", [elsewhere]) == (1, 1)
    assert read() == (first, 0)
    vote(Outcome.B)
    new, again = read()
    assert (new != first, again) == (True, number)


def test_a_judge_is_tried_in_a_process_that_ends_with_it(study: Store) -> None:
    def attempt(judge: str) -> dict[str, Any]:
        return count_alone(LoneTask(try_judge, study.path, (Request(DATASET), judge, Options())))

    assert len(attempt("baseline:longer")["answers"]) == 5
    assert study.judgement_frames.load_all(DATASET).empty
    with pytest.raises(TandemError, match="nobody"):
        attempt("baseline:nobody")
