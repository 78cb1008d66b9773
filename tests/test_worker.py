"""The worker: what it executes side by side. What it does with each run is in test_runs.py."""

import threading

from core import worker
from core.judging import make_judge
from core.planning import Request, enqueue
from core.records import JudgeSpec, Kind, Status
from core.runs import Result
from core.store import Store
from tests.study import DATASET


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
