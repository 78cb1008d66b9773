"""Runs: what a judge is asked, done bit by bit, so that nothing is lost or asked twice when the power goes.

A run is planned into the store, then executed by whoever holds its lock: the command line in the foreground, or the worker
process for the pages. Only what has no answer yet is asked, and a batch of answers is written in one transaction, so
killing the process at any moment costs at most the batch in hand.

What an adaptive strategy asks depends on the answers, so its run is planned as it goes: when all that is planned on an
item has been asked, what comes next there is worked out from the answers in the store, and from nothing else.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core import __version__, adaptive
from core.adaptive import ADAPTIVE, SORTS, STRATEGIES
from core.judging import Judge, remake_judge
from core.locks import claim
from core.pairing import PAIRINGS, Pair, candidate_pairs, draw, most
from core.records import JudgeSpec, Status, TandemError
from core.sorting import Settings as Sorting
from core.store import Store

BATCH_SECONDS = 1.0  # answers reach the store about this long after they exist
IDLE_SECONDS = 600.0  # a worker with nothing to do ends after this


@dataclass(frozen=True)
class Request:
    """Which comparisons a run is to ask for: DESIGN.md, "Which pairs exist" and "Budget R"."""

    dataset: str
    strategy: str = "full"
    budget: int | None = None
    attributes: tuple[str, ...] = ()
    subset: str = ""
    systems: tuple[str, ...] = ()
    samples: int = 1
    seed: int = 0
    trial: int = 0
    beam_size: int | None = None
    prob_gap: float | None = None
    calibrate: bool = False

    def settings(self) -> dict[str, Any]:
        """What a run is known by; options of PairS only where they play a part."""
        every = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in every.items() if name not in OF_SORTS or value not in (None, False)}

    @property
    def sorting(self) -> Sorting:
        return Sorting(self.beam_size or 1, self.prob_gap or 0.0, self.calibrate)


OF_SORTS = ("beam_size", "prob_gap", "calibrate")
BEAM_SIZE = 10
PROB_GAP = 0.1


@dataclass
class Outlook:
    """What a request comes to, before anything is written."""

    comparisons: int = 0
    notes: list[str] = field(default_factory=list)


def checked(store: Store, request: Request) -> Request:
    """The request with its attributes filled in. Raises TandemError for what the data set does not have."""
    known = [attribute.name for attribute in store.attributes(request.dataset)]
    _must_exist("attribute", request.attributes, known)
    _must_exist("system", request.systems, store.systems(request.dataset))
    _must_exist("subset", [request.subset] if request.subset else [], store.subsets(request.dataset))
    if request.strategy not in STRATEGIES:
        raise TandemError(f"unknown strategy {request.strategy!r}; there are {', '.join(STRATEGIES)}")
    for name, least in (("budget", 1), ("samples", 1), ("trial", 0), ("seed", 0), ("beam_size", 1)):
        value = getattr(request, name)
        if value is not None and value < least:
            raise TandemError(f"--{name.replace('_', '-')} is {value}; it is at least {least}")
    if request.calibrate and request.strategy not in SORTS:
        raise TandemError(f"--calibrate belongs to {' and '.join(SORTS)}, not to {request.strategy}")
    filled: dict[str, Any] = {"attributes": request.attributes or tuple(known)}
    if request.strategy == "pairs-beam":
        filled["beam_size"] = BEAM_SIZE if request.beam_size is None else request.beam_size
        filled["prob_gap"] = PROB_GAP if request.prob_gap is None else request.prob_gap
    elif request.beam_size is not None or request.prob_gap is not None:
        raise TandemError(f"--beam-size and --prob-gap belong to pairs-beam, not to {request.strategy}")
    request = Request(**{**request.settings(), **filled})
    if not 0 <= request.sorting.prob_gap <= 0.5:
        raise TandemError(f"--prob-gap is {request.prob_gap}; it lies between 0 and 0.5")
    return request


def outlook(store: Store, request: Request) -> Outlook:
    """How many comparisons a request comes to, and what about it a person should know."""
    request, found, least = checked(store, request), Outlook(), sys.maxsize
    for _, pairs in _pairs(store, request):
        if request.strategy in ADAPTIVE:
            each = adaptive.bound(request.strategy, pairs, request.budget, request.sorting)
        else:
            each = len(PAIRINGS[request.strategy](pairs, request.budget, set(), np.random.default_rng(0)))
        found.comparisons += each * len(request.attributes)
        least = min(least, most(request.strategy, len(pairs)))
    if not found.comparisons:
        raise TandemError(
            f"data set {request.dataset!r} has no pair of two systems' texts to compare"
            f"{' among these' if request.systems or request.subset else ''}: import texts of at least two systems"
        )
    if request.strategy in SORTS:
        found.notes.append("how many comparisons a sort needs depends on the answers: this is the most")
    elif request.budget is not None and request.budget > least:
        found.notes.append(
            f"a budget of {request.budget} is more than some items have: they get all of theirs, at least {least}"
        )
    return found


def enqueue(store: Store, judge: JudgeSpec, request: Request) -> int:
    """A queued run with all its comparisons planned; the same request again gives the same run, with what is new in it."""
    request = checked(store, request)
    outlook(store, request)
    store.add_judges([judge])
    judge_id = store.judge_id(judge.name)
    run = store.find_run(request.dataset, judge_id, request.settings())
    if run is None:
        run = store.add_run(request.dataset, judge_id, request.settings(), versions())
    if request.strategy in ADAPTIVE:
        _plan_next(store, run, judge_id, request, list(_pairs(store, request)))
    else:
        for attribute in request.attributes:
            _plan(store, run, judge_id, attribute, request)
    if store.run_counts(run)["asked"] < store.run_counts(run)["planned"]:
        store.set_status(run, Status.QUEUED, only_from=(Status.CANCELLED, Status.FAILED, Status.DONE))
    return run


def _plan(store: Store, run: int, judge: int, attribute: str, request: Request) -> None:
    attribute_id = store.attribute_id(request.dataset, attribute)
    known = store.answered_by(judge, attribute_id, request.trial)
    planned = store.planned_comparisons(run, attribute_id)
    names = _names(store, request.dataset)
    rows: list[tuple[int, int, int, float]] = []
    for item, pairs in _pairs(store, request):
        # The same pairs for every attribute of an item, whatever other items there are. What is planned stays planned.
        rng = np.random.default_rng(draw(request.seed, request.dataset, item))
        there = planned.get(item, set())
        chosen = PAIRINGS[request.strategy](pairs, request.budget, there or known, rng)
        share = len(chosen) / (2 * len(pairs))
        rows += [
            (a, b, draw(request.seed, attribute, item, names[a], names[b]), share)
            for a, b in chosen
            if (a, b) not in there
        ]
        if len(rows) > 5000:
            store.add_planned(run, attribute_id, rows)
            rows = []
    store.add_planned(run, attribute_id, rows)


def _plan_next(store: Store, run: int, judge: int, request: Request, items: Sequence[tuple[str, list[Pair]]]) -> bool:
    """Plan what comes next on every item on which nothing waits; whether there was anything."""
    names, planned = _names(store, request.dataset), False
    for attribute in request.attributes:
        attribute_id = store.attribute_id(request.dataset, attribute)
        known = store.answered_by(judge, attribute_id, request.trial)
        open_items = dict(items)
        while open_items:
            answers, waiting = store.planned_answers(run, attribute_id)
            rows: list[tuple[int, int, int, float]] = []
            for item, pairs in list(open_items.items()):
                chosen = []
                if item not in waiting:
                    rng = np.random.default_rng(draw(request.seed, request.dataset, item))
                    chosen = adaptive.choose_next(
                        request.strategy, pairs, request.budget, known, answers.get(item, {}), rng, request.sorting
                    )
                rows += [(a, b, draw(request.seed, attribute, item, names[a], names[b]), 1.0) for a, b in chosen]
                if not chosen or not known.issuperset(chosen):
                    del open_items[item]  # through, or to be asked; what the judge has answered leads on at once
            # All in one transaction, so that a run killed here has planned this step of an item or has not.
            store.add_planned(run, attribute_id, rows)
            planned = planned or bool(rows)
    return planned


def ranking(store: Store, run: int) -> dict[tuple[str, str], list[tuple[int, ...]]]:
    """(attribute, item) -> the generation ids of each sample, best first, as a PairS run has sorted them.

    Replayed from the stored answers. Raises TandemError when the run did not sort.
    """
    plan = store.run(run)
    request = _request(plan.settings)
    if request.strategy not in SORTS:
        raise TandemError(f"run {run} asked {request.strategy}; only {' and '.join(SORTS)} sort")
    found: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    for attribute in request.attributes:
        answers, _ = store.planned_answers(run, store.attribute_id(request.dataset, attribute))
        for item, pairs in _pairs(store, request):
            rng = np.random.default_rng(draw(request.seed, request.dataset, item))
            found[attribute, item] = adaptive.sort_ranking(pairs, answers.get(item, {}), rng, request.sorting)
    return found


def _request(settings: dict[str, Any]) -> Request:
    """The request a stored run was made from."""
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}
    return Request(**values)


def _pairs(store: Store, request: Request) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    generations = store.generations(request.dataset, texts=False)
    if request.subset:
        generations = generations[generations["subset"] == request.subset]
    if request.systems:
        generations = generations[generations["system"].isin(request.systems)]
    return candidate_pairs(generations, samples=request.samples)


def _names(store: Store, dataset: str) -> dict[int, str]:
    frame: pd.DataFrame = store.generations(dataset, texts=False)
    return {
        int(g): f"{system}#{sample}"
        for g, system, sample in zip(frame["generation"], frame["system"], frame["sample"], strict=True)
    }


def _must_exist(what: str, wanted: Any, known: list[str]) -> None:
    for name in wanted:
        if name not in known:
            has = f": {', '.join(known)}" if known else f" no {what}s"
            raise TandemError(f"unknown {what} {name!r}; this data set has{has}")


def versions() -> dict[str, str]:
    """What a run was made with."""
    packages = ("torch", "transformers", "sentence-transformers")
    return {"tandem": __version__, **{package: version(package) for package in packages}}


@dataclass
class Result:
    """How far an execution came. `done` is of the whole run, `answered` and `tokens` of this execution."""

    run: int
    planned: int = 0
    done: int = 0
    already_there: int = 0
    answered: int = 0
    seconds: float = 0.0
    tokens: int = 0
    status: Status = Status.RUNNING

    @property
    def per_second(self) -> float:
        return self.answered / self.seconds if self.seconds else 0.0


class BusyError(TandemError):
    """Another process is executing the run."""


def standing(store: Store, run: int) -> Result:
    """How far a run is, whoever has brought it there."""
    counts = store.run_counts(run)
    return Result(run, counts["planned"], counts["asked"], counts["asked"], status=Status(store.run(run).status))


def execute(
    store: Store,
    run: int,
    *,
    judge: Judge | None = None,
    limit: int | None = None,
    only_from: Iterable[Status] = tuple(Status),
    progress: Callable[[Result], None] = lambda result: None,
) -> Result:
    """Ask what a run has not asked yet; `limit` stops after that many answers, as cancelling does.

    Raises BusyError when another process is at it, TandemError when it does not stand at one of `only_from`; whatever else
    breaks marks the run failed, keeps what was answered and is raised.
    """
    with claim(store.path, f"run-{run}") as claimed:
        if claimed is None:
            raise BusyError(f"run {run} is being executed by another process: `runs` shows how far it is")
        if not store.set_status(run, Status.RUNNING, only_from=only_from):
            raise TandemError(f"run {run} was cancelled meanwhile")
        try:
            result = _execute(store, run, judge, limit, progress)
        except KeyboardInterrupt:
            store.set_status(run, Status.CANCELLED)
            raise
        except Exception as error:
            store.set_status(run, Status.FAILED, error=str(error).split("\n")[0][:500] or type(error).__name__)
            raise
        # Not over a cancellation that arrived meanwhile.
        store.set_status(run, result.status, only_from=(Status.RUNNING,))
    return result


def _execute(
    store: Store, run: int, judge: Judge | None, limit: int | None, progress: Callable[[Result], None]
) -> Result:
    plan = store.run(run)
    judge = judge or remake_judge(store.judge(plan.judge))
    judge.load()  # before the clock starts: the first batch's pace would be that of loading
    judge_id, result = store.judge_id(plan.judge), standing(store, run)
    request = _request(plan.settings)
    items = list(_pairs(store, request)) if request.strategy in ADAPTIVE else []
    each = sum(adaptive.bound(request.strategy, pairs, request.budget, request.sorting) for _, pairs in items)
    most_planned = each * len(request.attributes)
    started, size = time.monotonic(), 4
    while result.status is Status.RUNNING:
        room = size if limit is None else min(size, limit - result.answered)
        questions = store.pending(run, room) if room > 0 else []
        if not questions:
            if not store.pending(run, 1) and not (items and _plan_next(store, run, judge_id, request, items)):
                result.status = Status.DONE
            elif room <= 0:
                result.status = Status.CANCELLED
            else:
                continue
            break
        began = time.monotonic()
        answers = judge.answers(questions)
        asked = [question.comparison for question in questions]
        store.add_answers(run, judge_id, plan.trial, zip(asked, answers, strict=True))
        took = time.monotonic() - began
        size = int(np.clip(size * BATCH_SECONDS / max(took, 1e-3), 1, min(4 * size, 2000)))
        result.answered += len(answers)
        result.done += len(answers)
        result.tokens += sum(answer.tokens for answer in answers)
        result.seconds = time.monotonic() - started
        if store.beat(run) is Status.CANCELLED:
            result.status = Status.CANCELLED
        result.planned = max(result.planned, most_planned)
        progress(result)
    counts = store.run_counts(run)
    result.planned, result.done = (
        counts["planned"],
        counts["asked"],
    )  # another run of this judge may have had a hand in it
    return result


def retry(store: Store, run: int) -> int:
    """Withdraw what a run's judge did not answer and queue just that again: how many there were."""
    withdrawn = store.withdraw_failures(run)
    if withdrawn:
        store.set_status(run, Status.QUEUED)
    return withdrawn


