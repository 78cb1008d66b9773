"""Bias: what else than the texts decides: their place, their length, and whose they are."""

from pages.components.biased import after, counted, evidence, lengths, own, places, probabilities, sentence, ties
from pages.components.findings import selection
from pages.components.frame import frame
from pages.components.notice import lead

with frame("Bias", title="Bias") as study:
    chosen = selection(study, "what the place of a text does")
    if chosen:
        result = counted(study, chosen)
        lead(sentence(result))
        places(result)
        after(result)
        probabilities(result)
        lengths(result)
        ties(result)
        own(result)
        evidence(result)
