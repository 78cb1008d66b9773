"""The commands about runs there are, the worker, and the servers that may be asked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import MISSING, dataclass
from typing import Any

import pandas as pd

from ..failures import count_kinds
from ..findings.judgements import finding
from ..judging import ListedServer, ServerList, add_server, remove_server
from ..models import SPREADING, Options, cluster
from ..runs import execution, load_overview
from ..runs import worker as workers
from ..settings import declare
from ..store import Store
from .asking import explain_failure
from .command import Command, NoOptions, Verbs
from .output import CommandAnswer, table
from .settings import WHO, include

SHOWN = (
    "run", "kind", "dataset", "attribute", "judge", "strategy", "status", "planned", "done",
    "failed",
)  # fmt: skip
"""The columns of the table of runs."""


@dataclass(frozen=True)
class RunsRequest:
    """Options of `runs`: a run to stop or to resume before all runs are listed."""

    cancel: int | None = declare(None, "stop a run", metavar="ID", least=1)
    resume: int | None = declare(
        None, "let a run go on", metavar="ID", least=1, instead_of="cancel"
    )


@dataclass(frozen=True, kw_only=True)
class WorkerRequest:
    """Until when queued runs are executed, and where."""

    once: bool = declare(False, "stop when the queue is empty")
    stay: bool = declare(
        False, "run for ever, as a service; make the store if there is none", instead_of="once"
    )
    options: Options = include(*SPREADING)


def list_runs(store: Store, asked: RunsRequest) -> CommandAnswer:
    """List runs with their status and failures, after cancelling or resuming one if asked to."""
    if asked.cancel is not None:
        execution.cancel(store, asked.cancel)
    if asked.resume is not None:
        execution.resume(store, asked.resume)
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


def run_worker(store: Store, asked: WorkerRequest) -> CommandAnswer:
    """Execute queued runs, then wait a while for more (`--once`: not; `--stay`: for ever)."""
    how = asked.options.execution
    if how:
        cluster.check_place(how["on"])
    if store.connection.fault and not asked.stay:
        raise store.connection.fault  # no run could be executed, and nobody would notice
    if not store.connection.fault:
        store.close()  # the worker opens its own, and again once a fault is repaired
    if asked.stay:
        workers.run_forever(store.path, how)
    workers.run_worker(store.path, once=asked.once, how=how)
    return CommandAnswer({})


@dataclass(frozen=True)
class RemoveRequest:
    """The server that is asked nothing more."""

    name: str = declare(MISSING, "name of the server", metavar="NAME", is_positional=True)


@dataclass(frozen=True)
class AddServerRequest(RemoveRequest):
    """A server that may be asked."""

    address: str = declare(
        MISSING, "the address that it answers at", metavar="URL", is_positional=True
    )
    key_variable: str = declare(
        "", "environment variable that holds the key for this address", metavar="VARIABLE"
    )


def list_servers(store: Store, asked: NoOptions) -> CommandAnswer:
    """List the servers that may be asked."""
    rows = [_document(server) for server in ServerList(store.path).servers()]
    text = table(pd.DataFrame(rows)) if rows else "No server is listed: add one."
    return CommandAnswer({"servers": rows}, text)


def add(store: Store, asked: AddServerRequest) -> CommandAnswer:
    """Add a server to the list, with the environment variable of its key."""
    server = add_server(store, WHO, asked.name, asked.address, key_variable=asked.key_variable)
    sent = f"the key in {server.key_variable}" if server.key_variable else "no key"
    text = f"{server.name}: {server.address} may be asked, and is sent {sent}"
    return CommandAnswer(_document(server), text)


def remove(store: Store, asked: RemoveRequest) -> CommandAnswer:
    """Remove a server from the list: it gets no more requests."""
    server = remove_server(store, WHO, asked.name)
    return CommandAnswer(
        _document(server), f"{server.name}: {server.address} gets no more requests"
    )


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
    "runs": Command(list_runs, reads=None, request=RunsRequest),
    "worker": Command(
        run_worker, reads=None, request=WorkerRequest, begins=lambda given: given.get("stay")
    ),
    "servers": Verbs(
        {
            "list": Command(list_servers, "list them", reads=None, request=NoOptions),
            "add": Command(add, "add one", reads=None, request=AddServerRequest),
            "remove": Command(remove, "remove one", reads=None, request=RemoveRequest),
        }
    ),
}
