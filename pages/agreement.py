"""Agreement: who agrees with whom, and whether disagreement comes from the judge or the item."""

from core.reporting import sentences
from pages.components.agreement.disagreements import drill_down
from pages.components.agreement.figures import (
    compute,
    show_alpha,
    show_by_separability,
    show_confusion,
    show_evidence,
    show_majority,
    show_pairs,
)
from pages.components.shared.frame import frame
from pages.components.shared.report import concluded

with frame("Agreement", title="Agreement") as study:
    if report := concluded(study, "Agreement", compute, sentences.agreement):
        selection, result = report
        show_alpha(result)
        show_by_separability(result)
        show_pairs(result)
        show_majority(result)
        show_confusion(result)
        drill_down(study, selection, result)
        show_evidence(result)
