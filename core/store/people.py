"""People: their roles, the links that let them in, and the spelling of their names."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

import pandas as pd

from ..frames import Schema
from ..records import Kind, Person, Role, TandemError
from .adjudications import ADJUDICATED
from .connection import StorePart, make_timestamp

_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Letters and marks that show nothing, though they are no format characters."""
_JOINING = "\u200c\u200d"
_VIRAMA = 9  # the class of marks after which joiners change what is seen (UAX 31, 2.3)


def clean_name(name: str) -> str:
    """Clean a name: composed (NFC), without invisible letters, with single spaces.

    It is '' for a name with nothing visible.
    """
    kept = [
        letter
        for before, letter in zip(f" {name}", name, strict=False)
        if not _is_unseen(letter, before)
    ]
    return " ".join(unicodedata.normalize("NFC", "".join(kept)).split())


def _is_unseen(letter: str, before: str) -> bool:
    if letter in _JOINING and (
        unicodedata.bidirectional(before) == "AL" or unicodedata.combining(before) == _VIRAMA
    ):
        return False
    return unicodedata.category(letter) == "Cf" or _UNSEEN.match(letter) is not None


PersonRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "id",
            str: "person role email created_at seen_at left_at invited_at expires_at revoked_at "
            "used_at campaign",
        }
    ),
]

SEEN_EVERY = timedelta(minutes=2)
"""How fine it is kept when somebody was last here: no page need write at every look."""


@dataclass(frozen=True)
class Invitation:
    """A personal link as it is kept: whose, for which campaign (None = any), and its state.

    Times are UTC texts, '' for what has not happened.
    """

    id: int
    person: Person
    campaign: int | None
    expires_at: str
    revoked_at: str
    used_at: str


