"""Figures are counted in a process of their own: pages are painted at once, and draw themselves
anew when the figures are there.
"""

import os
import sqlite3
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.records import Answer, FaultError, Outcome, TandemError
from core.store import Store
from pages.components.shared import cached_report, counting
from pages.components.shared.counting import CountedAnswer, Counter, CountingTask
from pages.components.shared.drawing_turns import DrawingTurns
from tests.pages import reports
from tests.paths import ROOT
from tests.study import DATASET, campaign_asking, compare, fill, judge, wait_for


@pytest.fixture
def path(tmp_path):
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store)
    return tmp_path / "store.sqlite3"


@pytest.fixture(scope="module")
def running_counter():
    counter = Counter()
    yield counter
    if counter._process is not None:
        counter._process.kill()


@pytest.fixture
def counter(running_counter):
    """One that has counted nothing yet: its process, which takes long to start, may be there."""
    settle(running_counter)
    running_counter._answers.clear()
    running_counter._seconds.clear()
    return running_counter


def answered(counter: Counter, task: CountingTask) -> CountedAnswer:
    while (counted := counter.answer(task)) is None or counter.progress(task) is not None:
        time.sleep(0.02)
    return counted


def ask(counter: Counter, task: CountingTask) -> CountedAnswer:
    counter.ask(task)
    return answered(counter, task)


