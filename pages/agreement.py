"""Agreement: who agrees with whom, and whether disagreement comes from the judge or the item."""

from core.findings.agreement import describe_agreement
from pages.components.agreement import figures
from pages.components.agreement.disagreements import drill_down
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import lead

with frame("Agreement", title="Agreement") as study:
    if request := figures.choose(study):
        result = figures.compute(study, *request)
        lead(describe_agreement(result))
        if result.rows.empty or not result.judgements:
            ways_on(annotate="Annotate", judge="Run a judge")
        judges = figures.choose_judges(result)
        figures.show_majority(result, judges)
        figures.show_pairs(result, judges)
        figures.show_alpha(result)
        figures.show_by_separability(result)
        figures.show_judges(result, judges)
        drill_down(study, request[0], result)
        figures.show_every_two(result, judges)
        figures.show_confusion(result)
        figures.show_evidence(result)
