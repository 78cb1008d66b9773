"""Agreement: who agrees with whom, and whether disagreement comes from the judge or the item."""

from core.findings.agreement import describe_agreement
from pages.components.agreement.disagreements import drill_down
from pages.components.agreement.figures import (
    choose,
    choose_judges,
    compute,
    show_alpha,
    show_by_separability,
    show_confusion,
    show_every_two,
    show_evidence,
    show_judges,
    show_majority,
    show_pairs,
)
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import lead

with frame("Agreement", title="Agreement") as study:
    if request := choose(study):
        result = compute(study, *request)
        lead(describe_agreement(result))
        if result.rows.empty or not result.judgements:
            ways_on(annotate="Annotate", judge="Run a judge")
        show_alpha(result)
        show_by_separability(result)
        judges = choose_judges(result)
        show_judges(result, judges)
        show_majority(result, judges)
        show_pairs(result, judges)
        show_every_two(result, judges)
        show_confusion(result)
        drill_down(study, request[0], result)
        show_evidence(result)
