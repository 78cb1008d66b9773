"""Overview: what the store holds, and what to do next."""

from pages.components.overview.figures import (
    holding,
    show_figures,
    show_next_steps,
    show_recent_runs,
)
from pages.components.shared.door import warn_when_wide_open
from pages.components.shared.frame import frame
from pages.components.shared.whole_report import offer_report

with frame("Overview", title="Overview") as study:
    warn_when_wide_open(study.store)
    held = holding(study)
    show_figures(study, held)
    show_next_steps(held)
    if held.answers:
        offer_report(study)
    show_recent_runs(study)
