"""Budget: how few comparisons would have done, and what they would have taken."""

from pages.components.budget import (
    choices,
    replay,
    show_evidence,
    show_fewer,
    show_growth,
    show_needed,
)
from pages.components.shared.faults import told
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import conclude

with frame("Budget", title="Budget") as study:
    choice, result = choices(study), None
    if choice:
        with told():
            result = replay(study.store, choice, study.scores_stamp)
        if result is None:
            ways_on(annotate="Annotate", judge="Run a judge")
    if result:
        conclude(result.facts["sentences"])
        show_growth(result)
        show_needed(result)
        show_fewer(result)
        show_evidence(result)
