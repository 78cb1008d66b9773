"""A whole report: its sections, its methods paragraph, and the parts it had to leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..findings.judgements import check_selection, check_systems, find_judges
from ..records import FaultError, TandemError
from ..store import Store
from .boards import report_boards, report_settled
from .combination import report_combination, report_plan, report_replacement
from .counts import report_counts
from .material import Material, ReportScope
from .methods import Methods, methods
from .parts import Section
from .separable import report_separability
from .trust import (
    report_accuracy,
    report_agreement,
    report_attacks,
    report_biases,
    report_correlation,
)

PARTS: dict[str, Callable[[Material], Iterator[Section]]] = {
    "the data": report_counts,
    "whether it is settled": report_settled,
    "leaderboards": report_boards,
    "agreement": report_agreement,
    "bias": report_biases,
    "attacks": report_attacks,
    "accuracy": report_accuracy,
    "correlation": report_correlation,
    "separability": report_separability,
    "together": report_combination,
    "replacement": report_replacement,
    "plan": report_plan,
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
    for name, part in PARTS.items():
        try:
            sections += part(material)
        except FaultError:
            raise
        except TandemError as error:
            left_out[name] = material.hide_in_sentences([str(error)])[0]
    return Report(material.dataset, sections, methods(material, sections), left_out)
