"""A crowd at a campaign: the steps of a participant from link to completion code, and payment."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import pandas as pd

from ..access import CrowdSession, CrowdTerms, check_answers, read_fields
from ..frames import Schema
from ..records import TandemError
from ..store import Campaign, Participant, Store
from .asking import present
from .design import Design
from .participation import Participation, consent, enrol, is_asking
from .presentation import NoQuestionReason

SEEN_EVERY = timedelta(minutes=1)
"""How fine it is kept when a participant was last here: no page need write at every look."""

_DIGITS_OF_HASH = 12
"""Digits of a hash that a table for payment shows."""


class CrowdStep(StrEnum):
    """A step of a participant's way."""

    PREVIEW = "preview"  # they look at the task, and have not accepted it
    NOBODY = "nobody"  # the address says no id
    PAUSED = "paused"
    WELCOME = "welcome"
    BEFORE = "before"  # the questions before the first pair
    PAIRS = "pairs"
    END = "end"


class ParticipantState(StrEnum):
    """State of a participant, in the words of the table for payment."""

    BEGAN = "began"
    AWAY = "went away"
    FINISHED = "finished"
    FAILED = "failed checks"
    LATE = "came too late"
    LOST = "came back too late"


OVER = {*NoQuestionReason} - {NoQuestionReason.CONSENT, NoQuestionReason.PAUSED}
"""Why a participant is asked no more pairs. Nobody who is paid waits for others."""


def find_step(store: Store, visit: CrowdSession) -> CrowdStep:
    """Return the step this participant has reached, and record that they are here.

    A participant who was away for longer than the terms allow ends here if others took all places
    and questions are left.
    """
    campaign = store.campaigns.get(visit.crowd.campaign)
    if visit.is_preview:
        return CrowdStep.PREVIEW
    if not visit.identity:
        return CrowdStep.NOBODY
    who = visit.participant
    if who is None:
        if campaign.status == "paused":
            return CrowdStep.PAUSED
        return CrowdStep.END if _turn_away(store, campaign, visit) else CrowdStep.WELCOME
    if who.ending or not _keep_place(store, campaign, visit, who):
        return CrowdStep.END
    if visit.terms.before and not store.crowds.has_answered(who.id, "before"):
        return CrowdStep.BEFORE
    return CrowdStep.PAIRS


def _turn_away(store: Store, campaign: Campaign, visit: CrowdSession) -> bool:
    """Return whether somebody new comes too late. If that gives a code, they are recorded."""
    if not _is_full(store, campaign, visit):
        return False
    if visit.terms.full_code:
        with store.transaction(durable=True):
            if store.crowds.participant(campaign.id, visit.key):  # begun in another tab
                return False
            who = _add_participant(store, campaign, visit)
            store.crowds.end(who.id, "full", visit.terms.full_code)
    return True


def _keep_place(store: Store, campaign: Campaign, visit: CrowdSession, before: Participant) -> bool:
    """Record that a participant is here; end them, and return False, if their place is lost.

    While the campaign is paused, nobody knows whether questions are left for them: they wait.
    """
    if _time_since(before.seen_at) <= SEEN_EVERY:
        return True
    with store.transaction(durable=True):
        who = store.crowds.participant(campaign.id, visit.key)
        assert who
        if who.ending:  # in another tab
            return False
        if _time_since(who.seen_at) > visit.terms.away_for and _has_no_place(store, visit):
            shown = present(store, campaign, who.name)
            if shown is NoQuestionReason.PAUSED:
                return True
            if shown not in OVER:
                _end(store, visit.terms, who, "full")
                return False
        store.crowds.record_visit(who.id)
    return True


def _is_full(store: Store, campaign: Campaign, visit: CrowdSession) -> bool:
    if visit.crowd.closed_at or not is_asking(campaign) or _has_no_place(store, visit):
        return True
    size = store.campaigns.size(campaign.id)
    return size["given"] >= size["wanted"]


def _has_no_place(store: Store, visit: CrowdSession) -> bool:
    places = visit.terms.places
    taken = places and store.crowds.count(visit.crowd.campaign, visit.terms.away_for)
    return bool(places and taken and taken >= places)


