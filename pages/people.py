"""People: who may come in, as what, and what was decided about them."""

from pages.components.people.door import who_may_come_in
from pages.components.people.invite import invite_people
from pages.components.people.log import show_log
from pages.components.people.members import change_member, show_members
from pages.components.shared.frame import frame

with frame("People", title="People") as study:
    show_members(study)
    if study.owned:
        change_member(study)
        invite_people(study)
        who_may_come_in(study)
        show_log(study)
