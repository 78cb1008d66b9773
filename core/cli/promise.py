"""The command about what a study promises before its first look."""

from __future__ import annotations

import argparse

from core.campaigns import current
from core.cli import options
from core.cli.command import Command
from core.cli.options import Part
from core.cli.output import Answer, shown
from core.cli.settings import add_settings, parse_settings
from core.findings.judgements import Selection
from core.findings.people import PromiseSettings, promises
from core.findings.people import promise as make_promise
from core.records import TandemError
from core.settings import list_settings
from core.store import Store


def promise(store: Store, asked: argparse.Namespace) -> Answer:
    """Promise a number of votes where one is given, and say what was promised."""
    dataset = options.dataset(store, asked)
    if asked.votes is not None:
        found = store.campaigns.find(dataset, asked.name) if asked.name else current(store, dataset)
        if found is None:
            raise TandemError(
                f"data set {dataset!r} has no campaign {asked.name or 'that people get now'}: "
                "`campaign list` names them"
            )
        # Among them `attributes` and `judges`, which other commands read as what to select.
        make_promise(store, found, parse_settings(asked, PromiseSettings))
    result = promises(store, Selection(dataset))
    said = "\n".join(result.facts["sentences"]) or "Nothing is promised: `promise --votes N`."
    return Answer(result.document(), f"{said}\n{shown(result)}")


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "name", nargs="?", metavar="NAME", help="the campaign; default the one people get now"
    )
    add_settings(sub.add_argument, PromiseSettings, "votes")
    part = Part(sub, "--votes", lambda asked: asked.votes is not None)
    others = [name for name in list_settings(PromiseSettings) if name != "votes"]
    add_settings(part.add, PromiseSettings, *others)


COMMANDS = {
    "promise": Command(
        promise,
        "say beforehand how many votes there will be, and see whether that is kept",
        _options,
        reads=(),
    )
}
