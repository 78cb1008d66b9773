"""Commands about those who vote: who is excluded, what they disagree about, and crowds that come
by one link and are paid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..access import LOCAL_ADDRESS, CrowdTerms, check_address, close_crowd, find_address, open_crowd
from ..campaigns import pay
from ..exporting import hide, record
from ..findings.judgements import Selection, list_records, name_some
from ..findings.people import BETTER, DISPUTES, Scope, decide, describe_disputes, disputes
from ..records import TandemError, option_ref
from ..rendering import lay_out, write_text
from ..settings import Part, declare
from ..store import Campaign, Crowd, Store
from .campaign import CampaignRequest, read_text, write_setting
from .command import Command, Verbs
from .output import CommandAnswer, answer_rows, save_rows, table
from .settings import WHO, declare_table, include, include_changes


def exclude(
    store: Store,
    dataset: str,
    name: tuple[str, ...] = declare(
        (),
        "people whose votes are left out; without names, list them",
        metavar="NAME",
        is_positional=True,
    ),
    reason: str = declare("", "the reason, which is recorded", metavar="TEXT"),
    lift: bool = declare(False, "count their votes again", instead_of="reason"),
) -> CommandAnswer:
    """Exclude a person's votes from statistics, lift that, or list exclusions."""
    if not name:
        rows = store.exclusions.load_all(dataset)
        return CommandAnswer(
            {"exclusions": list_records(rows)}, table(rows) if len(rows) else "Nobody is excluded."
        )
    person = store.people.spelling_of_known(" ".join(name))
    if lift:
        votes = store.exclusions.lift(dataset, person, by=WHO)
        text = f"{votes:,} votes of {person} count again"
    else:
        votes = store.exclusions.add(dataset, person, reason=reason, by=WHO)
        text = (
            f"{votes:,} votes of {person} are left out of statistics; `exclude {person} --lift` "
            "counts them again"
        )
    return CommandAnswer({"judge": person, "votes": votes, "excluded": not lift}, text)


DECIDED = Part("--better", lambda values: values["better"])


