"""Together: who is better by votes and judges, what judges may answer alone, whom to ask next, and
how few would have done.
"""

from pages.components.shared.address import choose_section
from pages.components.shared.finding import show_finding
from pages.components.shared.frame import frame
from pages.components.together.combine import BUDGET, SHARE, show_combined, show_plan

SECTIONS = {"combine": "Combine", "share": "Share", "plan": "Plan", "budget": "Budget"}

with frame("Together", title="Together") as study:
    section = choose_section(SECTIONS)
    if section == "combine":
        show_combined(study)
    elif section == "share":
        show_finding(study, SHARE)
    elif section == "plan":
        show_plan(study)
    else:
        show_finding(study, BUDGET)
