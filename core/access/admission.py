"""Admission: the credentials of a visitor, and what they may do with them.

The store is asked again each time, so that a link that was revoked a moment ago lets nobody in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from ..records import Person, Role, TandemError
from ..store import Crowd, Invitation, Participant, Store
from .crowds import CrowdTerms
from .links import Guesses, hash_of

Found = TypeVar("Found")

ACCESS = "access"
"""The setting that says who may come in."""
HERE = "this machine"
"""Way in of a person who sits at this machine."""


class Access(StrEnum):
    """Visitors who come in without a link or sign-in: those at this machine, none, or all."""

    OPEN = "open"
    MEMBERS = "members"
    ANYONE = "anyone"


WORDS = {
    Access.OPEN: "People at this machine are owners; everyone else needs a link or a sign-in",
    Access.MEMBERS: "Everyone needs a link or a sign-in, even at this machine",
    Access.ANYONE: "Everyone who can reach this server is an owner, without a link",
}


@dataclass(frozen=True)
class Claim:
    """The credentials of a visitor: a link's code, a sign-in with a provider, a name they gave.

    `verified` means that the provider confirms the `email` of somebody who `signed_in`. `is_remote`
    means that they may sit at another machine than the server's. `address` is theirs on the
    network, '' where a proxy hides it. `crowd` is the code of a crowd's link, with the `parameters`
    beside it.
    """

    code: str = ""
    crowd: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    signed_in: bool = False
    email: str = ""
    verified: bool = False
    name: str = ""
    is_remote: bool = True
    address: str = ""


@dataclass(frozen=True)
class CrowdSession:
    """The facts in a visitor's address when they came by a crowd's link.

    `identity` is their id at the panel, '' where it is missing, and `key` its hash. `participant`
    is their record here, None before they began. `kept_parameters` holds the
    other kept parts of the address.
    """

    crowd: Crowd
    terms: CrowdTerms
    identity: str
    key: str
    kept_parameters: tuple[tuple[str, str], ...]
    is_preview: bool
    participant: Participant | None

    @property
    def assignment(self) -> str:
        """Id of the panel's assignment (or session) in the address; '' if it was not given."""
        return dict(self.kept_parameters).get(self.terms.assignment_name, "")


@dataclass(frozen=True)
class Session:
    """A visitor who was let in, and their role.

    `person` is None for somebody without a link or a sign-in, who may have given a name. They came
    by `way` of this machine or of a door that is open to anyone. `campaign` is the only one that a
    link is for (None = any). `crowd` holds what the address of a panel's participant says.
    """

    role: Role
    person: Person | None = None
    campaign: int | None = None
    name: str = ""
    invitation: int | None = None
    way: str = ""
    crowd: CrowdSession | None = None

    @property
    def audit_name(self) -> str:
        """Return their name in the audit log, where a name that anybody can give differs."""
        return ", ".join(filter(None, (self.name, self.way)))

    @property
    def sits_here(self) -> bool:
        """Return whether they are known to sit at the machine of the store."""
        return self.way == HERE


class DeniedError(TandemError):
    """Somebody may not come in, or not do this. `inside`: they may do something else here."""

    def __init__(self, sentence: str, *, inside: bool = False) -> None:
        super().__init__(sentence)
        self.inside = inside


def access_of(store: Store) -> Access:
    """Return who may come into this store without a link or a sign-in."""
    return Access(store.settings.get(ACCESS, Access.OPEN))


def authorize(store: Store, claim: Claim, needed: Role) -> Session:
    """Identify a visitor. Raises DeniedError when they may not come in, or lack the role."""
    visit = _visit(store, claim)
    if visit.person and visit.person.left_at:
        raise DeniedError(
            "You are no longer part of this study. If that is a mistake, ask the people who run it"
        )
    if not visit.role.includes(needed):
        raise DeniedError(
            f"This is for {_article(needed)}, and you are {_article(visit.role)} here", inside=True
        )
    return visit


