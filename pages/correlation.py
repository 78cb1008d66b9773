"""Correlation: how well each judge follows the scores of people, and how often it is right."""

from core.findings.correlation import describe_correlation
from pages.components.correlation import figures
from pages.components.correlation.accuracy import show_accuracy
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import frame, next_step_links
from pages.components.shared.notice import show_headline

with frame("Correlation", title="Correlation") as study:
    choice, result = figures.choices(study), None
    if choice:
        with show_faults():
            result = figures.correlate(study.store, choice, study.scores_stamp)
        if result is None:
            next_step_links(annotate="Annotate", judge="Run a judge", data="Import scores")
    if choice and result:
        selection, reference, settings = choice
        show_headline(describe_correlation(result))
        figures.show_means(result, figures.show_overview(result))
        figures.show_evidence(result)
        show_accuracy(study, selection, reference.against, settings.debias)
