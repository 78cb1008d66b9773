"""Commands about people's votes: exclude, adjudicate."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ..findings.judgements import Selection, list_records, name_some
from ..findings.people import BETTER, DISPUTES, Scope, decide, disputes
from ..records import TandemError, option_ref
from ..rendering import lay_out, write_text
from ..settings import Part, declare
from ..store import Store
from .command import Command
from .output import CommandAnswer, table
from .settings import WHO, include


@dataclass(frozen=True)
class ExcludeRequest:
    """Options of `exclude`: annotators whose votes are left out of statistics, or count again."""

    dataset: str
    name: tuple[str, ...] = declare(
        (),
        "people whose votes are left out; without names, list them",
        metavar="NAME",
        is_positional=True,
    )
    reason: str = declare("", "the reason, which is recorded", metavar="TEXT")
    lift: bool = declare(False, "count their votes again", instead_of="reason")


def exclude(store: Store, request: ExcludeRequest) -> CommandAnswer:
    """Exclude a person's votes from statistics, lift that, or list exclusions."""
    if not request.name:
        rows = store.exclusions.load_all(request.dataset)
        return CommandAnswer(
            {"exclusions": list_records(rows)}, table(rows) if len(rows) else "Nobody is excluded."
        )
    name = store.people.spelling_of_known(" ".join(request.name))
    if request.lift:
        votes = store.exclusions.lift(request.dataset, name, by=WHO)
        text = f"{votes:,} votes of {name} count again"
    else:
        votes = store.exclusions.add(request.dataset, name, reason=request.reason, by=WHO)
        text = (
            f"{votes:,} votes of {name} are left out of statistics; `exclude {name} --lift` "
            "counts them again"
        )
    return CommandAnswer({"judge": name, "votes": votes, "excluded": not request.lift}, text)


DECIDED = Part("--better", lambda values: values["better"])


@dataclass(frozen=True)
class AdjudicateRequest:
    """Options of `adjudicate`: list disputes, decide one, or withdraw a decision."""

    selection: Selection = include()
    named: bool = declare(False, "show the systems' names, which may sway you")
    better: str = declare(
        "", "your decision: which of --texts is better", choices={name: name for name in BETTER}
    )
    texts: tuple[int, int] | None = declare(
        None, "text A and text B of a row", metavar="ID", least=1, part=DECIDED
    )
    comment: str = declare("", "why", metavar="TEXT", part=DECIDED)
    undo: int | None = declare(None, "withdraw a decision", metavar="JUDGEMENT", least=1)


def adjudicate(store: Store, request: AdjudicateRequest) -> CommandAnswer:
    """List the pairs people disagree on, decide one of them, or withdraw a decision."""
    if request.undo is not None:
        if not store.adjudications.undo(request.undo):
            raise TandemError(
                f"judgement {request.undo} is not a decision, or is withdrawn already"
            )
        return CommandAnswer({"withdrawn": request.undo}, f"Decision {request.undo} is withdrawn")
    rows = disputes(store, Scope(request.selection))
    if request.better:
        row, dataset = _find_disputed(rows, request.texts or ()), request.selection.dataset
        judgement = decide(store, dataset, row, request.better, by=WHO, comment=request.comment)
        text = f"Decided; `adjudicate --undo {judgement}` withdraws it"
        return CommandAnswer({"judgement": judgement, "better": request.better}, text)
    hidden = [] if request.named else ["system_1", "system_2"]
    columns = [column for column in DISPUTES if column.name not in hidden]
    return CommandAnswer(
        {"disputes": list_records(rows.drop(columns=hidden))},
        write_text(lay_out(rows, columns)) if len(rows) else "People agree everywhere.",
    )


def _find_disputed(rows: pd.DataFrame, texts: tuple[int, ...]) -> pd.Series:
    """The row about these two texts, the one that was named first in front."""
    sides = rows[["candidate_1", "candidate_2"]]
    there = rows[sides.isin(texts).all(axis=1)]
    if len(set(texts)) < 2 or there.empty:
        raise TandemError(
            f"people do not disagree about {' and '.join(map(str, texts)) or 'no texts'}: give "
            f"{option_ref('texts')} with text A and text B of a row that is listed"
        )
    if len(there) > 1:
        raise TandemError(
            f"people disagree about these texts on {name_some(there['attribute'])}: name one with "
            f"{option_ref('attribute')}"
        )
    first, second = texts
    row = there.iloc[0].copy()
    row["candidate_1"], row["candidate_2"] = first, second
    return row


COMMANDS = {
    "adjudicate": Command(
        adjudicate, request=AdjudicateRequest, reads=("attribute", "subset", "systems", "item_set")
    ),
    "exclude": Command(exclude, request=ExcludeRequest, reads=()),
}
