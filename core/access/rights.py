"""Rights: what somebody may do here, and the least role that may. Pages, uploads and commands read
this table, and docs/security.md prints it.
"""

from __future__ import annotations

from enum import Enum

from ..records import Role


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
