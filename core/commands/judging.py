"""Commands about runs: judge, runs, worker."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from core import planning, reports, runs, selections
from core import worker as workers
from core.adaptive import STRATEGIES
from core.commands import options
from core.commands.answers import Answer, BrokenError, table
from core.commands.command import Command
from core.commands.options import whole
from core.commands.progress import Progress
from core.judging import Judge, make_judge
from core.planning import Request
from core.prompts import PROMPTS, check
from core.records import Prompt, Status, TandemError
from core.reports import span
from core.store import Store

FOLLOWING_SECONDS = 1.0  # how often one looks how far another process has come


def judge(store: Store, asked: argparse.Namespace) -> Answer:
    dataset = options.dataset(store, asked)
    prompt = _prompt(store, asked)
    answering = make_judge(asked.judge, seed=asked.seed, prompt=prompt, mode=asked.mode)
    request = planning.checked(
        store,
        Request(
            dataset=dataset,
            strategy=asked.pairs,
            budget=asked.budget,
            attributes=(asked.attribute,) if asked.attribute else (),
            subset=asked.subset or "",
            systems=tuple(asked.systems),
            samples=asked.samples,
            seed=asked.seed,
            trial=asked.trial,
            beam_size=asked.beam_size,
            prob_gap=asked.prob_gap,
            calibrate=asked.calibrate,
        ),
    )
    for note in planning.outlook(store, request).notes:
        print(f"tandem: {note}", file=sys.stderr)
    answering.load()  # before anything is written: a judge that cannot work is a wrong request
    run = planning.enqueue(store, answering.spec, request)
    if asked.retry_failed:
        print(f"tandem: {runs.retry(store, run)} unanswered comparisons are asked again", file=sys.stderr)
    progress = Progress()

    def show(result: runs.Result) -> None:
        failed = sum(runs.failures(store, run).values())
        progress(f"{answering.spec.name}{f' ({failed} unanswered)' if failed else ''}", result.done, result.planned)

    try:
        result = _executed(store, run, answering, asked.limit, show)
    except Exception as error:
        raise BrokenError(f"{error}; what was answered is kept, and the same command continues") from error
    document = {
        "run": run,
        "judge": answering.spec.name,
        "planned": result.planned,
        "done": result.done,
        "failed": runs.failures(store, run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "comparisons_per_second": round(result.per_second, 3),
        "tokens": result.tokens,
        "cost": 0.0,
    }
    failed = sum(runs.failures(store, run).values())
    text = (
        f"{answering.spec.name}: {result.answered:,} comparisons asked in {span(result.seconds)} "
        f"({result.per_second:,.1f} a second), {result.already_there:,} were there already; "
        f"{result.done:,} of {result.planned:,} done, {failed:,} of them unanswered"
    )
    return Answer(document, text)


def _judge_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--judge", required=True, metavar="SPEC", help="baseline:longer|random|embedding, hf:NAME-OR-PATH")
    sub.add_argument("--pairs", choices=STRATEGIES, default="full")
    sub.add_argument("--budget", type=whole(1), metavar="R", help="ordered comparisons per item and attribute")
    sub.add_argument("--samples", type=whole(1), default=1, metavar="N")
    sub.add_argument("--beam-size", type=whole(1), metavar="N", help="branches pairs-beam follows (default 10)")
    sub.add_argument("--prob-gap", type=float, metavar="G", help="both branches where |P - 1/2| < G (default 0.1)")
    sub.add_argument("--calibrate", action="store_true", help="pairs-*: the mean of both orders")
    prompt = sub.add_mutually_exclusive_group()
    prompt.add_argument("--prompt", metavar="NAME")
    prompt.add_argument("--prompt-file", type=Path, metavar="F")
    sub.add_argument("--mode", default="classifier")
    sub.add_argument("--trial", type=whole(0), default=0, metavar="N")
    sub.add_argument("--retry-failed", action="store_true", help="withdraw what was not answered and ask just that")
    sub.add_argument("--limit", type=whole(1), metavar="N", help="stop after N answers")


def _executed(
    store: Store, run: int, judge: Judge, limit: int | None, show: Callable[[runs.Result], None]
) -> runs.Result:
    """Execute a run or, while another process does, follow it until it ends; should that one die, take its place."""
    only_from = tuple(Status)
    while True:
        try:
            return runs.execute(store, run, by=judge, limit=limit, only_from=only_from, progress=show)
        except runs.BusyError:
            show(runs.standing(store, run))
        only_from = (Status.QUEUED, Status.RUNNING, Status.DONE)  # a stop or a failure of the other one is ours, too
        time.sleep(FOLLOWING_SECONDS)
        now = runs.standing(store, run)
        if now.status is Status.FAILED:
            raise TandemError(
                f"run {run} broke in another process: {store.plans(kind='run').set_index('run').error[run]}"
            )
        if now.status not in (Status.QUEUED, Status.RUNNING):
            return now


def _prompt(store: Store, asked: argparse.Namespace) -> Prompt | None:
    if asked.prompt_file:
        try:
            template = asked.prompt_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TandemError(f"--prompt-file {asked.prompt_file} cannot be read ({error})") from error
        check(template)
        return store.versioned(asked.prompt_file.stem, template)
    if asked.prompt and asked.prompt not in PROMPTS:
        raise TandemError(f"unknown prompt {asked.prompt!r}; there are {', '.join(PROMPTS)}, or give a --prompt-file")
    return PROMPTS[asked.prompt] if asked.prompt else None


def runs_(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.cancel is not None:
        runs.cancel(store, asked.cancel)
    if asked.resume is not None:
        runs.resume(store, asked.resume)
    frame = reports.plans(store)
    shown = frame[["run", "kind", "dataset", "attribute", "judge", "strategy", "status", "planned", "done", "failed"]]
    return Answer(selections.records(frame), table(shown) if len(frame) else "No runs yet.")


def _runs_options(sub: argparse.ArgumentParser) -> None:
    one = sub.add_mutually_exclusive_group()
    one.add_argument("--cancel", type=whole(1), metavar="ID")
    one.add_argument("--resume", type=whole(1), metavar="ID")


def worker(store: Store, asked: argparse.Namespace) -> Answer:
    workers.work(store.path, once=asked.once)
    return Answer({})


def _worker_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--once", action="store_true", help="end when nothing is queued")


COMMANDS = {
    "judge": Command(judge, "run a judge over pairs; the same again continues", _judge_options),
    "runs": Command(runs_, "runs and campaigns with their state", _runs_options, selects=False),
    "worker": Command(worker, "execute queued runs", _worker_options, selects=False),
}
