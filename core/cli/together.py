"""Commands about people and judges together: combine, plan."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance, number, told, whole
from core.cli.output import Answer, shown, table
from core.findings.together import METHODS, CombineSettings, PlanSettings
from core.findings.together import combine as combined
from core.findings.together import plan as planned
from core.store import Store

SHOWN = (
    "system", "combined", "combined_low", "combined_high", "human", "human_low", "human_high",
    "alone", "rank_low", "rank_high", "votes", "effective",
)  # fmt: skip


def combine(store: Store, asked: argparse.Namespace) -> Answer:
    settings = CombineSettings(**told(asked, [field.name for field in fields(CombineSettings)]))
    result = combined(store, options.selection(store, asked), settings)
    sentences = "\n".join(result.facts["sentences"])
    judges = f"judges\n{table(result.tables['judges'])}"
    rows = shown(replace(result, rows=result.rows[list(SHOWN)]))
    return Answer(result.document(), f"{sentences}\n\n{judges}\n\n{rows}")


def plan(store: Store, asked: argparse.Namespace) -> Answer:
    settings = PlanSettings(**told(asked, [field.name for field in fields(PlanSettings)]))
    result = planned(store, options.selection(store, asked), settings)
    sentences = "\n".join(result.facts["sentences"])
    needed = f"needed\n{table(result.tables['needed'])}"
    return Answer(result.document(), f"{sentences}\n\n{needed}\n\n{shown(result)}")


def _plan_options(sub: argparse.ArgumentParser) -> None:
    _combine_options(sub)
    sub.add_argument(
        "--top", type=whole(1), metavar="K", help="settle ranks 1 to K (default: all ranks)"
    )
    sub.add_argument(
        "--level", type=number(0), metavar="P", help="with which confidence (default 0.95)"
    )
    sub.add_argument("--vote-price", type=number(0), metavar="X", help="what a vote costs")
    sub.add_argument(
        "--answer-price",
        type=number(0),
        metavar="X",
        help="what an answer by one judge costs (default: as the judges' runs say)",
    )


def _combine_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--people",
        metavar="human|gold|NAME",
        help="whose votes, or marks, are the truth (default human)",
        nargs="+",
        action="extend",
    )
    sub.add_argument(
        "--method",
        choices=METHODS,
        help="the rating method (default: win-ratio where every system met the others about "
        "equally often, else bradley-terry)",
    )
    add_provenance(sub)


COMMANDS = {
    "combine": Command(
        combine, "rank by few human votes and many judges together", _combine_options
    ),
    "plan": Command(plan, "say how many more votes settle the ranks", _plan_options),
}
