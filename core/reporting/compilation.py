"""A whole report: its sections, its methods paragraph, and the parts it had to leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..findings.judgements import check_selection, check_systems, find_judges
from ..records import FaultError, TandemError
from ..store import Store
from . import results, trust
from .material import Material, ReportScope
from .methods import Methods, methods
from .sections import ReportTable, Section

CHAPTERS: dict[str, dict[str, Callable[[Material], Iterator[Section]]]] = {
    "Can it be trusted?": {"the data": trust.report_data, "annotators": trust.report_annotators},
    "Who is better?": {
        "whether it is settled": results.report_settled,
        "leaderboards": results.report_boards,
        "together": results.report_combination,
        "share": results.report_share,
        "plan": results.report_plan,
    },
    "The judges": {
        "agreement": results.report_agreement,
        "bias": results.report_biases,
        "probes": results.report_probes,
        "accuracy": results.report_accuracy,
        "correlation": results.report_correlation,
    },
    "The items": {"separability": results.report_separability},
}
"""What a report tells, in this order; a part without anything to tell yields no section."""


@dataclass(frozen=True)
class Report:
    """A report of a data set. `left_out` maps each part that could not be computed to the
    reason.
    """

    dataset: str
    sections: Sequence[Section]
    methods: Methods
    left_out: Mapping[str, str]

    @property
    def chapters(self) -> dict[str, list[Section]]:
        """The sections of each chapter."""
        return {
            chapter: [one for one in self.sections if one.chapter == chapter]
            for chapter in dict.fromkeys(one.chapter for one in self.sections)
        }

    @property
    def tables(self) -> list[ReportTable]:
        """All tables."""
        return [table for section in self.sections for table in section.tables]

    def document(self) -> dict[str, Any]:
        """Return the document of each result, as its own command writes it, by name."""
        documents: dict[str, Any] = {}
        for section in self.sections:
            documents |= section.documents or {}
        return documents


def compile_report(store: Store, request: ReportScope) -> Report:
    """The report of a request. Raises TandemError for a name the store does not have."""
    check_selection(store, request.selection)
    check_systems(request.selection, "a comparison needs two")
    if request.selection.judges:
        find_judges(store, request.selection)
    material = Material(store, request)
    sections: list[Section] = []
    left_out: dict[str, str] = {}
    for chapter, parts in CHAPTERS.items():
        for name, part in parts.items():
            try:
                sections += (replace(section, chapter=chapter) for section in part(material))
            except FaultError:
                raise
            except TandemError as error:
                left_out[name] = material.hide_in_sentences([str(error)])[0]
    return Report(material.dataset, sections, methods(material, sections), left_out)
