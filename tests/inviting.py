"""A personal link, as an owner would make one."""

from __future__ import annotations

from pathlib import Path

from core import access
from core.records import Role
from core.store import Store


def code(store: Path, name: str, role: Role | None = None, campaign: int | None = None) -> str:
    """The code of a new link of this person, who is added when they are new."""
    with Store(store) as opened:
        return access.invite(opened, "test", [name], access.LinkTerms(role, campaign))[name]
