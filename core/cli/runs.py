"""Runs that commands execute or follow, answers as lines, and the commands about runs, the worker,
and servers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING
from typing import Any

import pandas as pd

from ..failures import count_kinds, reason_of, remedy_of
from ..findings.judgements import finding
from ..judging import (
    ListedServer,
    ServerList,
    StoredReply,
    add_server,
    parse_replies,
    remove_server,
)
from ..labels import escape_unprintable
from ..models import SPREADING, Options, Respondent, cluster
from ..records import Status, TandemError, render_options
from ..runs import execution, load_overview
from ..runs import worker as workers
from ..settings import declare
from ..store import Store
from .command import Command, Verbs
from .output import BrokenError, CommandAnswer, ProgressLine, table, warn
from .settings import WHO, flag, include

FOLLOWING_SECONDS = 1.0  # how often one looks how far another process has come


def execute_live(
    store: Store,
    run: int,
    by: Respondent[Any, Any],
    title: str,
    limit: int | None = None,
    *,
    kept: str,
    notes: Callable[[execution.ExecutionResult], Iterable[str]] = lambda now: (),
) -> execution.ExecutionResult:
    """Execute a run or, while another process does, follow it until it ends; should that one die,
    take its place. Shows how far it is, under a `title` and with `notes` beside.

    Raises BrokenError, which says that what was `kept` ("answered") stays, also where somebody else
    has stopped the run. Notes what was learnt of the server meanwhile.
    """
    progress = ProgressLine()

    def show(now: execution.ExecutionResult) -> None:
        said = ", ".join(filter(None, [*notes(now), now.situation]))
        progress(title, now.done, count_wanted(now, limit), f" ({said})" if said else "")

    note = by.note
    try:
        result = _follow_run(store, run, by, show, limit)
    except Exception as error:
        sentence = error.sentence if isinstance(error, TandemError) else str(error)
        raise BrokenError(
            f"{render_options(sentence, flag)}; what was {kept} is kept, and the same command "
            "continues"
        ) from error
    warn(by.note if by.note != note else "")
    if result.status is Status.CANCELLED and (limit is None or result.answered < limit):
        raise BrokenError(
            f"run {run} was stopped elsewhere, with {result.done:,} of {result.planned:,} "
            f"done; what was {kept} is kept, and the same command continues"
        )
    return result


def count_wanted(result: execution.ExecutionResult, limit: int | None) -> int:
    """Return how many answers there are when the command ends."""
    return min(result.planned, result.already_there + (limit or result.planned))


def _follow_run(
    store: Store,
    run: int,
    by: Respondent[Any, Any],
    show: Callable[[execution.ExecutionResult], None],
    limit: int | None,
) -> execution.ExecutionResult:
    only_from = tuple(Status)
    while True:
        try:
            return execution.execute(
                store, run, by=by, limit=limit, only_from=only_from, progress=show
            )
        except execution.BusyError:
            show(execution.load_progress(store, run))
        # A stop or a failure of the other one is ours, too
        only_from = (Status.QUEUED, Status.RUNNING, Status.DONE)
        time.sleep(FOLLOWING_SECONDS)
        now = execution.load_progress(store, run)
        if now.status is Status.FAILED:
            raise TandemError(
                f"run {run} broke in another process: "
                f"{store.runs.list_all(kind='run').set_index('run').error[run]}"
            )
        if now.status not in (Status.QUEUED, Status.RUNNING):
            return now


REPLY_SHOWN = 300
"""Characters of a reply in a line."""


def answer_line(answer: Mapping[str, Any]) -> str:
    """One answer of a trial in a line."""
    failure = answer["failure"]
    given = failure or (f"{answer['value']:.4g}" if "value" in answer else str(answer["outcome"]))
    sure = "" if answer.get("prob_a") is None else f" (p {answer['prob_a']:.3f})"
    why = f": {explain_failure(failure)}" if failure else ""
    said = parse_replies(answer["raw"])
    detail = [escape_unprintable(said.detail)] if failure and said.detail else []
    replies = " / ".join(map(reply_line, said.replies))
    return " | ".join(
        [f"{answer['attribute']}: {given}{sure}{why}", *filter(None, [replies]), *detail,
         *_effort(answer, said.kept_by)]
    )  # fmt: skip


def explain_failure(failure: str) -> str:
    """Explain why a question has no answer, and which command-line options may help."""
    parts = (reason_of(failure), render_options(remedy_of(failure), flag))
    return "; ".join(filter(None, parts))


def failure_lines(failures: Mapping[str, int]) -> Iterator[str]:
    """Yield a line per kind of failure: how many there are, and what to do about them."""
    for kind, count in count_kinds(failures).items():
        yield f"  {count:,} {kind}: {explain_failure(kind)}"


def _effort(answer: Mapping[str, Any], kept_by: str) -> Iterator[str]:
    if kept_by:
        yield f"form kept by {kept_by}"
    if answer["tokens"]:
        seconds = "" if answer["seconds"] is None else f" in {answer['seconds']:.2g} s"
        yield f"{answer['tokens']:,} tokens{seconds}"


def reply_line(reply: StoredReply) -> str:
    """Write a reply in one line, the part read between « and »; a long one is cut around it."""
    before, read, after = (" ".join(escape_unprintable(part).split()) for part in reply.parts)
    room = max(REPLY_SHOWN - len(read), 0)
    if len(before) + len(after) > room:
        tail = min(len(after), room // 4)
        head = room - tail
        if len(before) > head:
            before = f"{before[: head // 2]} ... {before[len(before) - head // 2 :]}"
        after = f"{after[:tail]} ..." if tail < len(after) else after
    marked = f"«{read}»" if read else ""
    return " ".join(filter(None, [before, marked, after]))


SHOWN = (
    "run", "kind", "dataset", "attribute", "judge", "strategy", "status", "planned", "done",
    "failed",
)  # fmt: skip
"""The columns of the table of runs."""


def list_runs(
    store: Store,
    cancel: int | None = declare(None, "stop a run", metavar="ID", least=1),
    resume: int | None = declare(
        None, "let a run go on", metavar="ID", least=1, instead_of="cancel"
    ),
) -> CommandAnswer:
    """List runs with their status and failures, after cancelling or resuming one if asked to."""
    if cancel is not None:
        execution.cancel(store, cancel)
    if resume is not None:
        execution.resume(store, resume)
    frame = load_overview(store)
    waiting = frame["status"].mask(frame["batched"] > 0, "batch")
    shown = frame.assign(status=waiting)[[*SHOWN]]
    if frame.empty:
        return CommandAnswer(finding.list_records(frame), "No runs yet.")
    return CommandAnswer(
        finding.list_records(frame), "\n".join([table(shown), *_failed_runs(frame)])
    )


def _failed_runs(frame: pd.DataFrame) -> Iterable[str]:
    by_run = {
        run: count_kinds(failures)
        for run, failures in zip(frame["run"], frame["failures"], strict=True)
    }
    for run, kinds in by_run.items():
        if kinds:
            yield f"run {run}: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    for kind in dict.fromkeys(kind for kinds in by_run.values() for kind in kinds):
        yield f"{kind}: {explain_failure(kind)}"


def run_worker(
    store: Store,
    once: bool = declare(False, "stop when the queue is empty"),
    stay: bool = declare(
        False, "run for ever, as a service; make the store if there is none", instead_of="once"
    ),
    options: Options = include(*SPREADING),
) -> CommandAnswer:
    """Execute queued runs, then wait a while for more (`--once`: not; `--stay`: for ever)."""
    how = options.execution
    if how:
        cluster.check_place(how["on"])
    if store.connection.fault and not stay:
        raise store.connection.fault  # no run could be executed, and nobody would notice
    if not store.connection.fault:
        store.close()  # the worker opens its own, and again once a fault is repaired
    if stay:
        workers.run_forever(store.path, how)
    workers.run_worker(store.path, once=once, how=how)
    return CommandAnswer({})


SERVER: Any = declare(MISSING, "name of the server", metavar="NAME", is_positional=True)


def list_servers(store: Store) -> CommandAnswer:
    """List the servers that may be asked."""
    rows = [_document(server) for server in ServerList(store.path).servers()]
    text = table(pd.DataFrame(rows)) if rows else "No server is listed: add one."
    return CommandAnswer({"servers": rows}, text)


def add(
    store: Store,
    name: str = SERVER,
    address: str = declare(
        MISSING, "the address that it answers at", metavar="URL", is_positional=True
    ),
    key_variable: str = declare(
        "", "environment variable that holds the key for this address", metavar="VARIABLE"
    ),
) -> CommandAnswer:
    """Add a server to the list, with the environment variable of its key."""
    server = add_server(store, WHO, name, address, key_variable=key_variable)
    sent = f"the key in {server.key_variable}" if server.key_variable else "no key"
    text = f"{server.name}: {server.address} may be asked, and is sent {sent}"
    return CommandAnswer(_document(server), text)


def remove(store: Store, name: str = SERVER) -> CommandAnswer:
    """Remove a server from the list: it gets no more requests."""
    server = remove_server(store, WHO, name)
    text = f"{server.name}: {server.address} gets no more requests"
    return CommandAnswer(_document(server), text)


def _document(server: ListedServer) -> dict[str, Any]:
    """A server as --json prints it: `key_set` says whether its key is there, None = it has none."""
    variable = server.key_variable
    return {
        "name": server.name,
        "address": server.address,
        "key_variable": variable,
        "key_set": bool(os.environ.get(variable, "").strip()) if variable else None,
    }


COMMANDS = {
    "runs": Command(list_runs),
    "worker": Command(run_worker, begins=lambda given: given.get("stay")),
    "servers": Verbs(
        {
            "list": Command(list_servers, "list them"),
            "add": Command(add, "add one"),
            "remove": Command(remove, "remove one"),
        }
    ),
}
