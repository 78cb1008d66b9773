"""The command about the small model that Tandem fetches."""

from __future__ import annotations

import sys

from ..models.local import small_model
from ..store import Store
from .command import Command, NoOptions
from .output import CommandAnswer


def fetch(store: Store, asked: NoOptions) -> CommandAnswer:
    """Download the small model, and print how to judge with it."""
    folder = small_model.fetch_model(lambda line: print(line, file=sys.stderr, flush=True))
    document = {"spec": small_model.SPEC, "name": small_model.NAME, "folder": str(folder)}
    text = f"{small_model.SPEC} is in {folder}.\nJudge with it: --judge {small_model.SPEC}"
    return CommandAnswer(document, f"{text}\n{small_model.ADVICE}")


COMMANDS = {
    "model": Command(
        fetch,
        reads=None,
        request=NoOptions,
        needs_no_store=lambda asked: True,  # a model belongs to the machine, and to no store
    )
}
