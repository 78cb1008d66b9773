"""The command about whether a judge may take an annotator's place."""

from __future__ import annotations

import argparse
from dataclasses import fields
from dataclasses import replace as changed

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance, number, told
from core.cli.output import Answer, shown, table
from core.findings.together import TIES, ReplaceSettings, replacement
from core.store import Store

SHOWN = (
    "judge", "attribute", "annotator", "items", "pairs", "judge_ahead", "annotator_ahead",
    "advantage", "low", "high", "adjusted", "won",
)  # fmt: skip
MOST_ROWS = 100  # of annotators, for people; --json has them all


def replace(store: Store, asked: argparse.Namespace) -> Answer:
    settings = ReplaceSettings(**told(asked, [field.name for field in fields(ReplaceSettings)]))
    selection = changed(options.selection(store, asked), scores=asked.with_scores)
    result = replacement(store, selection, settings)
    each = result.tables["annotators"]
    parts = ["\n".join(result.facts["sentences"])]
    if 0 < len(each) <= MOST_ROWS:
        parts.append(f"annotators\n{table(each[list(SHOWN)])}")
    return Answer(result.document(), "\n\n".join([*parts, shown(result)]))


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--people",
        metavar="human|gold|NAME",
        help="the annotators, or raters who give marks (default human)",
        nargs="+",
        action="extend",
    )
    sub.add_argument(
        "--epsilon",
        type=number(0),
        metavar="E",
        help="what an annotator costs more than the judge, in shares of items: 0.2 for experts, "
        f"0.15 for skilled annotators, 0.1 for crowd workers (default {ReplaceSettings.epsilon:g})",
    )
    sub.add_argument(
        "--ties",
        choices=TIES,
        help="a tie is an answer of its own, or agrees by half with either text, and so do "
        f"contradictions between orders (default {ReplaceSettings.ties})",
    )
    sub.add_argument(
        "--with-scores",
        action="store_true",
        help="whoever has scored texts takes part, too: the text with the higher score is better",
    )
    add_provenance(sub)


COMMANDS = {"replace": Command(replace, "may a judge take an annotator's place?", _options)}