def _time_since(seen_at: str) -> timedelta:
    return datetime.now(UTC) - datetime.fromisoformat(seen_at)


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
        who = _add_participant(store, campaign, visit)
        if agreed:
            consent(store, campaign, who.name, agreed)
    return True


def _add_participant(store: Store, campaign: Campaign, visit: CrowdSession) -> Participant:
    """Add a participant, under the name that they have in other campaigns."""
    judge = enrol(store, store.crowds.name_of(visit.key) or store.crowds.new_name())
    person = store.people.of_judge(judge)
    assert person
    identity = "" if visit.terms.hash_ids else visit.identity
    store.crowds.add_participant(
        campaign.id, person.id, visit.key, identity, dict(visit.kept_parameters)
    )
    who = store.crowds.participant(campaign.id, visit.key)
    assert who
    return who


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
    if who.ending:  # in another tab
        return
    campaign = store.campaigns.get(who.campaign)
    if present(store, campaign, who.name) not in OVER:
        raise TandemError("there are questions left: answer them first")
    _end(store, visit.terms, who, _find_ending(store, campaign, who))


def _end(store: Store, terms: CrowdTerms, who: Participant, ending: str) -> None:
    store.crowds.end(who.id, ending, _choose_code(store, terms, who, ending))
    store.assignments.release(who.campaign, who.judge)


def _find_ending(store: Store, campaign: Campaign, who: Participant) -> str:
    person = Participation(store, campaign, who.judge)
    if person.count_checks()["failed"] > person.design.failures_allowed:
        return "failed"
    return "finished" if person.count_given() else "full"


def _choose_code(store: Store, terms: CrowdTerms, who: Participant, ending: str) -> str:
    if ending == "full":
        return terms.full_code
    # A participant's own code is always the same, and impossible to foresee.
    digest = bytes.fromhex(store.secrets.hash("completion code", who.campaign, who.id))
    usual = terms.code or base64.b32encode(digest)[:10].decode()
    return (terms.failed_code or usual) if ending == "failed" else usual


STATES = {
    "": ParticipantState.BEGAN,
    "finished": ParticipantState.FINISHED,
    "failed": ParticipantState.FAILED,
    "full": ParticipantState.LATE,
}

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


def pay(store: Store, campaign: Campaign, *, key: str = "") -> Payments:
    """Build the table for payment: a row a participant, or the one with this hash, and the
    parameters that were kept of their address. It alone decides a `state`. `minutes` are from
    their first press to their last page. Raises TandemError for a campaign without a crowd.
    """
    crowd = store.crowds.find_by_campaign(campaign.id)
    if crowd is None:
        raise TandemError(f"campaign {campaign.name!r} has no link for a crowd: `crowd open`")
    terms, rows = CrowdTerms.from_stored(crowd.terms), store.crowds.payments(campaign.id, key=key)
    kept = rows["parameters"].map(json.loads).tolist()
    names = dict.fromkeys(name for parameters in kept for name in parameters)
    last = rows["ended_at"].where(rows["ended_at"] != "", rows["seen_at"])
    span = pd.to_datetime(last, utc=True) - pd.to_datetime(rows["began_at"], utc=True)
    away = rows["seen_at"].map(_time_since) > terms.away_for
    state = rows["ending"].map(STATES).mask((rows["ending"] == "") & away, ParticipantState.AWAY)
    back = (rows["ending"] == "full") & (rows["questions"] > 0)
    short = rows["key"].str[:_DIGITS_OF_HASH]
    return pd.DataFrame(
        {
            "participant": rows["identity"].where(rows["identity"] != "", short),
            **{name: [str(parameters.get(name, "")) for parameters in kept] for name in names},
            "person": rows["person"],
            "state": state.mask(back, ParticipantState.LOST).astype("str"),
            "minutes": (span.dt.total_seconds() / 60).round(1).astype(float),
            "questions": rows["questions"],
            "checks_passed": rows["checks"] - rows["failed"],
            "checks_failed": rows["failed"],
            "code": rows["code"],
            "began_at": rows["began_at"],
            "ended_at": rows["ended_at"],
        }
    )
