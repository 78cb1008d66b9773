"""People: adding them, their roles and what each may do, their leaving and return, and who may come
in at all.

The audit log records every change. Pages, uploads and commands read the table of rights, and
docs/security.md prints it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum

from ..records import Person, Role, TandemError
from ..store import Store
from .admission import ACCESS, Access, access_of


class Right(Enum):
    """Something that somebody may do: the least role that may, and the words of the documents.

    Whoever runs commands on the store's machine has all rights.
    """

    ANNOTATE = Role.ANNOTATOR, "answer pairs, and undo or change their own answers"
    WORK = Role.RESEARCHER, "see data, results and people; import, judge, ask people, export"
    UPLOAD = Role.RESEARCHER, "upload files"
    DATASETS = Role.OWNER, "rename or delete a data set"
    BACKUPS = Role.OWNER, "make backups"
    CROWD = Role.OWNER, "open and close the link of a crowd"
    SERVERS = Role.OWNER, "list the servers that may be asked, and fetch the small model"
    PEOPLE = Role.OWNER, "manage people, roles, links and access, and read the log"

    def __init__(self, least: Role, words: str) -> None:
        self.least, self.words = least, words


def has_right(role: Role, right: Right) -> bool:
    """Return whether somebody in this role may do this."""
    return role.includes(right.least)


def describe_roles() -> str:
    """Say in sentences what each role may do that those before it may not."""
    return " ".join(
        f"{role.title()}s {'also ' * (role is not Role.ANNOTATOR)}"
        f"{'; '.join(right.words for right in Right if right.least is role)}."
        for role in Role
    )


def person_named(store: Store, name: str) -> Person:
    """Return the person of that name. Raises TandemError for an unknown one."""
    person = store.people.find_by_name(store.people.spelling(name))
    if person is None:
        raise TandemError(f"nobody here is called {name!r}: the list of people says who is there")
    return person


def add(store: Store, who: str, name: str, role: Role, email: str = "") -> None:
    """Add a person without a link: they sign in with this e-mail address, or are invited later.

    Raises TandemError for a name or an address that cannot be used.
    """
    name = store.people.spelling(name)
    check_email(email)
    with store.transaction(durable=True):
        store.people.add(name, role, email)
        store.audit.add(who, "added", name, role=role, email=email)


def set_email(store: Store, who: str, name: str, email: str) -> None:
    """Change the address somebody signs in with; without one they need a link. Raises as `add`."""
    person = person_named(store, name)
    check_email(email)
    if person.email == email:
        return
    with store.transaction(durable=True):
        store.people.set_email(person.id, email)
        check_owner_left(store)
        store.audit.add(who, "email", person.name, before=person.email, now=email)


def check_email(email: str) -> None:
    """Raise TandemError for an address that nobody can have; '' is none."""
    if email and (email.count("@") != 1 or not email.isprintable() or " " in email):
        raise TandemError(
            f"{email!r} is not an e-mail address: it should look like ada@example.org"
        )


def set_role(store: Store, who: str, name: str, role: Role) -> None:
    """Change a person's role. Raises TandemError when no owner could come in any more."""
    person = person_named(store, name)
    if person.role is role:
        return
    with store.transaction(durable=True):
        store.people.set_role(person.id, role)
        check_owner_left(store)
        store.audit.add(who, "role", person.name, before=person.role, now=role)


def leave(store: Store, who: str, name: str) -> None:
    """Bar a person from now on; their votes stay. Raises as `set_role` does."""
    person = person_named(store, name)
    if person.left_at:
        return
    with store.transaction(durable=True):
        store.people.set_left(person.id, True)
        check_owner_left(store)
        store.audit.add(who, "left", person.name)


def come_back(store: Store, who: str, name: str) -> None:
    """Readmit a person who had left; a link that has not ended works again."""
    person = person_named(store, name)
    if not person.left_at:
        return
    with store.transaction(durable=True):
        store.people.set_left(person.id, False)
        store.audit.add(who, "back", person.name)


def set_access(store: Store, who: str, access: Access) -> None:
    """Set who may come in. Raises TandemError when that would shut out every owner."""
    before = access_of(store)
    if before is access:
        return
    with store.transaction(durable=True):
        store.settings.put(ACCESS, access)
        check_owner_left(store)
        store.audit.add(who, "access", "store", before=before, now=access)


def owners(store: Store) -> list[str]:
    """List the owners who can come in by a link or a sign-in."""
    people = store.people.load_all()
    owner = people[(people["role"] == Role.OWNER) & people["left_at"].isna()]
    open_link = (
        owner["invited_at"].notna()
        & owner["revoked_at"].isna()
        & (owner["expires_at"].isna() | (owner["expires_at"] > datetime.now(UTC).isoformat()))
    )
    return owner.loc[open_link | (owner["email"] != ""), "person"].tolist()


def check_owner_left(store: Store) -> None:
    """Raise TandemError when everybody needs a link or a sign-in, and no owner has one."""
    if access_of(store) is Access.MEMBERS and not owners(store):
        raise TandemError(
            "no owner could come in any more: give one owner a link or an e-mail address first"
        )
