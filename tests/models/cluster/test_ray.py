"""A real Ray of two workers on this machine: the same answers as one process, whatever dies."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import secrets
import signal
from pathlib import Path

import pytest

from core.judging import make
from core.judging.registry import SpreadJudge
from core.models import Decoding, Options
from core.models import cluster as ray_cluster
from core.pairing.planning import Request, check_request, enqueue
from core.records import Status, TandemError
from core.runs import execution, generate, measure, score, worker
from core.runs.execution import failures, load_progress, retry
from core.runs.generate import GenerationRequest
from core.similarity import MeasurementRequest
from core.store import ChosenGenerations, Store
from tests.models.cluster.judges import UNABLE, Deadly, Doomed, Slow, Unable
from tests.models.cluster.machines import head
from tests.processes import Command
from tests.study import DATASET, content, fill, tandem, wait_for

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("ray"), reason="ray is not installed: requirements-ray.txt"
)
ONE, TWO = (Options(on="ray", workers=workers) for workers in (1, 2))


@pytest.fixture(scope="module")
def cluster():
    """One for all tests, as `ray start` makes it; whoever asks finds it there and leaves it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        with head("127.0.0.1", cores=2) as (gcs, _, _):
            patch.setenv("RAY_ADDRESS", f"127.0.0.1:{gcs}")
            with ray_cluster.connect_cluster("ray"):
                yield


def list_actors():
    """The processes of workers on this machine."""
    importlib.import_module("ray")
    psutil = importlib.import_module("psutil")  # Ray's own
    return [one for one in psutil.process_iter() if one.name().startswith("ray::WorkerActor")]


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch):
    """How many workers each pool had that was at work."""
    loaded, load = [], ray_cluster.WorkerPool.load

    def counted(self):
        if self._connection is None:
            load(self)
            loaded.append(len(self._actors))

    monkeypatch.setattr(ray_cluster.WorkerPool, "load", counted)
    return loaded


@pytest.fixture
def two(tmp_path: Path):
    """Two stores with the same study."""
    with Store(tmp_path / "one.sqlite3") as one, Store(tmp_path / "spread.sqlite3") as spread:
        for store in (one, spread):
            fill(store, items=6, samples=2, attributes=("coherence", "fluency"))
        yield one, spread


