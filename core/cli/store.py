"""Commands about the store itself: backup, check, sample."""

from __future__ import annotations

import argparse
from pathlib import Path

from core import sample_study
from core.cli.command import Command
from core.cli.output import Answer
from core.runs import worker
from core.store import Store


def backup(store: Store, asked: argparse.Namespace) -> Answer:
    made = store.connection.backup(asked.to)
    return Answer(
        made, f"{made['file']}: {made['bytes']:,} bytes, {made['judgements']:,} judgements"
    )


def _backup_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--to", type=Path, required=True, metavar="FILE", help="file to write the copy to"
    )


def check_(store: Store, asked: argparse.Namespace) -> Answer:
    found = store.connection.check()
    counts = ", ".join(f"{count:,} {name}" for name, count in found["counts"].items())
    text = (
        f"{store.path} is {'whole' if found['ok'] else 'damaged: restore a backup'} (schema "
        f"{found['schema']}): {counts}"
    )
    return Answer(found, text, status=0 if found["ok"] else 1)


def sample_(store: Store, asked: argparse.Namespace) -> Answer:
    added = sample_study.load(store)
    worker.work(store.path, once=True)
    return Answer({"datasets": added}, f"The sample study is there: {', '.join(added)}")


COMMANDS = {
    "backup": Command(
        backup, "back up the store, also while it is in use", _backup_options, reads=None
    ),
    "check": Command(
        check_, "check the integrity of the store, changing nothing", reads=None, untouched=True
    ),
    "sample": Command(sample_, "load the sample study and run the baselines on it", reads=None),
}
