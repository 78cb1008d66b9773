"""People: access, progress, how well people judge, and what was decided about them."""

from pages.components.people.sections import show_section
from pages.components.shared.frame import frame

with frame("People", title="People") as study:
    show_section(study)
