"""The command about one whole data set: rename it, delete it, or word it otherwise."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from core.cli.command import Command
from core.cli.options import WHO, Part, file_path
from core.cli.output import Answer
from core.records import TandemError
from core.store import Store, dataset_decisions


def dataset(store: Store, asked: argparse.Namespace) -> Answer:
    return VERBS[asked.verb](store, asked)


def _delete(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.confirm is None:
        contents = dataset_decisions.count_contents(store, asked.name)
        text = (
            f"with {asked.name} go {dataset_decisions.describe_contents(contents)}; nothing was "
            f"deleted: add --confirm NAME, with its name"
        )
        return Answer({"deleted": False, **contents}, text)
    if asked.confirm != asked.name:
        raise TandemError(f"--confirm {asked.confirm!r} is not {asked.name!r}: nothing was deleted")
    gone = dataset_decisions.delete(store, WHO, asked.name, asked.backup_to)
    text = (
        f"{asked.name} is gone, with {dataset_decisions.describe_contents(gone.contents)}; "
        f"{gone.backup} has all of it ({gone.bytes:,} bytes); the store's own file becomes no "
        "smaller, and fills again"
    )
    document = {"deleted": True, **gone.contents, "backup": str(gone.backup), "bytes": gone.bytes}
    return Answer(document, text)


def _rename(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.to is None:
        raise TandemError("--to is needed: the new name")
    dataset_decisions.rename(store, WHO, asked.name, asked.to)
    name = asked.to.strip()
    return Answer({"dataset": name, "before": asked.name}, f"{asked.name} is now called {name}")


def _edit(store: Store, asked: argparse.Namespace) -> Answer:
    words, questions = (
        {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
        for names in (dataset_decisions.WORDS, dataset_decisions.ASKED)
    )
    if questions and asked.attribute is None:
        raise TandemError(f"--{next(iter(questions))} is of an attribute: name it with --attribute")
    if not words and not questions:
        raise TandemError("nothing to edit: give --instructions, --question or another wording")
    with store.transaction(durable=True):
        changed = dataset_decisions.reword(store, WHO, asked.name, words)
        if questions:
            changed += dataset_decisions.reword_attribute(
                store, WHO, asked.name, asked.attribute, questions
            )
    text = f"changed: {', '.join(changed)}" if changed else "it was worded so already"
    return Answer({"changed": changed}, text)


VERBS: dict[str, Callable[[Store, argparse.Namespace], Answer]] = {
    "rename": _rename,
    "delete": _delete,
    "edit": _edit,
}


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("verb", choices=tuple(VERBS), metavar="VERB", help="what to do")
    sub.add_argument("name", metavar="NAME", help="the data set")
    Part(sub, "rename", lambda asked: asked.verb == "rename", "verb").add(
        "--to", metavar="NEW", help="its new name"
    )
    deleting = Part(sub, "delete", lambda asked: asked.verb == "delete", "verb")
    deleting.add(
        "--confirm", metavar="NAME", help="its name again; without it only says what would go"
    )
    deleting.add(
        "--backup-to", type=file_path, metavar="FILE", help="where the store is copied to before"
    )
    editing = Part(sub, "edit", lambda asked: asked.verb == "edit", "verb")
    editing.add("--instructions", metavar="TEXT", help="guidelines for annotators")
    editing.add("--context-noun", metavar="WORD", help='such as "article"')
    editing.add("--candidate-noun", metavar="WORD", help='such as "summary"')
    editing.add("--source", metavar="TEXT", help="where the data come from")
    editing.add("--licence", metavar="TEXT", help="licence of the data")
    editing.add("--attribute", metavar="NAME", help="the attribute to word otherwise")
    editing.add("--adjective", metavar="WORD", help="of the attribute, such as coherent")
    editing.add("--question", metavar="TEXT", help="of the attribute")
    editing.add("--guideline", metavar="TEXT", help="of the attribute")


COMMANDS = {
    "dataset": Command(dataset, "rename, delete or reword a data set", _options, reads=None)
}
