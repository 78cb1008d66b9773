"""A crowd at a campaign: the steps of a participant from link to completion code, and payment."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import pandas as pd

from core.access import CrowdSession, CrowdTerms, check_answers, read_fields
from core.campaigns.asking import present
from core.campaigns.design import Design
from core.campaigns.participation import consent, enrol, is_asking
from core.campaigns.presentation import NoQuestionReason
from core.campaigns.progress import count_given
from core.frames import Schema
from core.records import TandemError
from core.store import Campaign, Participant, Store

SEEN_EVERY = timedelta(minutes=1)
"""How fine it is kept when a participant was last here: no page need write at every look."""

_DIGITS_OF_HASH = 12
"""Digits of a hash that a table for payment shows."""


class CrowdStep(StrEnum):
    """A step of a participant's way. Those before `BEFORE` have not begun."""

    PREVIEW = "preview"  # they look at the task, and have not accepted it
    NOBODY = "nobody"  # the address says no id
    FULL = "full"  # all places are taken, or nothing is left to ask
    PAUSED = "paused"
    WELCOME = "welcome"
    BEFORE = "before"  # the questions before the first pair
    PAIRS = "pairs"
    END = "end"


OVER = (
    NoQuestionReason.DONE,
    NoQuestionReason.WAIT,
    NoQuestionReason.QUOTA,
    NoQuestionReason.STOPPED,
    NoQuestionReason.CLOSED,
    NoQuestionReason.OVER,
)
"""Why a participant is asked no more pairs. Nobody who is paid waits for others."""


def find_step(store: Store, visit: CrowdSession) -> CrowdStep:
    """Return the step this participant has reached, and note that they are here.

    A participant who was away for longer than the terms allow comes too late if others took all
    places.
    """
    campaign = store.campaigns.get(visit.crowd.campaign)
    if visit.is_preview:
        return CrowdStep.PREVIEW
    if not visit.identity:
        return CrowdStep.NOBODY
    if visit.participant is None:
        if campaign.status == "paused":
            return CrowdStep.PAUSED
        return CrowdStep.FULL if _is_full(store, campaign, visit) else CrowdStep.WELCOME
    who = visit.participant
    if who.ending:
        return CrowdStep.END
    if _time_since(who) > SEEN_EVERY:
        with store.transaction():
            if _time_since(who) > visit.terms.away_for and _has_no_place(store, visit):
                return CrowdStep.FULL
            store.crowds.record_visit(who.id)
    if visit.terms.before and not store.crowds.has_answered(who.id, "before"):
        return CrowdStep.BEFORE
    return CrowdStep.PAIRS


def _is_full(store: Store, campaign: Campaign, visit: CrowdSession) -> bool:
    """Return whether nobody new can begin."""
    if visit.crowd.closed_at or not is_asking(campaign) or _has_no_place(store, visit):
        return True
    size = store.campaigns.size(campaign.id)
    return size["given"] >= size["wanted"]


def _has_no_place(store: Store, visit: CrowdSession) -> bool:
    places = visit.terms.places
    taken = places and store.crowds.count(visit.crowd.campaign, visit.terms.away_for)
    return bool(places and taken and taken >= places)


def _time_since(who: Participant) -> timedelta:
    """Return the time since somebody was last here."""
    return datetime.now(UTC) - datetime.fromisoformat(who.seen_at)


def begin(store: Store, visit: CrowdSession, agreed: str) -> bool:
    """Take somebody in who has agreed to a text. False where the study has become full meanwhile,
    or the text another: they are shown that.
    """
    campaign = store.campaigns.get(visit.crowd.campaign)
    with store.transaction(durable=True):
        if store.crowds.participant(campaign.id, visit.key):  # a second press, or another tab
            return True
        if not visit.identity or visit.is_preview:
            raise TandemError("nobody can begin without the id that their panel gives them")
        if (
            _is_full(store, campaign, visit)
            or agreed != Design.from_stored(campaign.design).consent
        ):
            return False
        name = store.crowds.name_of(visit.key) or store.crowds.new_name()
        judge = enrol(store, name)
        person = store.people.of_judge(judge)
        assert person
        identity = "" if visit.terms.hash_ids else visit.identity
        store.crowds.add_participant(
            campaign.id, person.id, visit.key, identity, dict(visit.kept_parameters)
        )
        if agreed:
            consent(store, campaign, name, agreed)
    return True


