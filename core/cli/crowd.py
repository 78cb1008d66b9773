"""The command about crowds: a panel's link to a campaign, and the table for their payment."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..access import LOCAL_ADDRESS, CrowdTerms, check_address, close_crowd, find_address, open_crowd
from ..campaigns import pay
from ..exporting import hide, record
from ..records import TandemError
from ..settings import declare
from ..store import Campaign, Crowd, Store
from .campaign import read_text, write_setting
from .campaign_order import CampaignRequest
from .command import Command, Verbs
from .output import CommandAnswer, answer_rows, save_rows
from .settings import WHO, include_changes

SHOWN = (
    "participant", "person", "state", "minutes", "questions", "checks_passed", "checks_failed",
    "code",
)  # fmt: skip
"""Columns of the table for payment that fit on a screen."""


@dataclass(frozen=True, kw_only=True)
class CrowdLinkRequest(CampaignRequest):
    """A request about the crowd link of a campaign, and the address that the link begins with."""

    address: str = declare(
        "", f"address that the link begins with; default {LOCAL_ADDRESS}", metavar="URL"
    )

    def __post_init__(self) -> None:
        if self.address:
            check_address(self.address)


@dataclass(frozen=True, kw_only=True)
class OpenRequest(CrowdLinkRequest):
    """Options of `crowd open`: the campaign a crowd joins, and those of its terms that change."""

    terms: Mapping[str, Any] = include_changes(CrowdTerms)
    new_link: bool = declare(False, "make another link and end the one before")


def open_link(store: Store, request: OpenRequest) -> CommandAnswer:
    """Open a campaign's crowd link, or change the terms that are given."""
    campaign = request.find(store)
    before = store.crowds.find_by_campaign(campaign.id)
    terms = CrowdTerms.from_stored(before.terms) if before else CrowdTerms()
    changed = dict(request.terms)
    if changed.get("places") == 0:
        changed["places"] = None
    for name in ("before", "after"):
        if len(changed.get(name, ())) == 1:
            lines = read_text(changed[name][0]).splitlines()
            changed[name] = tuple(line for line in lines if line.strip())
    terms = dataclasses.replace(terms, **changed)
    opened = open_crowd(store, WHO, campaign, terms, new_link=request.new_link)
    return _show(store, campaign, opened, request.address)


def show(store: Store, request: CrowdLinkRequest) -> CommandAnswer:
    """Show the crowd link of a campaign and its terms."""
    campaign = request.find(store)
    return _show(store, campaign, _find_crowd(store, campaign), request.address)


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


def close(store: Store, request: CrowdLinkRequest) -> CommandAnswer:
    """Close the crowd link of a campaign."""
    campaign = request.find(store)
    close_crowd(store, WHO, campaign)
    return _show(store, campaign, _find_crowd(store, campaign), request.address)


@dataclass(frozen=True, kw_only=True)
class TableRequest(CampaignRequest):
    """Options of `crowd payments` and `crowd answers`: the campaign, and the file to write."""

    to: Path | None = declare(
        None, "write .csv, .jsonl or .parquet instead", metavar="FILE", output="file"
    )


def list_payments(store: Store, request: TableRequest) -> CommandAnswer:
    """List what is owed to each participant, or save it to a file. Saving is logged."""
    rows = pay(store, request.find(store))
    if request.to:
        record(store, WHO, request.to.name, request.dataset, names=True)
        return save_rows(rows, request.to)
    return answer_rows(rows, "Nobody has begun yet.", rows.filter(SHOWN))


def list_answers(store: Store, request: TableRequest) -> CommandAnswer:
    """List the participants' answers before and after the task, under pseudonyms as in exports."""
    campaign = request.find(store)
    _find_crowd(store, campaign)
    rows = hide(store.crowds.questionnaire(campaign.id), store.people.pseudonyms())
    if request.to:
        record(store, WHO, request.to.name, request.dataset, names=False)
        return save_rows(rows, request.to)
    return answer_rows(rows, "Nobody has answered yet.")


VERBS = {
    "open": Command(open_link, "make the link, or change its terms", OpenRequest, reads=()),
    "show": Command(show, "show the link", CrowdLinkRequest, reads=()),
    "close": Command(close, "let no new people in", CrowdLinkRequest, reads=()),
    "payments": Command(list_payments, "list each participant's payment", TableRequest, reads=()),
    "answers": Command(list_answers, "list answers to the questionnaires", TableRequest, reads=()),
}
COMMANDS = {"crowd": Verbs(VERBS)}