def cancel(store: Store, run: int) -> None:
    """Stop a run after the batch in hand. Raises TandemError when there is nothing to stop."""
    if not store.set_status(run, Status.CANCELLED, only_from=(Status.QUEUED, Status.RUNNING)):
        raise TandemError(f"run {run} is not queued or running; `runs` lists what there is")


def resume(store: Store, run: int) -> None:
    """Queue a stopped run again. Raises TandemError when it does not stand still."""
    if not store.set_status(run, Status.QUEUED, only_from=(Status.CANCELLED, Status.FAILED, Status.QUEUED)):
        raise TandemError(f"run {run} is not cancelled or failed; `runs` lists what there is")


def work(path: Path, *, once: bool = False) -> None:
    """The worker: executes queued runs, oldest first, and those whose process died. One worker a store.

    `once` ends when nothing is queued; otherwise it waits a while for more.
    """
    with claim(path, "worker") as claimed:
        if claimed is None:
            return
        idle = time.monotonic()
        while True:
            with Store(path) as store:
                while _work_off(store):
                    idle = time.monotonic()
            if once or time.monotonic() - idle > IDLE_SECONDS:
                return
            time.sleep(0.5)


def _work_off(store: Store) -> bool:
    """Execute the oldest run that waits and is in nobody's hands; whether there was one."""
    for run in store.unfinished_runs():
        with claim(store.path, f"run-{run}") as free:
            pass
        if free is not None:
            try:
                execute(store, run, only_from=(Status.QUEUED, Status.RUNNING))
            except Exception as error:  # recorded with the run; the others go on
                print(f"run {run}: {error}", file=sys.stderr)
            return True
    return False


def ensure_worker(path: Path) -> None:
    """Start a worker for this store unless there is one. It outlives this process."""
    with claim(path, "start") as start:
        if start is None:
            return
        with claim(path, "worker") as free:
            pass
        if free is not None:
            with Path(f"{path}.worker.log").open("a") as log:
                subprocess.Popen(
                    [sys.executable, "-m", "core", "--store", str(path.absolute()), "worker"],
                    cwd=Path(__file__).parent.parent,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # It inherits the lock and holds it from now until it ends, so nobody starts a second one while it loads.
                    pass_fds=(start,),
                )