def _visit(store: Store, claim: Claim) -> Session:
    if claim.crowd:
        return _admit_participant(store, claim)
    if claim.code:
        return _admit_invited(_look_up(store, claim, claim.code, store.people.invitation))
    if claim.signed_in:
        return _admit_by_email(store, claim)
    access = access_of(store)
    if access is Access.ANYONE or (access is Access.OPEN and not claim.is_remote):
        way = "anyone" if access is Access.ANYONE else HERE
        return Session(Role.OWNER, name=claim.name, way=way)
    raise DeniedError(
        "People come in here by a personal link. Ask the people who run this study for yours"
    )


_let_in = set[tuple[str, str, str]]()
"""(store, address, hash of a code) of those whom this process has let in by a link: they wait for
no guesses of others on their network, however many share its address.
"""


def _look_up(store: Store, claim: Claim, code: str, find: Callable[[str], Found | None]) -> Found:
    """Find what the hash of a code belongs to, and count wrong codes of an address.

    While an address waits, right codes are not looked up either. Else the answer would tell them
    from wrong ones.
    """
    guesses, code_hash = Guesses(store.path), hash_of(code)
    known = (str(store.path), claim.address, code_hash)
    wait = 0 if not claim.address or known in _let_in else guesses.pause(claim.address)
    if wait:
        raise DeniedError(
            "Too many links that are not known here were tried from your network. "
            f"Wait {wait} second{'s' * (wait > 1)}, then reload the page"
        )
    found = find(code_hash)
    if found is None:
        _let_in.discard(known)
        if claim.address:
            guesses.add(claim.address, code_hash)
        raise DeniedError(
            "This link is not known here. Ask the people who run this study for a new one"
        )
    _let_in.add(known)
    return found


def _admit_participant(store: Store, claim: Claim) -> Session:
    """Build the session of a panel's participant: an annotator of one campaign.

    That holds also for a person with another role here.
    """
    crowd = _look_up(store, claim, claim.crowd, lambda _: store.crowds.with_code(claim.crowd))
    terms, given = CrowdTerms.from_stored(crowd.terms), dict(claim.parameters)
    identity = terms.identify(given)
    key = store.secrets.hash("participant", identity) if identity else ""
    participant = store.crowds.participant(crowd.campaign, key) if key else None
    person = store.people.of_judge(participant.judge) if participant else None
    return Session(
        Role.ANNOTATOR,
        person,
        crowd.campaign,
        person.name if person else "",
        way="a crowd's link",
        crowd=CrowdSession(
            crowd, terms, identity, key, tuple(terms.keep(given).items()),
            terms.is_preview(given), participant,
        ),
    )  # fmt: skip


def _admit_invited(invitation: Invitation) -> Session:
    if invitation.revoked_at:
        raise DeniedError(
            f"This link was revoked on {_day(invitation.revoked_at)}. Ask the people who run "
            "this study for a new one"
        )
    if invitation.expires_at and invitation.expires_at <= datetime.now(UTC).isoformat():
        raise DeniedError(
            f"This link ended on {_day(invitation.expires_at)}. Ask the people who run this "
            "study for a new one"
        )
    person = invitation.person
    return Session(person.role, person, invitation.campaign, person.name, invitation.id)


def _admit_by_email(store: Store, claim: Claim) -> Session:
    if not claim.email:
        raise DeniedError(
            "Your sign-in gives no e-mail address. Ask the people who run this study for a "
            "personal link"
        )
    if not claim.verified:
        raise DeniedError(
            f"Your sign-in does not confirm that {claim.email} is yours. Ask the people who run "
            "this study for a personal link"
        )
    person = store.people.with_email(claim.email)
    if person is None:
        raise DeniedError(
            f"Nobody with the address {claim.email} is part of this study. Ask the people who "
            "run it to add you"
        )
    return Session(person.role, person, None, person.name)


def _day(moment: str) -> str:
    at = datetime.fromisoformat(moment)
    return f"{at.day} {at:%B %Y}"


def _article(role: Role) -> str:
    return f"an {role}" if role.value[0] in "ao" else f"a {role}"
