"""Bias: what decides besides quality: position, length, and whose texts they are."""

from core.findings.bias import describe_position
from pages.components.bias.figures import (
    choose_judges,
    compute,
    show_corrections,
    show_evidence,
    show_length,
    show_position,
    show_probabilities,
    show_self_preference,
    show_systems,
    show_ties,
    show_triples,
)
from pages.components.bias.judges import show_attacks, show_judges
from pages.components.shared.frame import frame
from pages.components.shared.report import concluded

with frame("Bias", title="Bias") as study:
    if report := concluded(study, "Position bias", compute, describe_position):
        selection, result = report
        judges = choose_judges(result)
        show_position(result, judges)
        show_triples(result, judges)
        show_length(result, judges)
        show_systems(result, judges)
        show_ties(result, judges)
        show_self_preference(result)
        show_attacks(study, selection, result)
        show_judges(study, selection, result)
        show_corrections(result, judges)
        show_probabilities(result, judges)
        show_evidence(result, judges)
