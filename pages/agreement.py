"""Agreement: who agrees with whom, and whether disagreement comes from the judge or the item."""

from core.findings.agreement import describe_agreement
from pages.components.agreement import figures
from pages.components.agreement.disagreements import drill_down
from pages.components.shared.frame import frame, next_step_links
from pages.components.shared.notice import show_headline

with frame("Agreement", title="Agreement") as study:
    if request := figures.choose(study):
        result = figures.compute(study, *request)
        show_headline(describe_agreement(result))
        if result.rows.empty or not result.judgements:
            next_step_links(annotate="Annotate", judge="Run a judge")
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
