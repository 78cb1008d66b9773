"""The worker: a process of its own, what it executes, and what side by side."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.judging import add_server
from core.judging.registry import make
from core.models.respondent import Options
from core.models.served import rate_limits
from core.models.served.rate_limits import Limits
from core.pairing.planning import Request, enqueue
from core.records import FaultError, JudgeSpec, Kind, Status
from core.runs import worker
from core.runs.compare import Comparing
from core.runs.execution import ExecutionResult, cancel, claim, load_progress
from core.runs.worker import ensure, run_worker
from core.store import Store
from tests.asking import LONGER, status
from tests.clock import jumping
from tests.disk import Disk
from tests.faults.machine import AS_SOMEBODY
from tests.paths import ROOT
from tests.processes import Command
from tests.server import Server
from tests.study import DATASET, asked, fill, filled, wait_for

STOPPED = "tandem: stopped; what was finished is kept, and the same command continues"


class TestWorker:
    def test_once_does_all_that_is_queued(
        self, study: Store, capsys: pytest.CaptureFixture[str]
    ) -> None:
        specs = [make(f"baseline:{name}").spec for name in ("longer", "random")]
        specs.append(JudgeSpec("gone", Kind.LLM, "baseline:gone"))
        specs += [make("baseline:random", Options(seed=seed)).spec for seed in (1, 2)]
        runs = [enqueue(study, spec, Request(DATASET)) for spec in specs]
        study.runs.set_status(runs[0], Status.RUNNING)  # as a dead process leaves it
        cancel(study, runs[3])
        run_worker(study.path, once=True)
        statuses = [status(study, run)[0] for run in runs]
        assert statuses == ["done", "done", "failed", "cancelled", "done"]
        assert "unknown judge 'baseline:gone'" in status(study, runs[2])[1]
        assert f"run {runs[2]}: unknown judge" in capsys.readouterr().err
        assert len(study.judgement_frames.load_all(DATASET)) == 3 * 18

    def test_one_that_stays_takes_over_and_never_ends(
        self, study: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, slept = ExitStack(), list[float]()

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 1:  # another worker is at it, and ends
                assert load_progress(study, run).done == 0
                first.close()
            elif len(slept) == 5:  # of which it has waited for work far longer than others do
                raise KeyboardInterrupt

        first.enter_context(claim(study.path, "worker"))
        run = enqueue(study, LONGER.spec, Request(DATASET))
        hours = SimpleNamespace(sleep=sleep, monotonic=lambda: 3600.0 * len(slept))
        monkeypatch.setattr(worker, "time", hours)
        with pytest.raises(KeyboardInterrupt):
            worker.run_forever(study.path)
        assert status(study, run) == ["done", ""]
        assert slept.count(worker.TAKE_OVER) == 1  # it has not let go since

    def test_one_that_stays_begins_the_store(self, tmp_path: Path) -> None:
        process = Command("--store", str(tmp_path / "new.sqlite3"), "worker", "--stay", apart=True)
        wait_for(lambda: (tmp_path / "new.sqlite3.locks" / "worker").exists())
        os.kill(process.pid, signal.SIGTERM)
        assert process.communicate()[1].strip() == STOPPED
        with Store(tmp_path / "new.sqlite3", create=False) as store:
            assert store.datasets.names() == []

    def test_is_started_once_whoever_asks_and_does_what_comes_later(self, study: Store) -> None:
        run = enqueue(study, LONGER.spec, Request(DATASET))
        pids = set()
        try:
            for _ in range(5):
                ensure(study.path)  # as each page does, also while the worker is still loading
                pids |= workers(study.path)
            wait_for(lambda: status(study, run)[0] == "done")
            later = enqueue(study, make("baseline:random").spec, Request(DATASET))
            ensure(study.path)
            pids |= workers(study.path)
            wait_for(lambda: status(study, later)[0] == "done")
            assert len(pids) == 1
            [pid] = pids
            run_worker(study.path)  # a second one ends at once
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            ensure(study.path)  # the dead one holds nothing
            pids |= workers(study.path)
            assert len(pids) == 2
        finally:
            for pid in pids | workers(study.path):
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)


def workers(path):
    """The processes that work for this store."""
    shown = subprocess.run(["ps", "-ewwo", "pid,stat,args"], capture_output=True, text=True).stdout
    lines = [line.split(None, 2) for line in shown.splitlines()[1:]]
    return {
        int(pid)
        for pid, state, args in lines
        if args.endswith(f"--store {path} worker") and not state.startswith("Z")
    }


class TestTerminated:
    """SIGTERM, as of a machine that shuts down: each ends as by Ctrl-C, and what waits for nobody
    goes on by itself.
    """

    @pytest.fixture
    def slow(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        with Server(delay=0.2) as server:
            yield server

    def ended(self, process):
        os.kill(process.pid, signal.SIGTERM)
        said, errors = process.communicate()
        return process.returncode, said, errors.splitlines()[-1]

    def test_a_worker_keeps_what_it_has_and_the_next_one_goes_on(self, store: Store, slow) -> None:
        fill(store, items=40)
        judge = make("openai:fake", Options(base_url=slow.url, mode="classifier"))
        run = enqueue(store, judge.spec, Request(DATASET), {"concurrency": 4})
        add_server(store, "test", "slow", slow.url)
        slow.forget()
        process = Command("--store", str(store.path), "worker", apart=True)
        wait_for(lambda: asked(store.path)[0] > 0)
        assert status(store, run) == ["running", ""]
        assert self.ended(process) == (1, "", STOPPED)
        assert status(store, run) == ["queued", ""]
        answered = store.run_counts.counts(run)["asked"]
        assert 0 < answered < 240
        assert answered == len(slow.seen) - 1  # all it asked; first, whether it answers
        slow.delay = 0
        run_worker(store.path, once=True)
        assert status(store, run) == ["done", ""]
        assert store.run_counts.counts(run)["asked"] == 240
        assert store.run_counts.failures(run) == {}
        assert len(slow.seen) == 240 + 2  # nothing twice

    def test_the_worker_that_a_page_starts_says_so_in_its_log(self, study: Store) -> None:
        ensure(study.path)
        log = study.path.with_name(f"{study.path.name}.worker.log")
        run = enqueue(study, LONGER.spec, Request(DATASET))
        wait_for(lambda: status(study, run)[0] == "done")
        [pid] = workers(study.path)
        ours, its = (os.getpriority(os.PRIO_PROCESS, process) for process in (0, pid))
        assert its == min(ours + worker.NICE, 19)  # those who vote come first
        os.kill(pid, signal.SIGTERM)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
        assert log.read_text().splitlines() == [STOPPED]

    def test_writing_texts_ends_like_judging(self, tmp_path: Path, slow) -> None:
        path = filled(tmp_path, items=60)
        words = ("generate", "--system", "new", "--model", "openai:fake", "--base-url", slow.url)
        process = Command("--store", str(path), *words, "--instruction", "Write.", apart=True)
        wait_for(lambda: len(slow.seen) > 60)
        assert self.ended(process) == (1, "", STOPPED)
        with Store(path) as store:
            assert status(store, 1) == ["cancelled", ""]
            assert 0 < load_progress(store, 1).done < 300


def test_runs_side_by_side_share_what_the_server_allows(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four runs with 76 requests in all, each allowed 20 a second: by their clock they come in 3.75
    seconds, not in one.
    """
    clock = jumping()
    monkeypatch.setattr(rate_limits, "_limits", {})  # a port may have been another server's
    monkeypatch.setattr(rate_limits, "Limits", partial(Limits, clock))
    with Server(delay=0.01) as server:
        for mode in ("classifier", "generate"):
            judge = make("openai:fake", Options(base_url=server.url, mode=mode))
            for trial in (0, 1):
                request = Request(DATASET, trial=trial)
                enqueue(study, judge.spec, request, {"rpm": 1200, "concurrency": 3})
        server.forget()
        add_server(study, "test", "fake", server.url)
        worker.run_worker(study.path, once=True)
        assert len(server.seen) == 4 * (18 + 1)  # and each first whether it answers
        assert server.most_open <= 3
        assert clock.now() == pytest.approx(75 / 20)
    assert study.judgement_frames.load_all(DATASET)["outcome"].notna().all()


