"""People: access, progress, how well people judge, and what was decided about them."""

from core.access import Right
from pages.components.people.annotators import show_annotators, show_disagreements
from pages.components.people.invite import choose_access, invite_people, show_log, show_messages
from pages.components.people.members import change_member, show_members
from pages.components.people.progress import show_progress
from pages.components.shared.address import choose_section
from pages.components.shared.frame import Study, frame


def show_people(study: Study) -> None:
    """Show who takes part and, to owners, what can change."""
    show_members(study)
    if study.may(Right.PEOPLE):
        change_member(study)
        invite_people(study)
        choose_access(study)
        show_log(study)


SECTIONS = {
    "members": ("Who takes part", show_people),
    "progress": ("Progress", show_progress),
    "annotators": ("Annotators", show_annotators),
    "disagreements": ("Disagreements", show_disagreements),
    "messages": ("Messages", show_messages),
}

TITLES = {name: title for name, (title, _) in SECTIONS.items()}

with frame("People", title="People") as study:
    _, show_section = SECTIONS[choose_section(TITLES)]
    show_section(study)
