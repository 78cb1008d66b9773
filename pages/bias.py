"""Bias: what else than the texts decides: their place, their length, and whose they are."""

from pages.components.bias.figures import (
    after,
    counted,
    evidence,
    lengths,
    own,
    places,
    probabilities,
    sentence,
    sides,
    ties,
)
from pages.components.shared.frame import frame
from pages.components.shared.report import concluded

with frame("Bias", title="Bias") as study:
    if found := concluded(study, "what the place of a text does", counted, sentence):
        _, result = found
        for part in (places, sides, after, probabilities, lengths, ties, own, evidence):
            part(result)