def test_a_run_that_cannot_be_recorded_is_not_asked_over_and_over(
    study: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a full disk neither answers nor the failure can be written: the run stays as it was, for
    another worker.
    """
    run, other = (
        enqueue(study, make("baseline:random", Options(seed=i)).spec, Request(DATASET))
        for i in range(2)
    )
    asked, reason = [], "database or disk is full"

    def execute(store: Store, number: int, **_: object) -> ExecutionResult:
        asked.append(number)
        if number == run:
            store.runs.set_status(number, Status.RUNNING)
            raise OSError(reason)
        store.runs.set_status(number, Status.DONE)
        return ExecutionResult(number)

    monkeypatch.setattr(worker, "execute", execute)
    worker.run_worker(study.path, once=True)
    assert asked == [run, other]
    assert study.runs.get(run).status == "running"
    assert f"run {run}: {reason}" in capsys.readouterr().err


class TestDiskInTheWay:
    @pytest.fixture(autouse=True)
    def soon(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(worker, "PAUSES", (0.1, 0.2))
        monkeypatch.setattr(worker, "IDLE_SECONDS", 1.0)

    def test_a_run_is_queued_with_the_reason_and_goes_on_by_itself(
        self, study: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Meanwhile it says why."""
        run, keep, seen = enqueue(study, LONGER.spec, Request(DATASET)), Comparing.keep, []
        reason, times = "the disk is full", 1

        def full(work: Comparing, answered: Sequence[object]) -> None:
            seen.append(len(answered))
            if len(seen) <= times:
                raise FaultError(reason)
            keep(work, answered)

        monkeypatch.setattr(Comparing, "keep", full)
        run_worker(study.path, once=True)
        assert status(study, run) == ["queued", reason]
        assert capsys.readouterr().err == f"run {run}: {reason}\n"
        times = 3
        run_worker(study.path)
        assert seen[0] == seen[1] == seen[2] == seen[3]
        assert status(study, run) == ["done", ""]
        assert (study.run_counts.counts(run)["asked"], study.run_counts.failures(run)) == (18, {})

    def test_the_pause_doubles_until_it_went(self, monkeypatch: pytest.MonkeyPatch) -> None:
        moment, pauses = [0.0], []
        monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: moment[0]))
        monkeypatch.setattr(worker, "PAUSES", (2.0, 7.0))
        put_off = worker._PutOff()
        for went in (False, False, False, False, True, False):
            put_off.note(1, went=went)
            began = moment[0]
            while 1 in put_off:
                moment[0] += 0.5
            pauses.append(moment[0] - began)
        assert pauses == [2, 4, 7, 7, 0, 2]
        assert 2 not in put_off

    def test_no_worker_keeps_a_store_that_it_cannot_write(self, disk: Disk) -> None:
        """It would keep others from writing once there is room, and see nothing new."""
        path = disk.folder / "store.sqlite3"
        with Store(path) as store:
            fill(store)
            enqueue(store, LONGER.spec, Request(DATASET))
        disk.fill()
        with pytest.raises(FaultError, match="is full"):
            run_worker(path)
        disk.free()
        run_worker(path, once=True)
        assert asked(path) == (18, 18)

    def test_nor_one_that_it_cannot_write_any_more(
        self, study: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run, let_go, openings = enqueue(study, LONGER.spec, Request(DATASET)), list[int](), []
        keep = Comparing.keep

        class Opened(Store):
            """The third can only be read: opened by the worker after its run could not be kept."""

            def __init__(self, path: Path, **words: Any) -> None:
                super().__init__(path, **words)
                openings.append(self)
                if len(openings) == 3:
                    self.connection._opened = replace(
                        self.connection._opened,
                        fault=FaultError("the disk is full"),
                        leave=lambda: let_go.append(len(openings)),
                    )

        def full_once(work: Comparing, answered: Sequence[object]) -> None:
            if len(openings) == 2:
                raise FaultError("the disk is full")
            keep(work, answered)

        monkeypatch.setattr(worker, "Store", Opened)
        monkeypatch.setattr(Comparing, "keep", full_once)
        run_worker(study.path)
        assert let_go == [3], "before another is opened"
        assert status(study, run) == ["done", ""]


def test_one_that_began_while_files_could_not_be_written_goes_on_once_they_can(
    study: Store,
) -> None:
    """What of a store a process has opened to be read alone, it shares among its connections: all
    are closed before it is tried again.
    """
    run = enqueue(study, make("baseline:random").spec, Request(DATASET))
    files = [file for file in study.path.parent.iterdir() if file.is_file()]
    assert {file.name[-4:] for file in files} >= {"-wal", "-shm"}
    for file in files:
        file.chmod(0o444)
    command = [*AS_SOMEBODY, sys.executable, "-m", "core", "--store", str(study.path), "worker"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            assert re.search(rf"\brun {run}: .*\bread-only: .*\bwritable\b", said)
            for file in files:
                file.chmod(0o644)
            wait_for(lambda: status(study, run)[0] == "done", seconds=30)
        finally:
            process.kill()


def test_a_log_that_cannot_be_written_is_said(study: Store) -> None:
    study.path.with_name(f"{study.path.name}.worker.log").mkdir()
    with pytest.raises(FaultError, match=r"worker\.log .*\bwritten \(.*\): .*\bspace\b"):
        ensure(study.path)


def test_served_runs_go_side_by_side_and_local_ones_one_by_one(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six runs wait for each other where they may: a barrier that only as many as are allowed at
    once can pass.
    """
    told = {"mode": "generate", "served": True}
    served = [JudgeSpec(f"served {i}", Kind.LLM, "openai:m", **told) for i in range(4)]
    local = [make("baseline:random", Options(seed=i)).spec for i in range(2)]
    runs = [enqueue(study, spec, Request(DATASET)) for spec in [*local, *served]]
    together, at_once, most = threading.Barrier(5, timeout=20), set(), []

    def execute(store: Store, run: int, **_: object) -> ExecutionResult:
        at_once.add(run)
        most.append(set(at_once))
        if run != runs[1]:  # the second local one comes later, alone
            together.wait()
        at_once.discard(run)
        store.runs.set_status(run, Status.DONE)
        return ExecutionResult(run)

    monkeypatch.setattr(worker, "execute", execute)
    worker.run_worker(study.path, once=True)
    assert {study.runs.get(run).status for run in runs} == {"done"}
    assert max(map(len, most)) == 5  # four served and one local
    assert not any(set(runs[:2]) <= one for one in most)
