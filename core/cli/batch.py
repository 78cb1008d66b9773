"""`judge --batch`: requests handed over as files, and their results read whenever they come."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.cli import options, respondent_options
from core.cli.options import Part, file_path
from core.cli.output import Answer, warn
from core.judging import COMPARING_MODES, Batchable
from core.pairing import Request
from core.prices import Prices
from core.records import TandemError
from core.runs import batch
from core.store import Store
from core.whole_files import check_is_plain

ACTIONS = ("submit", "collect", "cancel")


def add_options(sub: argparse.ArgumentParser) -> None:
    """Which part of a batch a command is about, and its files."""
    sub.add_argument(
        "--batch",
        choices=ACTIONS,
        help="hand the requests over as a batch, collect its results, or give it up",
    )
    submitting = Part(sub, "--batch submit", lambda asked: asked.batch == "submit")
    submitting.add(
        "--requests",
        type=file_path,
        metavar="FILE",
        help="write the requests to FILE (.jsonl), not to the server's files",
    )
    collecting = Part(sub, "--batch collect", lambda asked: asked.batch == "collect")
    collecting.add(
        "--results",
        type=file_path,
        nargs="+",
        metavar="FILE",
        help="files of results; without it the server is asked",
    )


def answer(
    store: Store, asked: argparse.Namespace, respondent: Callable[[str], object], request: object
) -> Answer:
    """What came of handing over, collecting or giving up; `respondent` makes the judge, in a mode
    where one is given.
    """
    if asked.batch == "submit":
        return _submit(store, asked, *batch.checked(respondent(""), request))
    judge, run = _waiting(store, asked, respondent, request)
    if asked.batch == "cancel":
        given_up = batch.give_up(store, run, judge)
        warn(*given_up.not_stopped)
        count = given_up.comparisons
        text = f"{judge.spec.name}: {count:,} comparisons wait no longer, and may be asked again"
        document = {"run": run, "judge": judge.spec.name, "given_up": count}
        return Answer(document | {"not_stopped": list(given_up.not_stopped)}, text)
    return _collect(store, asked, judge, run)


def _waiting(
    store: Store, asked: argparse.Namespace, respondent: Callable[[str], object], request: object
) -> tuple[Batchable, int]:
    """The judge that was handed over, and its run. The mode is that of the submit, so no server is
    asked for it: it may be gone. Raises TandemError when there is none, or more than one.
    """
    there: dict[str, tuple[Batchable, int]] = {}
    ended: dict[str, tuple[Batchable, int]] = {}
    for mode in [asked.mode] if asked.mode else COMPARING_MODES:
        judge, pairs = batch.checked(respondent(mode), request)
        known = store.judges.known(judge.spec.name)
        run = store.runs.find(pairs.dataset, "compare", pairs.settings(), judge=known)
        if run is not None and store.batches.any(run):
            (there if store.batches.open(run) else ended)[mode] = judge, run
    if asked.results:  # what has come may be read again
        there = there or ended
    if not there:
        raise TandemError(
            f"nothing of {asked.judge} waits for a batch as it was asked: --batch submit, or "
            "give the options of the submit"
        )
    if len(there) > 1:
        modes = " and ".join(there)
        raise TandemError(f"{asked.judge} waits in the modes {modes}: choose one (--mode)")
    [found] = there.values()
    return found


def _submit(store: Store, asked: argparse.Namespace, judge: Batchable, request: Request) -> Answer:
    contacted = not (asked.requests and asked.mode)
    if contacted:
        judge.load()
        warn(judge.note)
    execution = respondent_options.parsed(store, asked).execution
    run = batch.begin(
        store,
        judge,
        request,
        execution,
        retry=bool(asked.retry_failed),
        kind=options.failure_kind(asked),
    )
    done = batch.submit(store, run, judge, to=asked.requests, asked=contacted, limit=asked.limit)
    text = (
        f"{judge.spec.name}: {done.comparisons:,} comparisons in {done.requests:,} requests "
        f"{'written to' if asked.requests else 'submitted as'} {', '.join(done.names)}"
        if done.names
        else f"{judge.spec.name}: nothing new to submit"
    )
    text += f"; {done.waiting:,} wait for their answers (--batch collect)"
    return Answer({"judge": judge.spec.name, **vars(done)}, text)


def _collect(store: Store, asked: argparse.Namespace, judge: Batchable, run: int) -> Answer:
    done = (
        batch.collect(store, run, judge, _lines(asked.results))
        if asked.results
        else batch.collect_at_server(store, run, judge)
    )
    if done.unknown:
        warn(
            f"not fetched, and left open: {done.unknown:,} of the batches; collect with the key "
            "and project of the submit, or give up what waits (--batch cancel)"
        )
    if done.too_long:
        warn(
            f"{done.too_long:,} prompts were too long for the model: --retry-failed without "
            "--batch asks them with a shorter context"
        )
    prices = Prices.stored(respondent_options.parsed(store, asked).execution)
    cost = round(prices.cost(done.tokens, done.completion_tokens), 6)
    spent = f", {cost:.4f} spent" if prices.any else ""
    text = "; ".join([*done.states, f"{judge.spec.name}: {done}{spent}"])
    return Answer({"judge": judge.spec.name, **vars(done), "cost": cost}, text)


def _lines(files: Sequence[Path]) -> Iterator[str]:
    """The lines of files of results, one after the other."""
    for file in files:
        check_is_plain(file)
        try:
            with file.open(encoding="utf-8", errors="replace") as lines:
                yield from lines
        except OSError as error:
            raise TandemError(f"--results {file} cannot be read ({error.strerror})") from error
