"""Lists of people to invite, and the text that goes to each of them."""

from __future__ import annotations

import csv
import io
import re
from typing import NamedTuple

from core.records import TandemError, option_ref

_PLACES = re.compile(r"\{(?:name|link|study)\}")
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
    @. Raises TandemError for a name or an address that is there twice, and for too many people.
    """
    text = text.removeprefix("\ufeff")
    separator = ";" if ";" in (text.splitlines() or [""])[0] else ","
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(row)]
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    if "name" in header:
        places = [header.index("name"), header.index("email") if "email" in header else -1]
        people = [
            Invitee(*(row[at].strip() if 0 <= at < len(row) else "" for at in places))
            for row in rows[1:]
        ]
    else:
        people = [_read_line(line) for line in text.splitlines() if line.strip()]
    people = [person for person in people if any(person)]
    for which in ("name", "email"):
        values = [getattr(person, which) for person in people if getattr(person, which)]
        twice = next((value for value in values if values.count(value) > 1), "")
        if twice:
            raise TandemError(f"{twice!r} is in the list twice: each {which} belongs to one person")
    if len(people) > MOST_INVITED:
        raise TandemError(
            f"the list has {len(people):,} people: at most {MOST_INVITED:,}, or use one link for a "
            "crowd"
        )
    return people


def _read_line(line: str) -> Invitee:
    name, _, email = line.rpartition(",") if "@" in line else (line, "", "")
    return Invitee(name.strip(), email.strip())


def write_email(template: str, name: str, link: str, study: str) -> str:
    """Write the e-mail for one person. Raises TandemError for a template without their link."""
    if "{link}" not in template:
        raise TandemError(f"{option_ref('text')} does not contain {{link}}: nobody could come in")
    places = {"{name}": name, "{link}": link, "{study}": study}
    # At one go: a name may hold a place.
    return _PLACES.sub(lambda place: places[place[0]], template)
