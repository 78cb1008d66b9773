"""Options that several commands share."""

from __future__ import annotations

import argparse
import errno
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from core.failures import FAILURES, TIMED_OUT
from core.findings.judgements import Selection
from core.records import TandemError
from core.settings import list_settings
from core.store import Store

MOST = (
    2**31 - 1
    # of any whole number one may ask for: more of anything than there is, and small enough to be
    # stored
)


WHO = "command line"
"""Who did what is done here, in the audit log."""


def whole(low: int) -> Callable[[str], int]:
    """A whole number from `low`, as the type of an option."""

    def read(text: str) -> int:
        # The length first: Python refuses to read a number of thousands of digits.
        if not re.fullmatch(r"[+-]?0*[0-9]{1,10}", text) or not low <= int(text) <= MOST:
            raise argparse.ArgumentTypeError(
                f"{text[:40]!r} is not a whole number from {low} to {MOST}"
            )
        return int(text)

    return read


def number(low: float) -> Callable[[str], float]:
    """A finite number from `low`, as the type of an option."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value < math.inf:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number from {low:g}")
        return value

    return read


def file_path(text: str) -> Path:
    """The name of a file or folder, there or not, as the type of an option."""
    return Path(file_words(text))


def file_words(text: str) -> str:
    """The same as it was typed, of what may be a pattern or an address."""
    if not text:
        raise argparse.ArgumentTypeError("the name of a file or folder is empty: give one")
    if "\0" in text:
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} holds a NUL, which no name of a file or folder does: give another"
        )
    try:
        os.stat(text)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise argparse.ArgumentTypeError(
                f"{text[:40]!r} and {len(text) - 40:,} characters more is too long for the name of "
                "a file or folder: give a shorter one"
            ) from None
    return text


def flag(name: str) -> str:
    """What a setting is called here: "--beam-size"."""
    return f"--{name.replace('_', '-')}"


class Part:
    """Options that play a part in some requests only. In any other they would be passed over, and
    whoever gives one expects another answer, so there it is refused; or only told, where a script
    may well give it to every request.

    `to` says in which they do, for the sentence and as a heading of the help; `plays` whether a
    request is one of them; `unlike` is the option that made it another. Such options have no
    default: what is not given is None or False.
    """

    def __init__(
        self,
        sub: argparse.ArgumentParser,
        to: str,
        plays: Callable[[argparse.Namespace], object],
        unlike: str = "",
    ) -> None:
        self.group = sub.add_argument_group(f"of {to}")
        self._to, self._plays, self._unlike = to, plays, unlike
        self._actions: list[argparse.Action] = []
        self._harmless: set[str] = set()
        sub.set_defaults(parts=[*(sub.get_default("parts") or []), self])

    def add(
        self,
        *names: str,
        to: argparse._ActionsContainer | None = None,
        harmless: bool = False,
        **how: Any,
    ) -> None:
        """An option; `to` a group of those that exclude one another; a `harmless` one is told, not
        refused.
        """
        action = (to or self.group).add_argument(*names, **how)
        self._actions.append(action)
        self._harmless |= {action.dest} if harmless else set()

    def check(self, asked: argparse.Namespace) -> list[str]:
        """What to be told of these options in a request they play no part in. Raises TandemError
        for one that is refused.
        """
        given = told(asked, [action.dest for action in self._actions])
        if not given or self._plays(asked):
            return []
        idle = [action for action in self._actions if action.dest in given]
        for action in idle:
            if action.dest not in self._harmless:
                raise TandemError(f"{self._says(action, given, asked)}: leave it out")
        return [f"{self._says(action, given, asked)}, and plays no part here" for action in idle]

    def _says(
        self, action: argparse.Action, given: Mapping[str, Any], asked: argparse.Namespace
    ) -> str:
        value = given[action.dest]
        words = (
            ""
            if value is True
            else f" {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
        )
        other = getattr(asked, self._unlike) if self._unlike else None
        return (
            f"{action.option_strings[0]}{words[:60]} belongs to "
            f"{self._to}{f', not to {other}' if other else ''}"
        )


def told(asked: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """What was given of these options; for the others whoever takes them has a default. 0 is a
    number somebody gave.
    """
    every = {name: getattr(asked, name, None) for name in names}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in every.items()
        if value is not None and value is not False
    }


ALL_KINDS = "all"


def add_retry_failed(sub: argparse.ArgumentParser, what: str) -> None:
    """The option that asks again for what failed, or for what failed for one kind of reason."""
    sub.add_argument(
        "--retry-failed",
        nargs="?",
        const=ALL_KINDS,
        choices=(ALL_KINDS, *FAILURES),
        metavar="KIND",
        help=f"ask again only {what}, or only failures of one kind, such as {TIMED_OUT}",
    )


def failure_kind(asked: argparse.Namespace) -> str:
    """The kind of failures to be asked again, '' for all."""
    return "" if asked.retry_failed in (None, ALL_KINDS) else str(asked.retry_failed)


FAMILIES = list_settings(Selection)["families"]
SELECTING: dict[str, dict[str, Any]] = {
    "subset": {"metavar": "S", "help": "only items of this task, language or split"},
    "attribute": {"metavar": "A", "help": "only this attribute"},
    "judges": {
        "nargs": "+",
        "action": "extend",
        "metavar": "human|llm|baseline|gold|NAME",
        "help": "whose judgements",
    },
    "systems": {
        "nargs": "+",
        "action": "extend",
        "metavar": "SYSTEM",
        "help": "only these systems",
    },
    "seed": {"type": whole(0), "metavar": "N", "help": "random seed (default 0)"},
    "families": {"choices": tuple(FAMILIES.choices), "help": FAMILIES.help},
}
"""What narrows down what a command is about. A script may give them everywhere: where one plays no
part, that is said.
"""


def add_selection(sub: argparse.ArgumentParser) -> None:
    """Which judgements or scores a command is about."""
    sub.add_argument(
        "--dataset", metavar="D", help="the data set; optional while there is only one"
    )
    for name, how in SELECTING.items():
        sub.add_argument(f"--{name}", **how)


PROVENANCE: dict[str, dict[str, Any]] = {
    "runs": {
        "flag": "--run",
        "type": whole(1),
        "metavar": "ID",
        "help": "of models and baselines only the answers of these runs",
    },
    "trials": {"flag": "--trial", "type": whole(0), "metavar": "N", "help": "only these trials"},
    "strategies": {
        "flag": "--strategy",
        "metavar": "NAME",
        "help": "of models and baselines only the answers of runs with these pairing strategies",
    },
}
"""Which of a judge's answers a command is about."""


def add_provenance(sub: argparse.ArgumentParser, part: Part | None = None) -> None:
    """By which run, at which trial and for which strategy an answer was asked; in all requests of a
    command, or in the `part` that is about answers.
    """
    add = part.add if part else sub.add_argument_group("of which answers").add_argument
    for name, how in PROVENANCE.items():
        kept = {key: value for key, value in how.items() if key != "flag"}
        add(how["flag"], dest=name, nargs="+", action="extend", **kept)


def dataset(store: Store, asked: argparse.Namespace) -> str:
    there = store.datasets.names()
    if asked.dataset in there or (asked.dataset is None and len(there) == 1):
        return str(asked.dataset or there[0])
    if not there:
        raise TandemError("the store is empty: import something first")
    wrong = (
        f"unknown data set {asked.dataset!r}"
        if asked.dataset
        else "--dataset is needed, there being several"
    )
    raise TandemError(f"{wrong}; there are: {', '.join(there)}")


def selection(store: Store, asked: argparse.Namespace) -> Selection:
    given = told(asked, (*SELECTING, *PROVENANCE))
    if "judges" in given:
        given["judges"] = tuple(map(store.people.spelling_of_known, given["judges"]))
    return Selection(dataset(store, asked), **given)
