"""Personal links: given to a person, ended, and given back; lists of people to invite, and the text
that goes to each of them.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ..records import Person, Role, TandemError, option_ref
from ..store import Store, check_name
from .links import INVITATION, hash_of, new_code, write_link
from .people import add, check_email, check_owner_left, person_named

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
    if terms.days is not None and terms.days > MOST_DAYS:
        raise TandemError(
            f"{terms.days:,} days are more than a link may work: at most {MOST_DAYS:,}"
        )
    end = None if terms.days is None else datetime.now(UTC) + timedelta(days=terms.days)
    expires = end.isoformat(timespec="microseconds") if end else ""
    campaign = "" if terms.campaign is None else store.people.campaigns().get(terms.campaign)
    if campaign is None:
        raise TandemError("this campaign is closed or not here: choose another one")
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


class PersonalLink(NamedTuple):
    """The link of a person, and the e-mail that goes with it where there is a text for one."""

    person: str
    link: str
    email: str = ""
    text: str = ""


def write_personal_links(
    store: Store, codes: Mapping[str, str], address: str, dataset: str = "", *,
    template: str = "", emails: Mapping[str, str] | None = None, study: str = "",
) -> list[PersonalLink]:  # fmt: skip
    """Write the links of these people: annotators' to their pairs, others' to the first page, at a
    data set if one is given. A `template` makes a text. Raises TandemError for one without {link}.
    """
    if template and "{link}" not in template:
        raise TandemError(f"{option_ref('text')} does not contain {{link}}: nobody could come in")
    place, links = {"dataset": dataset} if dataset else {}, []
    for name, code in codes.items():
        page = "annotate" if person_named(store, name).role is Role.ANNOTATOR else ""
        link = write_link(address, page, **place, **{INVITATION: code})
        texts = {"{name}": name, "{link}": link, "{study}": study}  # at one go: names may hold them
        text = "".join(texts.get(part, part) for part in _PLACES.split(template))
        links.append(PersonalLink(name, link, (emails or {}).get(name, ""), text))
    return links


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


_PLACES = re.compile(r"(\{(?:name|link|study)\})")
_NO_NAME = re.compile(r'[=<>{}\[\]|\\"]')
"""Signs of files that are no lists, such as settings or pages."""
MOST_INVITED = 1000
"""People of a list: more should come by one link for all."""

EMAIL = (
    "Hello {name},\n\n"
    "please help us to compare texts: {study}.\n"
    "This link is for you alone:\n\n{link}\n\n"
    "You can stop at any time, and go on later with the same link.\n"
)
"""What an e-mail says where nobody writes another text."""


class Invitee(NamedTuple):
    """A person on a list; `email` is '' where it is missing."""

    name: str
    email: str = ""


def read_invited(text: str) -> list[Invitee]:
    """Read the people of a list: a name a line, or a CSV with the columns name and email.

    In a line of a list without a header, the part after the last comma is an address if it has an
    @. Raises TandemError for a line that names nobody, for a name or an address that is there
    twice, and for too many people.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    separator = ";" if ";" in "".join(lines[:1]) else ","
    header = [cell.strip(' "').casefold() for cell in "".join(lines[:1]).split(separator)]
    people = dict(_read_table(lines, separator) if "name" in header else _read_names(lines))
    if len(people) > MOST_INVITED:
        raise TandemError(
            f"the list has {len(people):,} people: at most {MOST_INVITED:,}, or use one link for a "
            "crowd"
        )
    for number, person in people.items():
        _check_invitee(number, person)
    for which in ("name", "email"):
        counts = Counter(getattr(person, which) for person in people.values())
        if twice := next((value for value in counts if value and counts[value] > 1), ""):
            raise TandemError(f"{twice!r} is in the list twice: each {which} belongs to one person")
    return list(people.values())


def _read_names(lines: Sequence[str]) -> Iterator[tuple[int, Invitee]]:
    for number, line in enumerate(lines, 1):
        name, _, email = line.rpartition(",") if "@" in line else (line, "", "")
        if line.strip():
            yield number, Invitee(name.strip(), email.strip())


def _read_table(lines: Sequence[str], separator: str) -> Iterator[tuple[int, Invitee]]:
    """Yield the rows of a CSV with their line numbers. Raises TandemError where it breaks off."""
    rows = csv.DictReader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    rows.fieldnames = [cell.strip().casefold() for cell in rows.fieldnames or ()]
    try:
        for row in rows:
            person = Invitee((row["name"] or "").strip(), (row.get("email") or "").strip())
            if any(person):
                yield rows.line_num, person
    except csv.Error as error:
        raise TandemError(
            f"line {rows.line_num + 1} of the list cannot be read ({error}): mend its quotes"
        ) from None


def _check_invitee(number: int, person: Invitee) -> None:
    """Raise TandemError for a line whose name or address nobody can have."""
    line = f"line {number} of the list is {', '.join(filter(None, person))[:80]!r}"
    if _NO_NAME.search(person.name) or not any(map(str.isalnum, person.name)):
        raise TandemError(f"{line}: write a name, or a name, a comma and an e-mail address")
    try:
        check_name(person.name)
        check_email(person.email)
    except TandemError as error:
        raise TandemError(f"{line}: {error.sentence}") from None