def answer_questionnaire(
    store: Store, visit: CrowdSession, part: str, answers: Mapping[str, str]
) -> None:
    """Keep what a participant answers before or after. Raises TandemError for an answer that is
    missing or wrong, with none of them kept.
    """
    assert visit.participant
    lines = visit.terms.before if part == "before" else visit.terms.after
    store.crowds.answer(
        visit.participant.id, part, check_answers(read_fields(part, lines), answers)
    )


def finish(store: Store, visit: CrowdSession) -> None:
    """Note that a participant is done, and which code they get. Raises TandemError while there are
    pairs left for them.
    """
    who = visit.participant
    assert who
    campaign = store.campaigns.get(who.campaign)
    if present(store, campaign, who.name) not in OVER:
        raise TandemError("there are questions left: answer them first")
    ending = _find_ending(store, campaign, who)
    store.crowds.end(who.id, ending, _choose_code(store, visit.terms, who, ending))
    store.assignments.release(campaign.id, who.judge)


def _find_ending(store: Store, campaign: Campaign, who: Participant) -> str:
    allowed = Design.from_stored(campaign.design).failures_allowed
    if store.checks.count_results(campaign.id, who.judge)["failed"] > allowed:
        return "failed"
    return "finished" if count_given(store, campaign, who.judge) else "full"


def _choose_code(store: Store, terms: CrowdTerms, who: Participant, ending: str) -> str:
    if ending == "full":
        return terms.full_code
    usual = terms.code or _draw_code(store, who)
    return (terms.failed_code or usual) if ending == "failed" else usual


def _draw_code(store: Store, who: Participant) -> str:
    """Draw a participant's own code: always the same, and impossible to foresee."""
    digest = bytes.fromhex(store.secrets.hash("completion code", who.campaign, who.id))
    return base64.b32encode(digest)[:10].decode()


STATES = {
    "": "began",
    "finished": "finished",
    "failed": "failed checks",
    "full": "came too late",
}
AWAY = "went away"

Payments = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "participant person state code began_at ended_at",
            float: "minutes",
            int: "questions checks_passed checks_failed",
        },
        is_open=True,
    ),
]


def pay(store: Store, campaign: Campaign) -> Payments:
    """Build the table for payment: a row a participant, with the parameters that were kept of their
    address. `minutes` are from their first press to their last page. Raises TandemError for a
    campaign without a crowd.
    """
    crowd = store.crowds.find_by_campaign(campaign.id)
    if crowd is None:
        raise TandemError(f"campaign {campaign.name!r} has no link for a crowd: `crowd open`")
    terms, rows = CrowdTerms.from_stored(crowd.terms), store.crowds.payments(campaign.id)
    kept = rows["parameters"].map(json.loads).tolist()
    names = dict.fromkeys(name for one in kept for name in one)
    last = rows["ended_at"].where(rows["ended_at"] != "", rows["seen_at"])
    span = pd.to_datetime(last, utc=True) - pd.to_datetime(rows["began_at"], utc=True)
    away = pd.Timestamp.now(tz="UTC") - pd.to_datetime(rows["seen_at"], utc=True) > terms.away_for
    state = rows["ending"].map(STATES).mask((rows["ending"] == "") & away, AWAY)
    short = rows["key"].str[:_DIGITS_OF_HASH]
    return pd.DataFrame(
        {
            "participant": rows["identity"].where(rows["identity"] != "", short),
            **{name: [str(one.get(name, "")) for one in kept] for name in names},
            "person": rows["person"],
            "state": state.astype("str"),
            "minutes": (span.dt.total_seconds() / 60).round(1).astype(float),
            "questions": rows["questions"],
            "checks_passed": rows["checks"] - rows["failed"],
            "checks_failed": rows["failed"],
            "code": rows["code"],
            "began_at": rows["began_at"],
            "ended_at": rows["ended_at"],
        }
    )