def rows(store, table, columns):
    return store.connection.rows(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3")


WAYS = {
    "classifier": {},
    "sample": {"mode": "sample", "votes": 3},
    "generate": {"mode": "generate"},
}


@pytest.mark.parametrize(
    ("way", "how"),
    [
        ("classifier", ONE),  # to load a model takes a worker ten seconds; of two it is seen below
        *(pytest.param(way, TWO, marks=pytest.mark.slow) for way in WAYS),
    ],
)
def test_the_same_answers_as_one_process(cluster, two, llama: Path, way, how) -> None:
    judges = [
        make(f"hf:{llama}", Options(**WAYS[way], dtype="fp32", **on))
        for on in ({}, how.changed_options)
    ]
    for store, judge in zip(two, judges, strict=True):
        run = enqueue(store, judge.spec, check_request(store, Request(DATASET)), {})
        assert execution.execute(store, run, by=judge).status is Status.DONE
    one, spread = (content(store) for store in two)
    assert judges[0].spec == judges[1].spec
    assert len(one["judgements"]) == 72
    for mine, theirs in zip(one.pop("judgements"), spread.pop("judgements"), strict=True):
        assert mine[:6] + mine[7:] == theirs[:6] + theirs[7:]
        assert mine[6] == pytest.approx(theirs[6], abs=1e-6)
    assert one == spread
    if way != "classifier":  # the same words
        words = (rows(store, "judgements", "comparison, raw, tokens") for store in two)
        assert next(words) == next(words)
    columns = "run, device, dtype"
    assert rows(two[1], "executions", columns) == [(1, "cpu", "float32")]


def test_the_same_texts(cluster, two, llama: Path) -> None:
    drafts = Decoding(f"hf:{llama}", "Go on: {context}", temperature=0.9, max_tokens=12)
    for store, how in zip(two, ({}, TWO.changed_options), strict=True):
        run = generate.enqueue(store, GenerationRequest(DATASET, "poet", drafts, samples=3), how)
        assert execution.execute(store, run).status is Status.DONE
    texts = [rows(store, "generations", "item, system, sample, text") for store in two]
    assert texts[0] == texts[1]
    assert len({text for *_, text in texts[0]}) > 20


@pytest.mark.slow
def test_the_same_marks(cluster, two, llama: Path) -> None:
    for store, how in zip(two, ({}, TWO.changed_options), strict=True):
        scorer, exact = make(f"hf:{llama}", Options(mode="g-eval")), {"dtype": "fp32", **how}
        run = score.enqueue_scoring(store, scorer.spec, score.ScoringRequest(DATASET), exact)
        assert execution.execute(store, run).status is Status.DONE
    marks = [rows(store, "scores", "generation, attribute, value") for store in two]
    assert len(marks[0]) == 36
    for mine, theirs in zip(*marks, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-5)  # ten times that of a probability


@pytest.mark.slow
def test_the_same_similarities(cluster, two) -> None:
    for store, how in zip(two, ({}, TWO.changed_options), strict=True):
        wanted = MeasurementRequest(ChosenGenerations(DATASET, samples=2), "rouge1")
        run = measure.enqueue(store, wanted, how)
        assert execution.execute(store, run).status is Status.DONE
    mine, theirs = (store.connection.rows("SELECT * FROM similarities") for store in two)
    assert sorted(mine) == sorted(theirs)
    assert len(mine) == 6 * 15


def spread(judge, **options):
    """A judge of this file, spread."""
    return SpreadJudge(judge(), judge, Options(on="ray", workers=2, **options))


def test_a_worker_that_is_killed_costs_its_batch_alone(
    cluster, study: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    state = importlib.import_module("ray._private.state")
    fill(study, items=40)
    run = enqueue(study, Slow.spec, check_request(study, Request(DATASET)))
    judge, killed, said = spread(Slow), [], []

    def watch(result):
        said.append(result.situation)
        if result.done > 20 and not killed:
            killed.append(state.actors(next(iter(judge._actors)))["Pid"])
            os.kill(killed[0], signal.SIGKILL)

    result = execution.execute(study, run, by=judge, progress=watch)
    assert (result.status, result.done, result.failed) == (Status.DONE, 240, 0)
    assert killed
    assert said[-1].startswith("2 workers answered 240, ") or " loading or " in said[-1]
    assert said[-1].endswith("1 died and what they had in hand was asked again")
    counts = "SELECT count(*), count(DISTINCT comparison) FROM judgements"
    assert study.connection.rows(counts) == [(240, 240)]
    assert result.situation == said[-1]
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_a_worker_that_is_killed_leaves_one_document(cluster, study: Store) -> None:
    fill(study, items=300, attributes=("coherence", "fluency", "style", "depth"))
    command = ("judge", "--judge", "baseline:random", "--on", "ray", "--workers", "2", "--json")
    process = Command("--store", str(study.path), *command, apart=True)
    wait_for(lambda: study.connection.value("SELECT count(*) FROM judgements") > 0)
    list_actors()[0].kill()
    said, _ = process.communicate()
    assert process.returncode == 0
    assert json.loads(said)["failed"] == {}


def test_a_cluster_without_machines_is_not_waited_for(
    cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines = iter([ray_cluster.list_nodes])

    def nodes():
        there = next(machines, None)
        return there() if there else []

    monkeypatch.setattr(ray_cluster, "list_nodes", nodes)
    monkeypatch.setattr(ray_cluster, "BEAT", 0.0)  # it is looked before a worker can have loaded
    with pytest.raises(TandemError, match=r"machines .*cluster .*gone\b"):
        spread(Slow).load()


def test_a_question_that_every_worker_dies_of_is_a_failure(cluster, study: Store) -> None:
    run = enqueue(study, Deadly.spec, check_request(study, Request(DATASET)))
    result = execution.execute(study, run, by=spread(Deadly))
    assert (result.status, result.done, result.failed) == (Status.DONE, 18, 1)
    [reason] = failures(study, run)
    assert reason.startswith("error: 3 workers died of it (")
    assert retry(study, run) == 1


def test_workers_that_only_die_are_not_replaced_for_ever(
    cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "VAIN", 1)
    with pytest.raises(TandemError, match=r"^every worker died, 2 in all\b.*\bworkers lower\b"):
        spread(Doomed).load()


def test_what_a_worker_cannot_is_one_sentence(cluster, study: Store) -> None:
    judge = spread(Unable)
    with pytest.raises(TandemError, match=f"^{UNABLE}$"):
        judge.load()
    assert judge._connection is None


def test_a_stored_run_goes_on_where_it_was_spread_and_says_what_is_missing_elsewhere(
    cluster, study: Store, monkeypatch: pytest.MonkeyPatch, pools
) -> None:
    judge = make("baseline:random", TWO)
    run = enqueue(study, judge.spec, check_request(study, Request(DATASET)), TWO.execution)
    result = execution.execute(study, run, limit=5)
    assert (result.status, result.done) == (Status.CANCELLED, 5)
    with monkeypatch.context() as without:
        without.setattr(ray_cluster, "is_installed", lambda package: False)
        execution.resume(study, run)
        worker.run_worker(study.path, once=True)
    error = study.runs.list_all().set_index("run").error[run]
    assert re.search(
        r"^on ray .*\bRay\b.*not installed.*`.+ pip install -r requirements-ray\.txt`", error
    )
    execution.resume(study, run)
    worker.run_worker(study.path, once=True)
    assert load_progress(study, run).status is Status.DONE
    assert pools == [2, 2]


def test_a_worker_process_spreads_what_was_not_asked_to_be(cluster, two, pools) -> None:
    """The same answers as without."""
    for store, how in zip(two, ({}, TWO.changed_options), strict=True):
        run = enqueue(store, make("baseline:random").spec, check_request(store, Request(DATASET)))
        worker.run_worker(store.path, once=True, how=how)
        assert load_progress(store, run).status is Status.DONE
        assert store.runs.get(run).execution == {}
    assert pools == [2]
    one, spread = (content(store) for store in two)
    assert one == spread
    assert len(one["judgements"]) == 72


@pytest.mark.slow
def test_an_interrupted_command_leaves_no_worker_behind(cluster, study: Store) -> None:
    fill(study, items=300, attributes=("coherence", "fluency", "style", "depth"))
    command = ("judge", "--judge", "baseline:random", "--on", "ray", "--workers", "1")
    process = tandem(study.path, *command)
    wait_for(lambda: study.connection.value("SELECT count(*) FROM judgements") > 0)
    assert list_actors()
    os.kill(process.pid, signal.SIGINT)
    said, _ = process.communicate()
    assert process.returncode == 1
    assert re.search("^tandem: stopped.*kept.*same command", said.splitlines()[-1])
    lines = said.splitlines()
    assert not [one for one in lines if not one.startswith(("tandem: ", "baseline:random "))]
    wait_for(lambda: not list_actors(), seconds=20)
    status = study.connection.value("SELECT status FROM runs")
    assert status == "cancelled"


def test_a_cluster_that_is_not_there_is_one_sentence() -> None:
    for on, sentence in [
        ("dask", r"^on is 'dask'.*\bray, .*ray://HOST:PORT\b"),
        ("ray://nowhere", r"^on is 'ray://nowhere'.*\bray, .*ray://HOST:PORT\b"),
        ("ray://127.0.0.1:9", r"^no .*\bray://127\.0\.0\.1:9 .*: start\b"),
    ]:
        with pytest.raises(TandemError, match=sentence):
            make("baseline:longer", Options(on=on)).load()


def test_a_server_needs_no_workers() -> None:
    with pytest.raises(TandemError, match=r"openai:gpt .*server.*leave out"):
        make("openai:gpt", Options(on="ray", base_url="http://127.0.0.1:9/v1"))
