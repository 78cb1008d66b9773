"""Correlation: how well each judge tracks the scores of people, over texts and in single
judgements.
"""

from pages.components.correlation.accuracy import rights
from pages.components.correlation.figures import (
    choices,
    counted,
    evidence,
    means,
    overview,
    sentence,
)
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import lead, refusals

with frame("Correlation", title="Correlation") as study:
    chosen, result = choices(study), None
    if chosen:
        with refusals():
            result = counted(study, chosen)
        if result is None:
            ways_on(annotate="Annotate", judge="Run a judge", data="Import scores")
    if chosen and result:
        lead(sentence(result))
        means(result, overview(result))
        evidence(result)
        rights(study, chosen.selection, chosen.against, chosen.settings.debias)
