"""Commands that answer with a declared finding: its summary, further tables for people, and its
rows.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, make_dataclass, replace
from typing import Any, NoReturn

import pandas as pd

from ..catalogue import FINDINGS, DeclaredFinding
from ..findings.judgements import Finding
from ..records import TandemError
from ..store import Store
from .command import Command
from .options import flag
from .output import CommandAnswer, warn, write_finding, write_table
from .settings import (
    add_options,
    check_parts,
    collect_given,
    include,
    include_all,
    list_options,
)

TITLES = {"averages": "means over prompts", "differences": "differences on the same texts"}
MOST_ROWS = 100  # of a further table, for people; --json has them all


def make_command(declared: DeclaredFinding) -> Command:
    """The command that answers with a declared finding."""
    fields = [
        (
            name,
            kind,
            include_all() if name in declared.settings else include(*declared.reads),
        )
        for name, kind in declared.requests.items()
    ]
    request_type = make_dataclass("FindingRequest", fields, frozen=True)

    def run(store: Store, request: Any) -> CommandAnswer:
        result = declared.find(store, **vars(request)).name_settings(flag)
        return CommandAnswer(result.document(), _render_finding(result, declared))

    return Command(run, declared.help, request=request_type)


def _render_finding(result: Finding, declared: DeclaredFinding) -> str:
    """Its sentences, further tables and rows."""
    lead = declared.describe_lead(result, "\n")
    result = replace(result, notes=[note for note in result.notes if note not in lead])
    return "\n\n".join(
        filter(None, [lead, *render_tables(result, declared.tables), write_finding(result)])
    )


def render_tables(result: Finding, names: Sequence[str]) -> list[str]:
    """Render the further tables of a finding with their titles. Tables without figures, or too long
    to read, are left out.
    """
    return [
        f"{TITLES.get(name, name)}\n{write_table(result, name)}"
        for name in names
        if len(result.rows) and _has_figures(result.tables[name])
        if len(result.tables[name]) <= MOST_ROWS
    ]


def _has_figures(rows: pd.DataFrame) -> bool:
    return bool(rows.select_dtypes("number").notna().any(axis=None))


class _OptionParser(argparse.ArgumentParser):
    """It refuses as everything behind the door does."""

    def error(self, message: str) -> NoReturn:
        raise TandemError(f"{self.prog}: {message}")


def read_settings(declared: DeclaredFinding, words: Sequence[str]) -> dict[str, Any]:
    """Some settings of a declared finding, by name, as its command would take them: none is needed.

    Raises:
        TandemError: an option or a value that the command would refuse.
    """
    options = {
        name: replace(option, default=None if option.default is MISSING else option.default)
        for kind in declared.settings.values()
        for name, option in list_options(kind).items()
    }
    said = Counter(word.partition("=")[0] for word in words)
    for option in options.values():
        if said[option.flag] > 1 and not option.is_many:
            raise TandemError(
                f"--set {declared.command}.{option.flag[2:]} is given {said[option.flag]} times, "
                "and takes one value: give it once"
            )
    parser = _OptionParser(prog=declared.command, add_help=False, allow_abbrev=False)
    add_options(parser, options.values())
    args, unknown = parser.parse_known_args(words)
    if unknown:
        names = ", ".join(option.flag[2:] for option in options.values())
        raise TandemError(
            f"--set {declared.command}.{unknown[0].lstrip('-')}: {declared.command} has no such "
            f"setting; it has {names}"
        )
    given = collect_given(args, options)
    warn(*check_parts(options, given))
    return given


COMMANDS = {
    declared.command: make_command(declared) for declared in FINDINGS.values() if declared.help
}