class People(StorePart):
    """People by name, and the links that let them in. Only a hash of a link's code is kept."""

    def add(self, name: str, role: Role, email: str = "") -> int:
        """Add a person; return their row. Raises TandemError for an unfit name or address."""
        name = self.spelling(name)
        with self._db.transaction():
            self._refuse(name, email)
            person = {"name": name, "email": email, "role": role.value}
            return self._db.insert_row("people", {**person, "created_at": make_timestamp()})

    def _refuse(self, name: str, email: str) -> None:
        check_name(name)
        if self.find_by_name(name):
            raise TandemError(f"{name!r} is here already: use another name")
        if self._from_a_file(name):
            raise TandemError(
                f"{name!r} is a rater of a file or a judge: use another name, so that no votes mix"
            )
        self._refuse_email(email)

    def _refuse_email(self, email: str) -> None:
        if holder := self.with_email(email):
            raise TandemError(f"{email} belongs to {holder.name} already: use another address")

    def _from_a_file(self, name: str) -> bool:
        """Return whether a judge of that name came with a file, or is no human."""
        return self._db.holds(
            """SELECT w.kind <> ? OR EXISTS (SELECT 1 FROM scores WHERE judge = w.id) OR EXISTS (
                SELECT 1 FROM judgements WHERE judge = w.id AND campaign IS NULL)
            FROM judges w WHERE w.name = ?""",
            (Kind.HUMAN.value, name),
        )

    def annotate(self, name: str, judge: int) -> int:
        """Return the row of the person who annotates under this name, added when they are new.

        From now on their votes are kept under `judge`. Raises TandemError as `add` does.
        """
        if person := self.of_judge(judge):
            return person.id
        with self._db.transaction():
            known = self.find_by_name(name)
            row = known.id if known else self.add(name, Role.ANNOTATOR)
            self._db.update_row("people", row, judge=judge)
        return row

    def spelling(self, name: str) -> str:
        """Return a name as it is kept here: the spelling of a known name that looks the same, else
        clean.

        Older stores may hold several spellings of one; each stays as it is.
        """
        names = self._names()
        if name in names:
            return name
        clean = clean_name(name)
        return next((one for one in sorted(names) if clean_name(one) == clean), clean)

    def spelling_of_known(self, name: str) -> str:
        """Return the known spelling of a name that looks the same, else the name as it is."""
        kept = self.spelling(name)
        return kept if kept in self._names() else name

    def list_similar_names(self, name: str) -> list[str]:
        """List the people here whose names differ from this one in capital letters alone."""
        folded = clean_name(name).casefold()
        return sorted(
            one
            for one in self._names()
            if one != name
            and clean_name(one) != clean_name(name)
            and clean_name(one).casefold() == folded
        )

    def _names(self) -> set[str]:
        """Return the names of people, and of raters of files."""
        return set(
            self._db.column(
                "SELECT name FROM people UNION SELECT name FROM judges WHERE kind = ?",
                (Kind.HUMAN.value,),
            )
        )

    def find_by_name(self, name: str) -> Person | None:
        """Return the person of that name; None for an unknown one."""
        return self._find("name = ?", name)

    def with_email(self, email: str) -> Person | None:
        """Return the person who signs in with this address, in either case; None without one."""
        return self._find("email <> '' AND lower(email) = lower(?)", email)

    def of_judge(self, judge: int) -> Person | None:
        """Return the person whose votes are kept under this judge (row); None without one."""
        return self._find("judge = ?", judge)

    def _find(self, where: str, value: object) -> Person | None:
        for row in self._db.load_rows("people", where, value):
            kept = {name: row[name] for name in ("id", "name", "email", "judge")}
            return Person(**kept, role=Role(row["role"]), left_at=row["left_at"] or "")
        return None

    def set_role(self, person: int, role: Role) -> None:
        """Give a person (row) this role."""
        with self._db.transaction():
            self._db.update_row("people", person, role=role.value)

    def set_email(self, person: int, email: str) -> None:
        """Set the address somebody signs in with. Raises TandemError for one that is taken."""
        with self._db.transaction():
            self._refuse_email(email)
            self._db.update_row("people", person, email=email)

    def set_left(self, person: int, left: bool) -> None:
        """Record that somebody may do nothing any more, or is back."""
        with self._db.transaction():
            self._db.update_row("people", person, left_at=make_timestamp() if left else None)

    def record_visit(self, person: int, invitation: int | None) -> None:
        """Record that somebody is here, and the link they came by, if by one.

        Raises FaultError where others keep the store busy just then, as nobody should wait for
        this.
        """
        moment = datetime.now(UTC)
        stale = (moment - SEEN_EVERY).isoformat(timespec="microseconds")
        if not self._db.value(
            """SELECT coalesce(seen_at, '') < ? OR EXISTS (SELECT 1 FROM invitations
                WHERE id = ? AND used_at IS NULL) FROM people WHERE id = ?""",
            (stale, invitation, person),
        ):
            return
        with self._db.transaction(patience=0.1):
            self._db.update_row("people", person, seen_at=make_timestamp())
            self._db.execute(
                "UPDATE invitations SET used_at = ? WHERE id = ? AND used_at IS NULL",
                (make_timestamp(), invitation),
            )

    def invite(self, person: int, code_hash: str, campaign: int | None, expires_at: str) -> int:
        """Record a new link and return its row; an earlier one for the same campaign ends."""
        with self._db.transaction():
            self._end_links("person = ? AND campaign IS ?", person, campaign)
            link = {"person": person, "campaign": campaign, "code_hash": code_hash}
            times = {"created_at": make_timestamp(), "expires_at": expires_at or None}
            return self._db.insert_row("invitations", {**link, **times})

    def _end_links(self, where: str, *values: object) -> list[int]:
        """End these links: the rows of those that had not ended before."""
        links = self._db.load_rows("invitations", f"{where} AND revoked_at IS NULL", *values)
        for link in links:
            self._db.update_row("invitations", link["id"], revoked_at=make_timestamp())
        return [link["id"] for link in links]

    def invitation(self, code_hash: str) -> Invitation | None:
        """Return the link with a code of that hash, also one that is over."""
        for link in self._db.load_rows("invitations", "code_hash = ?", code_hash):
            person = self._find("id = ?", link["person"])
            assert person
            times = (link[name] or "" for name in ("expires_at", "revoked_at", "used_at"))
            return Invitation(link["id"], person, link["campaign"], *times)
        return None

    def invited_to(self, person: int) -> int | None:
        """Return the only campaign of a person's latest link; None for a link to any."""
        campaign = self._db.value(
            "SELECT campaign FROM invitations WHERE person = ? ORDER BY id DESC LIMIT 1", (person,)
        )
        return None if campaign is None else int(campaign)

    def revoke(self, person: int) -> list[int]:
        """End all links of a person: the rows of those that had not ended before."""
        with self._db.transaction(durable=True):
            return self._end_links("person = ?", person)

    def restore(self, invitations: list[int]) -> None:
        """Take back that links were revoked."""
        with self._db.transaction():
            for row in invitations:
                self._db.update_row("invitations", row, revoked_at=None)

    def load_all(self) -> PersonRows:
        """Load people by name, and when their latest link expires, was revoked and was used.

        `invited_at` is NaN for a person without a link. `campaign` is the name of its campaign.
        """
        return self._db.frame(
            """SELECT p.id, p.name AS person, p.role, p.email, p.created_at, p.seen_at, p.left_at,
                i.created_at AS invited_at, i.expires_at, i.revoked_at, i.used_at,
                c.name AS campaign
            FROM people p LEFT JOIN invitations i ON i.id = (SELECT max(id) FROM invitations
                WHERE person = p.id) LEFT JOIN campaigns c ON c.id = i.campaign
            ORDER BY p.left_at IS NOT NULL, p.name COLLATE NOCASE""",
            rows=PersonRows,
        )

    def campaigns(self) -> dict[int, str]:
        """List the campaigns to invite people to: data set and name, by row."""
        rows = self._db.load_rows("campaigns", "status <> 'closed'", order_by="dataset, name")
        return {row["id"]: f"{row['dataset']}: {row['name']}" for row in rows}

    def dataset_of(self, campaign: int) -> str:
        """Return the data set that a link for this campaign is about."""
        return str(self._db.value("SELECT dataset FROM campaigns WHERE id = ?", (campaign,)))

    def pseudonyms(self) -> dict[str, str]:
        """Map the name of each person who annotates here to a pseudonym: "person-7".

        It replaces the name wherever it leaves the house. It is always the same in this store, and
        no judge's name.
        """
        taken = {row["name"] for row in self._db.load_rows("judges", "name LIKE 'person-%'")}
        rows = self._db.rows(
            "SELECT j.name, p.id FROM people p JOIN judges j ON j.id = p.judge ORDER BY p.id"
        )
        names = {name: f"person-{person}" for name, person in rows}
        return {name: f"{short}-here" if short in taken else short for name, short in names.items()}


RESERVED = (*Kind, ADJUDICATED)
"""Names that mean something else, in small letters."""


def check_name(name: str) -> None:
    """Raise TandemError for a person's name that cannot be used."""
    if not clean_name(name) or len(name) > 80 or not name.isprintable():
        raise TandemError("please give a name of 1 to 80 letters, digits or signs")
    if name.lower() in RESERVED or ":" in name:
        raise TandemError(
            f"{name!r} is taken: a name may not contain a colon or be one of {', '.join(RESERVED)}"
        )