class TestCounter:
    def test_counts_in_one_process_of_its_own(self, counter, path):
        found = [
            ask(counter, CountingTask(reports.names, path, request)).load()
            for request in ("x", "y")
        ]
        assert [(names, request) for names, request, _ in found] == [
            ([DATASET], "x"),
            ([DATASET], "y"),
        ]
        [process] = {process for _, _, process in found}
        assert process != os.getpid()

    def test_of_several_servers_one_counts_at_a_time(self, path, tmp_path):
        servers = [Counter() for _ in range(3)]
        try:
            for counter in servers:
                counter.ask(CountingTask(reports.alone, path, tmp_path / "at it"))
            answers = [
                answered(c, CountingTask(reports.alone, path, tmp_path / "at it")) for c in servers
            ]
            assert [answer.load() for answer in answers] == ["counted"] * 3
        finally:
            for counter in servers:
                if counter._process is not None:
                    counter._process.kill()

    def test_a_store_that_takes_no_lock_is_counted(self, counter, path):
        Path(f"{path}.locks").rename(path.with_name("gone"))
        Path(f"{path}.locks").write_text("a file where the folder would be")
        assert ask(counter, CountingTask(reports.names, path, "x")).load()[0] == [DATASET]

    @pytest.mark.parametrize("kind", reports.REFUSALS)
    def test_what_a_report_refuses_is_its_answer(self, counter, path, kind):
        refused = ask(counter, CountingTask(reports.refused, path, kind))
        with pytest.raises(TandemError, match=f"^{kind}$") as error:
            refused.load()
        assert type(error.value) is reports.REFUSALS[kind]

    def test_a_mistake_costs_no_other_count(self, counter, path):
        with pytest.raises(TandemError, match="ZeroDivisionError"):
            ask(counter, CountingTask(reports.mistaken, path, "x")).load()
        assert ask(counter, CountingTask(reports.names, path, "x")).load()[0] == [DATASET]

    def test_a_page_may_change_its_answer(self, counter, path):
        counted = ask(counter, CountingTask(reports.names, path, "x"))
        counted.load()[0].append("of one page")
        assert counted.load()[0] == [DATASET]

    def test_a_process_that_took_much_memory_is_replaced(self, counter, path, tmp_path):
        """Also where the next task waits already."""
        end = tmp_path / "end"
        counter.ask(CountingTask(reports.hoard, path, end))
        other = CountingTask(reports.names, path, "x")
        before = counter._process.pid
        counter.ask(other)
        end.touch()
        assert answered(counter, other).load()[2] not in (before, os.getpid())
        assert counter.answer(CountingTask(reports.hoard, path, end)).load() == "counted"

    def test_a_killed_process_is_replaced_and_its_task_counted(self, counter, path, tmp_path):
        task = CountingTask(reports.killed_once, path, tmp_path / "was here")
        assert ask(counter, task).load() == "counted"

    def test_what_kills_each_process_is_given_up_and_the_others_go_on(self, counter, path):
        task, other = (
            CountingTask(report, path, "x") for report in (reports.killed, reports.names)
        )
        counter.ask(task)
        counter.ask(other)
        assert answered(counter, other).load()[0] == [DATASET]
        assert str(answered(counter, task).error) == counting.STOPPED

    def test_a_process_ends_with_its_server_in_the_middle_of_a_count(self, counter, path, tmp_path):
        began = tmp_path / "began"
        counter.ask(CountingTask(reports.endless, path, began))
        process = counter._process
        wait_for(began.exists)
        counter._now = None  # as with the server gone: nobody starts it again
        process.stdin.close()
        assert process.wait(30) == 0
        wait_for(lambda: counter._process is None)  # which the next test may start again

    def test_what_stood_in_the_way_is_no_answer_to_keep(self, counter, path):
        task = CountingTask(reports.names, path, "x", "stamp")
        full, whole = (
            CountedAnswer(b"", error, "stamp", 0.0, 0.0)
            for error in (FaultError("the disk is full"), None)
        )
        assert cached_report._is_outdated(full, task)
        assert not cached_report._is_outdated(whole, task)

    def test_a_store_that_is_gone_is_said(self, counter, tmp_path):
        gone = tmp_path / "none.sqlite3"
        assert str(gone) in str(ask(counter, CountingTask(reports.names, gone, "x")).error)

    def test_keeps_the_latest_answers_only(self, counter, path, monkeypatch):
        monkeypatch.setattr(counting, "KEPT", 2)
        tasks = [CountingTask(reports.names, path, request) for request in "abc"]
        for task in tasks:
            ask(counter, task)
        assert [counter.answer(task) is None for task in tasks] == [True, False, False]
        monkeypatch.setattr(counting, "KEPT_BYTES", 1)
        ask(counter, tasks[0])
        assert [counter.answer(task) is None for task in tasks] == [False, True, True]

    def test_of_the_same_in_a_row_the_latest_is_counted(self, counter, path, tmp_path):
        end = tmp_path / "end"
        counter.ask(CountingTask(reports.wait_for_file, path, end))
        for stamp in ("1", "2"):
            counter.ask(CountingTask(reports.names, path, "y", stamp))
        end.touch()
        later = CountingTask(reports.names, path, "y")
        assert answered(counter, later).stamp == "2"

    def test_how_long_a_report_takes_is_known_from_its_last_count(self, counter, path):
        task, other = (CountingTask(reports.names, path, request) for request in "xy")
        assert counter.seconds(task) is None
        counted = ask(counter, task)
        assert counter.seconds(other) == counted.seconds
        assert counter.seconds(CountingTask(reports.mistaken, path, "x")) is None


class RerunError(Exception):
    """Instead of Streamlit's: the page would be drawn anew."""


