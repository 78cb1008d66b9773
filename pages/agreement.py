"""Agreement: who agrees with whom, and whether it is the judge or the item when they do not."""

from pages.components.agreeing import alphas, confusions, counted, evidence, judge_or_item, majority, pairs, sentence
from pages.components.drilling import drill_down
from pages.components.findings import concluded
from pages.components.frame import frame

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
