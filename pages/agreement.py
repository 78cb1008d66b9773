"""Agreement: who agrees with whom, and whether it is the judge or the item when they do not."""

from pages.components.agreement.disagreements import drill_down
from pages.components.agreement.figures import (
    alphas,
    confusions,
    counted,
    evidence,
    judge_or_item,
    majority,
    pairs,
    sentence,
)
from pages.components.shared.frame import frame
from pages.components.shared.report import concluded

with frame("Agreement", title="Agreement") as study:
    if found := concluded(study, "who agrees with whom", counted, sentence):
        chosen, result = found
        alphas(result)
        judge_or_item(result)
        pairs(result)
        majority(result)
        confusions(result)
        drill_down(study, chosen, result)
        evidence(result)
