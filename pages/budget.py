"""Budget: how few comparisons would have done, and what they would have taken."""

from pages.components import budget
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import frame, next_step_links
from pages.components.shared.notice import show_findings

with frame("Budget", title="Budget") as study:
    choice, result = budget.choices(study), None
    if choice:
        with show_faults():
            result = budget.replay(study.store, choice, study.scores_stamp)
        if result is None:
            next_step_links(annotate="Annotate", judge="Run a judge")
    if result:
        show_findings(result.facts["sentences"])
        budget.show_growth(result)
        budget.show_needed(result)
        budget.show_fewer(result)
        budget.show_evidence(result)
