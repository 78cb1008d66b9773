"""Bias: what decides besides quality: position, length, and whose texts they are."""

from core.findings.bias import describe_position
from pages.components.bias import figures
from pages.components.bias.judges import show_attacks, show_judges
from pages.components.shared.frame import frame
from pages.components.shared.report import show_conclusion

with frame("Bias", title="Bias") as study:
    if report := show_conclusion(study, "Position bias", figures.compute, describe_position):
        selection, result = report
        judges = figures.choose_judges(result)
        figures.show_position(result, judges)
        figures.link_to_contradictions(selection, result)
        figures.show_triples(result, judges)
        figures.show_length(result, judges)
        figures.show_systems(result, judges)
        figures.show_ties(result, judges)
        figures.show_self_preference(result)
        show_attacks(study, selection, result)
        show_judges(study, selection, result)
        figures.show_corrections(result, judges)
        figures.show_probabilities(result, judges)
        figures.show_evidence(result, judges)
