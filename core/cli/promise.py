"""The command about promises that a study makes before its first look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.campaigns import current
from core.cli.command import Command
from core.cli.output import CommandAnswer, write_finding
from core.cli.settings import include_changes
from core.findings.judgements import Selection
from core.findings.people import PromiseSettings, promises
from core.findings.people import promise as make_promise
from core.records import TandemError
from core.settings import Part, declare, list_settings
from core.store import Store

OF_VOTES = Part("--votes", lambda values: values["votes"])
"""What is said of a promise plays a part where one is made."""


@dataclass(frozen=True, kw_only=True)
class PromiseRequest:
    """A promise of a campaign, or nothing to promise, to see what was promised."""

    dataset: str
    name: str = declare(
        "", "the campaign (default: the one people get now)", metavar="NAME", is_positional=True
    )
    promised: Mapping[str, Any] = include_changes(
        PromiseSettings,
        parts={name: OF_VOTES for name in list_settings(PromiseSettings) if name != "votes"},
    )


def promise(store: Store, request: PromiseRequest) -> CommandAnswer:
    """Promise a number of votes where one is given, and say what was promised."""
    dataset, name = request.dataset, request.name
    if request.promised:
        found = store.campaigns.find(dataset, name) if name else current(store, dataset)
        if found is None:
            raise TandemError(
                f"data set {dataset!r} has no campaign {name or 'that people get now'}: "
                "`campaign list` names them"
            )
        make_promise(store, found, PromiseSettings(**request.promised))
    result = promises(store, Selection(dataset))
    said = "\n".join(result.facts["sentences"]) or "Nothing is promised: `promise --votes N`."
    return CommandAnswer(result.document(), f"{said}\n{write_finding(result)}")


COMMANDS = {
    "promise": Command(
        promise,
        "promise a number of votes before you look, and check the promise",
        PromiseRequest,
        reads=(),
    )
}