class TestOpenPage:
    """What an open page does by itself, every few seconds."""

    @pytest.fixture(autouse=True)
    def without_a_browser(self, counter, monkeypatch):
        def draw_anew() -> None:
            raise RerunError

        self.turns, self.said = DrawingTurns(lambda: 0.0), []
        monkeypatch.setattr(cached_report, "REST", 4)
        monkeypatch.setattr(cached_report, "_counter", lambda lane: counter)
        monkeypatch.setattr(cached_report, "drawing_turns", lambda: self.turns)
        monkeypatch.setattr(cached_report.st, "rerun", draw_anew)
        monkeypatch.setattr(cached_report.st, "progress", lambda part, text: self.said.append(text))
        monkeypatch.setattr(cached_report, "show_caption", self.said.append)

    def watched(self, path: Path, shown: CountedAnswer | None, request: str = "x"):
        task = CountingTask(reports.names, path, request)
        return cached_report._WatchedReport(task, shown, "Counting …")

    def test_a_look_opens_no_store_and_computes_nothing(self, counter, path, monkeypatch):
        waiting = self.watched(path, None)
        another = counting._Turn(CountingTask(reports.names, path, "another"), 0.0)
        monkeypatch.setattr(counter, "_now", another)
        turn = counting._Turn(waiting.task, 0.0)
        monkeypatch.setitem(counter._waiting, waiting.task.key, turn)

        def refuse(*arguments: object, **words: object) -> None:
            raise AssertionError("a look does no work")

        for owner, name in ((Store, "__init__"), (sqlite3, "connect"), (counting, "_send")):
            monkeypatch.setattr(owner, name, refuse)
        monkeypatch.setattr(CountingTask, "compute", refuse)
        for _ in range(3):
            cached_report._watch_reports([waiting])
        assert len(self.said) == 3
        assert all("come first" in text for text in self.said)

    def test_of_many_that_wait_for_an_answer_one_is_drawn_at_a_time(self, counter, path):
        answer = ask(counter, CountingTask(reports.names, path, "x"))
        assert answer.load()[0] == [DATASET]
        with pytest.raises(RerunError):
            cached_report._watch_reports([self.watched(path, None)])
        for _ in range(19):
            cached_report._watch_reports([self.watched(path, None)])
        assert len(self.said) == 19

    def test_figures_that_have_rested_are_counted_again_and_the_page_is_not_drawn(
        self, counter, path, monkeypatch
    ):
        shown = ask(counter, CountingTask(reports.names, path, "x"))
        cached_report._watch_reports([self.watched(path, shown)])
        assert counter.progress(CountingTask(reports.names, path, "x")) is None  # they still rest
        monkeypatch.setattr(cached_report, "REST", 0)
        sent, send = [], counting._send
        monkeypatch.setattr(counting, "_send", lambda *both: sent.append(both))
        for _ in range(20):  # readers
            cached_report._watch_reports([self.watched(path, shown)])
        assert len(sent) == 1
        send(*sent[0])
        settle(counter)
        with pytest.raises(RerunError):
            cached_report._watch_reports([self.watched(path, shown)])

    def test_a_page_with_figures_waits_until_all_of_its_reports_are_counted(self, counter, path):
        """So it is drawn anew once, not once for each."""
        old = ask(counter, CountingTask(reports.names, path, "x"))
        new = ask(counter, CountingTask(reports.names, path, "x"))
        other = ask(counter, CountingTask(reports.names, path, "y"))
        assert new is not old
        page = [self.watched(path, old), self.watched(path, other, "y")]
        counter._waiting[page[1].task.key] = counting._Turn(page[1].task, 0.0)
        cached_report._watch_reports(page)
        del counter._waiting[page[1].task.key]
        with pytest.raises(RerunError):
            cached_report._watch_reports(page)


@pytest.mark.parametrize(
    ("seconds", "expected", "done"), [(2, 8, 0.25), (7.9, 8, 0.9875), (12, 8, 0.75), (120, 1, 0.94)]
)
def test_a_count_that_takes_longer_than_expected_is_not_nearly_done(seconds, expected, done):
    """Of 120 seconds where one was expected, the bar said 97% for 119."""
    part, said = cached_report._progress(seconds, expected)
    assert part == pytest.approx(done, abs=0.003)
    assert ("%" in said) == (seconds < expected)
    assert ("longer than" in said) == (seconds > expected)


def vote(path: Path, outcome: Outcome) -> None:
    with Store(path) as store:
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
def app(path, counter, monkeypatch):
    """The Bias page, which waits for nothing."""
    vote(path, Outcome.A)
    vote(path, Outcome.TIE)
    monkeypatch.setattr(cached_report, "PATIENCE", 0)
    monkeypatch.setattr(cached_report, "_counter", lambda lane: counter)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    return AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page("pages/bias.py")


def settle(counter: Counter) -> None:
    while counter._now is not None or counter._waiting:
        time.sleep(0.02)


