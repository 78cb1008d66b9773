"""Correlation: how well each judge tracks the scores of people, over texts and in single judgements."""

from pages.components.correlated import choices, counted, evidence, means, overview, rights, sentence
from pages.components.frame import frame
from pages.components.notice import lead

with frame("Correlation", title="Correlation") as study:
    chosen = choices(study)
    if chosen:
        result = counted(study, chosen)
        lead(sentence(result))
        overview(result)
        means(result)
        evidence(result)
        rights(study, chosen)
