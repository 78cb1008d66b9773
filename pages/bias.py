"""Bias: what decides besides quality: position, length, and whose texts they are."""

from pages.components.bias.figures import (
    compute,
    sentence,
    show_corrections,
    show_evidence,
    show_length,
    show_position,
    show_probabilities,
    show_self_preference,
    show_systems,
    show_ties,
)
from pages.components.shared.frame import frame
from pages.components.shared.report import concluded

with frame("Bias", title="Bias") as study:
    if report := concluded(study, "Position bias", compute, sentence):
        _, result = report
        show_position(result)
        show_systems(result)
        show_corrections(result)
        show_probabilities(result)
        show_length(result)
        show_ties(result)
        show_self_preference(result)
        show_evidence(result)
