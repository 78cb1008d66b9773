"""Commands about people and judges together: combine, plan, replace."""

from __future__ import annotations

import argparse
from dataclasses import replace as changed
from functools import partial

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance
from core.cli.output import Answer, shown, write_table
from core.cli.settings import add_settings, parse_settings
from core.findings.combine import CombineSettings
from core.findings.combine import combine as combined
from core.findings.judgements import Finding
from core.findings.plan import PlanSettings
from core.findings.plan import plan as planned
from core.findings.replacement import ReplaceSettings, replacement
from core.settings import list_settings
from core.store import Store

MOST_ROWS = 100  # of annotators, for people; --json has them all


def combine(store: Store, asked: argparse.Namespace) -> Answer:
    settings = parse_settings(asked, CombineSettings)
    return _answer(combined(store, options.selection(store, asked), settings), "judges")


def plan(store: Store, asked: argparse.Namespace) -> Answer:
    settings = parse_settings(asked, PlanSettings)
    return _answer(planned(store, options.selection(store, asked), settings), "needed")


def replace(store: Store, asked: argparse.Namespace) -> Answer:
    settings = parse_settings(asked, ReplaceSettings)
    selection = changed(options.selection(store, asked), scores=asked.with_scores)
    return _answer(replacement(store, selection, settings), "annotators")


def _answer(result: Finding, name: str) -> Answer:
    """Its sentences, one of its tables, and its rows."""
    parts = ["\n".join(result.facts["sentences"])]
    if 0 < len(result.tables[name]) <= MOST_ROWS:
        parts.append(f"{name}\n{write_table(result, name)}")
    return Answer(result.document(), "\n\n".join([*parts, shown(result)]))


def _add_options(sub: argparse.ArgumentParser, request: type) -> None:
    add_settings(sub.add_argument, request, *list_settings(request))
    add_provenance(sub)


def _add_replace_options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, ReplaceSettings, *list_settings(ReplaceSettings))
    sub.add_argument(
        "--with-scores",
        action="store_true",
        help="whoever has scored texts takes part, too: the text with the higher score is better",
    )
    add_provenance(sub)


COMMANDS = {
    "combine": Command(
        combine,
        "rank by few human votes and many judges together",
        partial(_add_options, request=CombineSettings),
    ),
    "plan": Command(
        plan,
        "say how many more votes settle the ranks",
        partial(_add_options, request=PlanSettings),
    ),
    "replace": Command(replace, "may a judge take an annotator's place?", _add_replace_options),
}