def test_a_page_is_painted_at_once_and_shows_old_figures_while_it_counts(app, counter, path):
    """Three looks: before the figures are there, when they are, and after another vote."""
    app.run()
    assert not app.exception
    [bar] = counting_now(app)
    task = counter._now.task
    assert bar.startswith("Measuring bias")
    assert figures(app) == []
    settle(counter)
    app.run()
    assert counting_now(app) == []
    before = figures(app)
    assert before
    vote(path, Outcome.B)
    app.run()
    assert figures(app) == before
    [bar] = counting_now(app)
    at = datetime.now(UTC) - timedelta(seconds=counter.answer(task).age)
    assert f"as of {at:%H:%M}" in bar
    settle(counter)
    app.run()
    assert counting_now(app) == []
    assert figures(app) not in ([], before)


def test_readers_of_one_finding_have_it_counted_once(app, counter, path, monkeypatch):
    sent, send = [], counting._send
    monkeypatch.setattr(counting, "_send", lambda *both: sent.append(both[1].key) or send(*both))
    readers = [app, *(AppTest.from_file(ROOT / "app.py", default_timeout=60) for _ in range(4))]
    for reader in readers:
        reader.switch_page("pages/bias.py").run()
    settle(counter)
    for reader in readers:
        reader.run()
        settle(counter)
    assert len(sent) == len(set(sent)) > 0
    [shown] = {tuple(figures(reader)) for reader in readers}
    assert shown


def test_a_reader_whose_count_failed_is_told_why(app, counter):
    app.run()
    task = counter._now.task
    settle(counter)
    said, stamp = TandemError("1 of 2 processes was stopped"), counter.answer(task).stamp
    counter._answers[task.key] = CountedAnswer(b"", said, stamp, 0.0, 0.0)
    app.run()
    assert not app.exception
    assert any(str(said) in block.proto.body for block in app.get("html"))


def test_figures_rest_however_many_vote(app, counter, path, monkeypatch):
    """A count that took an hour is not begun again at once; a page says when it will be."""
    monkeypatch.setattr(cached_report, "REST", 4)
    app.run()
    assert counter._now is not None
    task = counter._now.task
    counted = answered(counter, task)
    counter._answers[task.key] = replace(counted, seconds=3600)
    vote(path, Outcome.B)
    app.run()
    assert not app.exception
    assert counter.progress(task) is None
    assert any("again in 4" in block.proto.body for block in app.get("html"))


def test_a_reader_is_shown_new_figures_for_votes_in_the_same_data_set_alone(
    path, counter, monkeypatch
):
    """What a person's visits of the leaderboard have counted: at first, when nothing happened,
    after a vote elsewhere, and after a vote here.
    """
    with Store(path) as store:
        fill(store, dataset="another", systems=("delta", "epsilon"))
        who, attribute = judge(store), store.datasets.attribute_id("another", "coherence")
        there = [
            row
            for (row,) in store.connection.rows(
                """SELECT g.id FROM generations g JOIN items i ON i.id = g.item
            WHERE i.dataset = 'another' AND i.key = 'i0' LIMIT 2"""
            )
        ]
        store.judgements.add_comparisons(attribute, [there])
        elsewhere = store.judgements.comparison_id(attribute, *there)
    vote(path, Outcome.A)
    monkeypatch.setattr(cached_report, "_counter", lambda lane: counter)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    sent, send = [], counting._send
    monkeypatch.setattr(counting, "_send", lambda *both: sent.append(both[1]) or send(*both))

    def read() -> tuple[list[str], int]:
        sent.clear()
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        app.query_params["dataset"] = DATASET
        app.switch_page("pages/leaderboard.py").run()
        assert not app.exception
        assert counting_now(app) == []
        return figures(app), len(sent)

    first, number = read()
    assert number
    assert read() == (first, 0)
    with Store(path) as store:
        store.judgements.add_vote(None, elsewhere, who, Answer(Outcome.B))
    assert read() == (first, 0)
    vote(path, Outcome.B)
    new, again = read()
    assert (new != first, again) == (True, number)
