"""The sections of the People page, drawn one at a time."""

from __future__ import annotations

from collections.abc import Callable

from core.access import Right
from pages.components.people.annotators import show_annotators, show_disagreements
from pages.components.people.invite import choose_access, invite_people, show_log, show_messages
from pages.components.people.members import change_member, show_members
from pages.components.people.progress import show_progress
from pages.components.shared.address import choose_section
from pages.components.shared.frame import Study


def _show_people(study: Study) -> None:
    show_members(study)
    if study.may(Right.PEOPLE):
        change_member(study)
        invite_people(study)
        choose_access(study)
        show_log(study)


SECTIONS: dict[str, tuple[str, Callable[[Study], None]]] = {
    "members": ("Who takes part", _show_people),
    "progress": ("Progress", show_progress),
    "annotators": ("Annotators", show_annotators),
    "disagreements": ("Disagreements", show_disagreements),
    "messages": ("Messages", show_messages),
}


def show_section(study: Study) -> None:
    """Show the chosen section, at first the first."""
    chosen = choose_section({name: title for name, (title, _) in SECTIONS.items()})
    _, show = SECTIONS[chosen]
    show(study)
