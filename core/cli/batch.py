"""`judge --batch`: requests handed over as files, and their results read whenever they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..judging import COMPARING_MODES, Batchable
from ..models import Options
from ..pairing import Request
from ..prices import Prices
from ..records import TandemError
from ..runs import batch, load_respondent
from ..store import Store
from ..whole_files import check_is_plain
from . import options
from .judge_request import JudgeRequest
from .output import CommandAnswer, warn


def answer(store: Store, asked: JudgeRequest, given: Options) -> CommandAnswer:
    """Submit a batch, collect its results or give it up, and report on it.

    `given` are the judge's options.
    """
    first = asked.make_judge(given)
    request = asked.plan(store, first)
    if asked.batching.batch == "submit":
        return _submit(store, asked, *batch.check_batchable(first, request), given)
    judge, run = _find_submitted(store, asked, request, given)
    if asked.batching.batch == "cancel":
        given_up = batch.give_up(store, run, judge)
        warn(*given_up.not_stopped)
        count = given_up.comparisons
        text = f"{judge.spec.name}: {count:,} comparisons no longer wait, and may be asked again"
        document = {"run": run, "judge": judge.spec.name, "given_up": count}
        return CommandAnswer(document | {"not_stopped": list(given_up.not_stopped)}, text)
    return _collect(
        store, asked.batching.results, judge, run, Prices.from_execution(given.execution)
    )


def _find_submitted(
    store: Store, asked: JudgeRequest, request: object, given: Options
) -> tuple[Batchable, int]:
    """Find the judge that was submitted as a batch, and its run. The mode is that of the
    submission. No server is asked for it, as the server may be gone. Raises TandemError if no run
    matches, or more than one.
    """
    there: dict[str, tuple[Batchable, int]] = {}
    ended: dict[str, tuple[Batchable, int]] = {}
    for mode in [given.mode] if given.mode else COMPARING_MODES:
        judge, pairs = batch.check_batchable(asked.make_judge(given, mode), request)
        known = store.judges.find_id(judge.spec.name)
        run = store.runs.find(pairs.dataset, "compare", pairs.settings(), judge=known)
        if run is not None and store.batches.has_any(run):
            (there if store.batches.open(run) else ended)[mode] = judge, run
    if asked.batching.results:  # what has come may be read again
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


def _submit(
    store: Store, asked: JudgeRequest, judge: Batchable, request: Request, given: Options
) -> CommandAnswer:
    to = asked.batching.requests
    contacted = not (to and given.mode)
    if contacted:
        load_respondent(store, judge)
        warn(judge.note)
    again, kind = bool(asked.retry_failed), options.failure_kind(asked.retry_failed)
    run = batch.begin(store, judge, request, given.execution, retry=again, kind=kind)
    done = batch.submit(store, run, judge, to=to, asked=contacted, limit=asked.limit)
    text = "nothing new to submit"
    if done.names:
        text = (
            f"{done.comparisons:,} comparisons in {done.requests:,} requests "
            f"{'written to' if to else 'submitted as'} {', '.join(done.names)}"
        )
    text = f"{judge.spec.name}: {text}; {done.waiting:,} wait for their answers (--batch collect)"
    return CommandAnswer({"judge": judge.spec.name, **vars(done)}, text)


def _collect(
    store: Store, results: Sequence[Path], judge: Batchable, run: int, prices: Prices
) -> CommandAnswer:
    done = (
        batch.collect(store, run, judge, _lines(results))
        if results
        else batch.collect_at_server(store, run, judge)
    )
    if done.unknown:
        warn(
            f"batches not fetched, and left open: {done.unknown:,}; collect with the key and "
            "project of the submit, or cancel (--batch cancel)"
        )
    if done.too_long:
        warn(
            f"{done.too_long:,} prompts were too long for the model: --retry-failed without "
            "--batch asks them with a shorter context"
        )
    cost = round(prices.cost(done.tokens, done.completion_tokens), 6)
    spent = f", {cost:.4f} spent" if prices.has_any else ""
    text = "; ".join([*done.states, f"{judge.spec.name}: {done}{spent}"])
    return CommandAnswer({"judge": judge.spec.name, **vars(done), "cost": cost}, text)


def _lines(files: Sequence[Path]) -> Iterator[str]:
    """The lines of files of results, one after the other."""
    for file in files:
        check_is_plain(file)
        try:
            with file.open(encoding="utf-8", errors="replace") as lines:
                yield from lines
        except OSError as error:
            raise TandemError(f"--results {file} cannot be read ({error.strerror})") from error
