"""Commands about people at work: annotators, exclude, adjudicate."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pandas as pd

from core.cli import options
from core.cli.command import Command
from core.cli.options import WHO, Part, whole
from core.cli.output import Answer, shown, table
from core.cli.settings import add_settings, parse_settings
from core.findings.judgements import records, some
from core.findings.people import BETTER, DISPUTES, Pace, Scope, decide, disputes
from core.findings.people import annotators as supervised
from core.records import TandemError, setting
from core.rendering import lay_out, write_text
from core.store import Store


def annotators(store: Store, asked: argparse.Namespace) -> Answer:
    scope = Scope(options.selection(store, asked))
    result = supervised(store, scope, parse_settings(asked, Pace))
    return Answer(result.document(), shown(result))


def _annotators_options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, Pace, "fastest")


def exclude(store: Store, asked: argparse.Namespace) -> Answer:
    dataset = options.dataset(store, asked)
    if not asked.name:
        rows = store.exclusions.all(dataset)
        return Answer(
            {"exclusions": records(rows)},
            table(rows) if len(rows) else "Nobody is excluded.",
        )
    name = store.people.spelling_of_known(" ".join(asked.name))
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


def adjudicate(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.undo is not None:
        if not store.adjudications.undo(asked.undo):
            raise TandemError(f"judgement {asked.undo} is no decision, or is withdrawn already")
        return Answer({"withdrawn": asked.undo}, f"Decision {asked.undo} is withdrawn")
    selection = options.selection(store, asked)
    rows = disputes(store, Scope(selection))
    if asked.better:
        row = _disputed(rows, asked.texts or ())
        judgement = decide(
            store, selection.dataset, row, asked.better, by=WHO, comment=asked.comment or ""
        )
        text = f"Decided; `adjudicate --undo {judgement}` withdraws it"
        return Answer({"judgement": judgement, "better": asked.better}, text)
    hidden = [] if asked.named else ["system_1", "system_2"]
    columns = [column for column in DISPUTES if column.name not in hidden]
    return Answer(
        {"disputes": records(rows.drop(columns=hidden))},
        write_text(lay_out(rows, columns)) if len(rows) else "People agree everywhere.",
    )


def _disputed(rows: pd.DataFrame, texts: Sequence[int]) -> pd.Series:
    """The row about these two texts, the one that was named first in front."""
    sides = rows[["candidate_1", "candidate_2"]]
    there = rows[sides.isin(texts).all(axis=1)]
    if len(set(texts)) < 2 or there.empty:
        raise TandemError(
            f"people do not disagree about {' and '.join(map(str, texts)) or 'no texts'}: give "
            f"{setting('texts')} with text A and text B of a row that is listed"
        )
    if len(there) > 1:
        raise TandemError(
            f"people disagree about these texts on {some(there['attribute'])}: name one with "
            f"{setting('attribute')}"
        )
    first, second = texts
    row = there.iloc[0].copy()
    row["candidate_1"], row["candidate_2"] = first, second
    return row


def _adjudicate_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--named", action="store_true", help="list the systems' names: they may sway you"
    )
    sub.add_argument("--better", choices=tuple(BETTER), help="decide: which of --texts is better")
    decided = Part(sub, "--better", lambda asked: asked.better)
    decided.add("--texts", nargs=2, type=whole(1), metavar="ID", help="text A and text B of a row")
    decided.add("--comment", metavar="TEXT", help="why")
    sub.add_argument("--undo", type=whole(1), metavar="JUDGEMENT", help="withdraw a decision")


COMMANDS = {
    "adjudicate": Command(
        adjudicate, "list pairs on which people disagree, and decide them", _adjudicate_options,
        ("attribute", "subset", "systems"),
    ),
    "annotators": Command(
        annotators, "show how each person judges: pace, sides, agreement, misfit",
        _annotators_options,
    ),
    "exclude": Command(
        exclude, "leave somebody's votes out of statistics, or take them in again",
        _exclude_options, reads=(),
    ),
}  # fmt: skip
