"""The command about what a ranking would have cost."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance, number, told, whole
from core.cli.output import Answer, shown, table
from core.findings.budget import CORRECTIONS, LEVELS, METHODS, PAIRINGS, BudgetSettings
from core.findings.budget import budget as budgets
from core.store import Store

SHOWN = (
    "strategy", "method", "debias", "comparisons", "spearman", "pair_accuracy", "human_spearman",
    "human_accuracy",
)  # fmt: skip


def budget(store: Store, asked: argparse.Namespace) -> Answer:
    settings = BudgetSettings(**told(asked, [field.name for field in fields(BudgetSettings)]))
    result = budgets(store, options.selection(store, asked), settings)
    parts = [
        f"{name}\n{table(rows.dropna(axis='columns', how='all'))}"
        for name, rows in result.tables.items()
        if len(rows) and (name != "all" or result.facts["against"])
    ]
    rows = result.rows[list(SHOWN)].dropna(axis="columns", how="all")
    sentences = "\n".join(result.facts["sentences"])
    return Answer(
        result.document(), "\n\n".join([sentences, *parts, shown(replace(result, rows=rows))])
    )


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--level",
        choices=LEVELS,
        help="whether each item's candidates are ranked, or the systems over all items (default: "
        "item where items have three candidates or more)",
    )
    sub.add_argument(
        "--pairs",
        dest="pairings",
        choices=PAIRINGS,
        help="strategies that are replayed (default: all but active and pairs-beam, which think "
        "long)",
        nargs="+",
        action="extend",
    )
    sub.add_argument(
        "--method",
        dest="methods",
        choices=METHODS,
        help="rating methods (default average-probability, of decisions win-ratio)",
        nargs="+",
        action="extend",
    )
    sub.add_argument(
        "--debias",
        dest="corrections",
        choices=CORRECTIONS,
        help="with and without the threshold that takes out position bias (default: both, where "
        "there are probabilities)",
        nargs="+",
        action="extend",
    )
    sub.add_argument(
        "--budget",
        dest="budgets",
        type=whole(1),
        metavar="R",
        help="comparisons an item (default: a dozen or two numbers up to all)",
        nargs="+",
        action="extend",
    )
    sub.add_argument(
        "--replays",
        type=whole(1),
        metavar="N",
        help="how often each strategy draws anew; a fifth as often those that look at answers "
        f"(default {BudgetSettings.replays})",
    )
    sub.add_argument(
        "--draws",
        type=whole(1),
        metavar="N",
        help=f"how often some of the candidates are drawn (default {BudgetSettings.draws})",
    )
    sub.add_argument(
        "--goal",
        type=number(0),
        metavar="RHO",
        help="Spearman correlation with all comparisons that is enough (default "
        f"{BudgetSettings.goal:g})",
    )
    sub.add_argument(
        "--rater", metavar="RATER", help="whose scores the rankings are held against, too"
    )
    add_provenance(sub)


COMMANDS = {"budget": Command(budget, "how few comparisons would have done", _options)}
