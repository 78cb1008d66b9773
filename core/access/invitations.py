"""Personal links: given to a person, ended, and given back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..records import Person, Role, TandemError
from ..store import Store
from .addresses import INVITATION, hash_of, new_code, write_link
from .people import add, check_owner_left, person_named

DAYS = 30
MOST_DAYS = 36_500
"""A hundred years: beyond, a link is meant to have no end."""


@dataclass(frozen=True)
class LinkTerms:
    """The terms of a link: its role, its campaign, and for how many days it works.

    With `role` None, people keep the role they have, and new people annotate. `campaign` None is
    any; with `days` None, the link works until it is revoked.
    """

    role: Role | None = None
    campaign: int | None = None
    days: int | None = DAYS


def invite(store: Store, who: str, names: Sequence[str], terms: LinkTerms) -> dict[str, str]:
    """Invite people; return the code of each new link, by name. It cannot be read again.

    Those who are new are added; a link that somebody has for the same campaign ends. Raises
    TandemError for a name that cannot be used, that has left or has another role, with nobody
    invited.
    """
    if not names:
        raise TandemError("nobody is named: give one name or more")
    expires = "" if terms.days is None else _compute_expiry(terms.days)
    campaign = _name_campaign(store, terms.campaign)
    codes: dict[str, str] = {}
    with store.transaction(durable=True):
        for name in dict.fromkeys(store.people.spelling(name) for name in names):
            person = _to_invite(store, who, name, terms.role)
            codes[name] = new_code()
            store.people.invite(person.id, hash_of(codes[name]), terms.campaign, expires)
            store.audit.add(
                who, "invited", name, role=person.role, campaign=campaign, until=expires[:10]
            )
    return codes


def write_personal_links(
    store: Store, codes: Mapping[str, str], address: str, dataset: str = ""
) -> dict[str, str]:
    """Build the links of these people: name -> link. Annotators get their pairs, others the first
    page, at a data set if one is given.
    """
    place = {"dataset": dataset} if dataset else {}
    return {
        name: write_link(
            address,
            "annotate" if person_named(store, name).role is Role.ANNOTATOR else "",
            **place,
            **{INVITATION: code},
        )
        for name, code in codes.items()
    }


def renew(store: Store, who: str, names: Sequence[str], days: int | None = DAYS) -> dict[str, str]:
    """Renew the links of people; return the new codes, by name.

    Each is for the same campaign as their latest link, which ends. Raises TandemError, with no link
    renewed, for a person who never had one.
    """
    latest = store.people.load_all().set_index("person")
    codes: dict[str, str] = {}
    with store.transaction(durable=True):
        for name in dict.fromkeys(person_named(store, name).name for name in names):
            if latest["invited_at"].isna()[name]:
                raise TandemError(f"{name} never had a link: invite them")
            campaign = store.people.invited_to(person_named(store, name).id)
            codes |= invite(store, who, [name], LinkTerms(None, campaign, days))
    return codes


def _to_invite(store: Store, who: str, name: str, role: Role | None) -> Person:
    person = store.people.find_by_name(name)
    if person is None:
        add(store, who, name, role or Role.ANNOTATOR)
        return person_named(store, name)
    if person.left_at:
        raise TandemError(f"{name} has left this study: take them back first")
    if role and role is not person.role:
        raise TandemError(f"{name} is here as {person.role}, not {role}: change that first")
    return person


def revoke(store: Store, who: str, name: str) -> list[int]:
    """End every link of a person; return the rows of these, to `restore` them.

    A person who came by one can do nothing from their next press on. Raises TandemError when no
    owner could come in any more.
    """
    person = person_named(store, name)
    with store.transaction(durable=True):
        ended = store.people.revoke(person.id)
        check_owner_left(store)
        if ended:
            store.audit.add(who, "revoked", name, links=len(ended))
    return ended


def restore(store: Store, who: str, name: str, invitations: Sequence[int]) -> None:
    """Take a `revoke` back."""
    with store.transaction(durable=True):
        store.people.restore(list(invitations))
        store.audit.add(who, "restored", name, links=len(invitations))


def _name_campaign(store: Store, campaign: int | None) -> str:
    if campaign is None:
        return ""
    campaigns = store.people.campaigns()
    if campaign not in campaigns:
        raise TandemError("this campaign is closed or not here: choose another one")
    return campaigns[campaign]


def _compute_expiry(days: int) -> str:
    if days > MOST_DAYS:
        raise TandemError(f"{days:,} days are more than a link may work: at most {MOST_DAYS:,}")
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="microseconds")
