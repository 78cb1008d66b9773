"""Lists of people to invite, and the text that goes to each of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..records import TandemError, option_ref
from ..store import check_name
from .people import check_email

_PLACES = re.compile(r"\{(?:name|link|study)\}")
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


def write_email(template: str, name: str, link: str, study: str) -> str:
    """Write the e-mail for one person. Raises TandemError for a template without their link."""
    if "{link}" not in template:
        raise TandemError(f"{option_ref('text')} does not contain {{link}}: nobody could come in")
    places = {"{name}": name, "{link}": link, "{study}": study}
    # At one go: a name may hold a place.
    return _PLACES.sub(lambda place: places[place[0]], template)