def adjudicate(
    store: Store,
    selection: Selection = include(),
    named: bool = declare(False, "show the systems' names, which may sway you"),
    better: str = declare("", "your decision: which of --texts is better", choices=tuple(BETTER)),
    texts: tuple[int, int] | None = declare(
        None, "text A and text B of a row", metavar="ID", least=1, part=DECIDED
    ),
    comment: str = declare("", "why", metavar="TEXT", part=DECIDED),
    undo: int | None = declare(None, "withdraw a decision", metavar="JUDGEMENT", least=1),
) -> CommandAnswer:
    """List the pairs people disagree on, decide one of them, or withdraw a decision."""
    if undo is not None:
        if not store.adjudications.undo(undo):
            raise TandemError(f"judgement {undo} is not a decision, or is withdrawn already")
        return CommandAnswer({"withdrawn": undo}, f"Decision {undo} is withdrawn")
    rows = disputes(store, Scope(selection))
    if better:
        row = _find_disputed(rows, texts or ())
        judgement = decide(store, selection.dataset, row, better, by=WHO, comment=comment)
        text = f"Decided; `adjudicate --undo {judgement}` withdraws it"
        return CommandAnswer({"judgement": judgement, "better": better}, text)
    hidden = [] if named else ["system_1", "system_2"]
    columns = [column for column in DISPUTES if column.name not in hidden]
    return CommandAnswer(
        {"disputes": list_records(rows.drop(columns=hidden))},
        write_text(lay_out(rows, columns)) if len(rows) else describe_disputes(rows),
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


SHOWN = (
    "participant", "person", "state", "minutes", "questions", "checks_passed", "checks_failed",
    "code",
)  # fmt: skip
"""Columns of the table for payment that fit on a screen."""


ADDRESS: Any = declare(
    "", f"address that the link begins with; default {LOCAL_ADDRESS}", metavar="URL"
)


def open_link(
    store: Store,
    chosen: CampaignRequest,
    address: str = ADDRESS,
    terms: Mapping[str, Any] = include_changes(CrowdTerms),
    new_link: bool = declare(False, "make another link and end the one before"),
) -> CommandAnswer:
    """Open a campaign's crowd link, or change the terms that are given."""
    campaign = _find_campaign(store, chosen, address)
    before = store.crowds.find_by_campaign(campaign.id)
    kept = CrowdTerms.from_stored(before.terms) if before else CrowdTerms()
    changed = dict(terms)
    if changed.get("places") == 0:
        changed["places"] = None
    for name in ("before", "after"):
        if len(changed.get(name, ())) == 1:
            lines = read_text(changed[name][0]).splitlines()
            changed[name] = tuple(line for line in lines if line.strip())
    opened = open_crowd(
        store, WHO, campaign, dataclasses.replace(kept, **changed), new_link=new_link
    )
    return _show(store, campaign, opened, address)


def show_link(store: Store, chosen: CampaignRequest, address: str = ADDRESS) -> CommandAnswer:
    """Show the crowd link of a campaign and its terms."""
    campaign = _find_campaign(store, chosen, address)
    return _show(store, campaign, _find_crowd(store, campaign), address)


def _find_campaign(store: Store, chosen: CampaignRequest, address: str) -> Campaign:
    if address:
        check_address(address)
    return chosen.find(store)


def _find_crowd(store: Store, campaign: Campaign) -> Crowd:
    crowd = store.crowds.find_by_campaign(campaign.id)
    if crowd is None:
        raise TandemError(f"campaign {campaign.name!r} has no link for a crowd: `crowd open`")
    return crowd


def _show(store: Store, campaign: Campaign, crowd: Crowd, address: str) -> CommandAnswer:
    terms = CrowdTerms.from_stored(crowd.terms)
    link = terms.write_link(address or find_address(store), crowd.code)
    states = pay(store, campaign)["state"].value_counts().sort_index().to_dict()
    document = {
        "campaign": campaign.name,
        "dataset": campaign.dataset,
        "open": not crowd.closed_at,
        "link": link,
        "terms": dataclasses.asdict(terms),
        "participants": states,
    }
    standing = "lets nobody new in" if crowd.closed_at else "is open to a crowd"
    lines = [
        f"{campaign.dataset}: {campaign.name} {standing}",
        link,
        *([] if crowd.closed_at else [terms.explain_places()]),
        *map(write_setting, terms.to_stored().items()),
        *(f"{state}: {count}" for state, count in states.items()),
    ]
    return CommandAnswer(document, "\n".join(lines))


def close_link(store: Store, chosen: CampaignRequest, address: str = ADDRESS) -> CommandAnswer:
    """Close the crowd link of a campaign."""
    campaign = _find_campaign(store, chosen, address)
    close_crowd(store, WHO, campaign)
    return _show(store, campaign, _find_crowd(store, campaign), address)


def list_payments(
    store: Store, chosen: CampaignRequest, to: Path | None = declare_table()
) -> CommandAnswer:
    """List what is owed to each participant, or save it to a file. Saving is logged."""
    rows = pay(store, chosen.find(store))
    if to:
        record(store, WHO, to.name, chosen.dataset, names=True)
        return save_rows(rows, to)
    return answer_rows(rows, "Nobody has begun yet.", rows.filter(SHOWN))


def list_answers(
    store: Store, chosen: CampaignRequest, to: Path | None = declare_table()
) -> CommandAnswer:
    """List the participants' answers before and after the task, under pseudonyms as in exports."""
    campaign = chosen.find(store)
    _find_crowd(store, campaign)
    rows = hide(store.crowds.questionnaire(campaign.id), store.people.pseudonyms())
    if to:
        record(store, WHO, to.name, chosen.dataset, names=False)
        return save_rows(rows, to)
    return answer_rows(rows, "Nobody has answered yet.")


COMMANDS = {
    "adjudicate": Command(adjudicate, reads=("attribute", "subset", "systems", "item_set")),
    "exclude": Command(exclude),
    "crowd": Verbs(
        {
            "open": Command(open_link, "make the link, or change its terms"),
            "show": Command(show_link, "show the link"),
            "close": Command(close_link, "let no new people in"),
            "payments": Command(list_payments, "list each participant's payment"),
            "answers": Command(list_answers, "list answers to the questionnaires"),
        }
    ),
}
