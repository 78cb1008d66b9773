"""Commands about people at work: annotators, exclude."""

from __future__ import annotations

import argparse
from dataclasses import replace

from core.analysis.campaigns import FASTEST, Pace, Scope
from core.analysis.campaigns import annotators as supervised
from core.cli import options
from core.cli.command import Command
from core.cli.options import number, told
from core.cli.output import Answer, shown, table
from core.store import Store

WHO = "command line"
"""What the audit log calls whoever gives a command."""

SHOWN = (
    "annotator", "excluded", "answered", "skipped", "seconds", "too_fast", "p_first", "ties",
    "both_bad", "agreement", "shared", "self_agreement", "infit", "usual_high", "misfit", "last_at",
)  # fmt: skip


def annotators(store: Store, asked: argparse.Namespace) -> Answer:
    scope = Scope(options.selection(store, asked))
    result = supervised(store, scope, Pace(**told(asked, ["fastest"])))
    kept = result.rows[list(SHOWN)].dropna(axis="columns", how="all")
    return Answer(result.document(), shown(replace(result, rows=kept)))


def _annotators_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--fastest",
        type=number(0),
        metavar="N",
        help="words a minute nobody reads both texts at; an answer that takes less time is too "
        f"fast (default {FASTEST})",
    )


def exclude(store: Store, asked: argparse.Namespace) -> Answer:
    dataset = options.dataset(store, asked)
    if not asked.name:
        rows = store.exclusions.all(dataset)
        return Answer(
            {"exclusions": rows.where(rows.notna(), None).to_dict("records")},
            table(rows) if len(rows) else "Nobody is excluded.",
        )
    name = " ".join(asked.name)
    if asked.lift:
        votes = store.exclusions.lift(dataset, name, by=WHO)
        text = f"{votes:,} votes of {name} count again"
    else:
        votes = store.exclusions.add(dataset, name, reason=asked.reason or "", by=WHO)
        text = (
            f"{votes:,} votes of {name} are left out of statistics; `exclude {name} --lift` takes "
            "them in again"
        )
    return Answer({"judge": name, "votes": votes, "excluded": not asked.lift}, text)


def _exclude_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("name", nargs="*", help="whose votes; nobody lists who is excluded")
    how = sub.add_mutually_exclusive_group()
    how.add_argument("--reason", metavar="TEXT", help="why, which is recorded")
    how.add_argument("--lift", action="store_true", help="count their votes again")


COMMANDS = {
    "annotators": Command(
        annotators, "show how each person judges: pace, sides, agreement, misfit",
        _annotators_options,
    ),
    "exclude": Command(
        exclude, "leave somebody's votes out of statistics, or take them in again",
        _exclude_options, reads=(),
    ),
}  # fmt: skip
