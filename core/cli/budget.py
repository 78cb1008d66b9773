"""The command about what a ranking would have cost."""

from __future__ import annotations

import argparse

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance
from core.cli.output import Answer, shown, write_table
from core.cli.settings import add_settings, parse_settings
from core.findings.budget import BudgetSettings
from core.findings.budget import budget as budgets
from core.settings import list_settings
from core.store import Store


def budget(store: Store, asked: argparse.Namespace) -> Answer:
    settings = parse_settings(asked, BudgetSettings)
    result = budgets(store, options.selection(store, asked), settings)
    parts = [
        f"{name}\n{write_table(result, name)}"
        for name, rows in result.tables.items()
        if len(rows) and (name != "all" or result.facts["against"])
    ]
    sentences = "\n".join(result.facts["sentences"])
    return Answer(result.document(), "\n\n".join([sentences, *parts, shown(result)]))


def _options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, BudgetSettings, *list_settings(BudgetSettings))
    add_provenance(sub)


COMMANDS = {"budget": Command(budget, "how few comparisons would have done", _options)}
