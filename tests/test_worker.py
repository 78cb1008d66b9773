"""The worker: what it executes side by side. What it does with each run is in test_runs.py."""

import threading

from core import worker
from core.judging import make_judge
from core.planning import Request, enqueue
from core.records import JudgeSpec, Kind, Status
from core.runs import Result
from core.store import Store
from tests.server import Server
from tests.study import DATASET


def test_runs_side_by_side_share_what_the_server_allows(study):
    """Four runs with 76 requests in all, each allowed 20 a second: the server sees them come in 3.75 seconds, not in one."""
    with Server(delay=0.05) as server:
        for mode in ("classifier", "generate"):
            judge = make_judge("openai:fake", base_url=server.url, mode=mode)
            for trial in (0, 1):
                request = Request(DATASET, trial=trial)
                enqueue(study, judge.spec, request, {"rpm": 1200, "concurrency": 3})
        server.forget()
        worker.work(study.path, once=True)
        assert len(server.seen) == 4 * (18 + 1)  # and each first whether it answers
        assert server.most_open <= 3
        took = server.arrived[-1] - server.arrived[0]
        assert took >= 0.7 * 75 / 20
    assert study.judgements(DATASET)["outcome"].notna().all()


def test_a_run_that_cannot_be_recorded_is_not_asked_over_and_over(study, monkeypatch, capsys):
    """On a full disk neither answers nor the failure can be written: the run stays as it was, for another worker."""
    run, other = (enqueue(study, make_judge("baseline:random", seed=i).spec, Request(DATASET)) for i in range(2))
    asked = []

    def execute(store: Store, number: int, **_: object) -> Result:
        asked.append(number)
        if number == run:
            store.set_status(number, Status.RUNNING)
            raise OSError("database or disk is full")
        store.set_status(number, Status.DONE)
        return Result(number)

    monkeypatch.setattr(worker, "execute", execute)
    worker.work(study.path, once=True)
    assert asked == [run, other]
    assert study.run(run).status == "running"
    assert f"run {run}: database or disk is full" in capsys.readouterr().err


def test_served_runs_go_side_by_side_and_local_ones_one_by_one(study, monkeypatch):
    """Six runs wait for each other where they may: a barrier that only as many as are allowed at once can pass."""
    served = [JudgeSpec(f"served {i}", Kind.LLM, "openai:m", mode="generate") for i in range(4)]
    local = [make_judge("baseline:random", seed=i).spec for i in range(2)]
    runs = {enqueue(study, spec, Request(DATASET)): spec for spec in [*local, *served]}
    together, at_once, most = threading.Barrier(5, timeout=20), set(), []

    def execute(store: Store, run: int, **_: object) -> Result:
        at_once.add(run)
        most.append({runs[one].spec.partition(":")[0] for one in at_once} and sorted(at_once))
        if run != max(one for one, spec in runs.items() if spec in local):  # the second local one comes later, alone
            together.wait()
        at_once.discard(run)
        store.set_status(run, Status.DONE)
        return Result(run)

    monkeypatch.setattr(worker, "execute", execute)
    worker.work(study.path, once=True)
    assert {study.run(run).status for run in runs} == {"done"}
    assert max(map(len, most)) == 5  # four served and one local
    locals_ = {run for run, spec in runs.items() if spec in local}
    assert all(len(locals_ & set(one)) <= 1 for one in most)
