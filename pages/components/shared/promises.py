"""What was promised of a study, beside its results."""

from __future__ import annotations

from core.findings.judgements import Selection
from core.findings.people import promises
from pages.components.shared.frame import Study
from pages.components.shared.notice import small


def show_kept_promises(study: Study) -> None:
    """A sentence for each campaign of which something was promised: kept, or changed and when."""
    for sentence in promises(study.store, Selection(study.dataset)).facts["sentences"]:
        small(sentence)
