"""Correlation: how well each judge follows the scores of people, and how often it is right."""

from core.findings.correlation import describe_correlation
from pages.components.correlation.accuracy import show_accuracy
from pages.components.correlation.figures import (
    choices,
    compute,
    show_evidence,
    show_means,
    show_overview,
)
from pages.components.shared.faults import told
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import lead

with frame("Correlation", title="Correlation") as study:
    request, result = choices(study), None
    if request:
        with told():
            result = compute(study, request)
        if result is None:
            ways_on(annotate="Annotate", judge="Run a judge", data="Import scores")
    if request and result:
        lead(describe_correlation(result))
        show_means(result, show_overview(result))
        show_evidence(result)
        show_accuracy(study, request.selection, request.reference.against, request.settings.debias)
