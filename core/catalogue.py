"""The findings that people ask for by name, each declared once.

Notebook, command line and report read here how a finding is computed and described, which settings
it has, and what its command shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, get_type_hints

from .findings import correlation, separability
from .findings.accuracy import accuracy, describe_accuracy
from .findings.agreement import agreement, describe_agreement, describe_alpha
from .findings.bias import bias, describe_bias
from .findings.budget import budget
from .findings.combine import combine
from .findings.compare import compare
from .findings.drift import drift
from .findings.items import find_items
from .findings.judgements import Finding, Selection
from .findings.lab import lab
from .findings.leaderboard import candidates, headline, leaderboard, state_verdict
from .findings.people import Scope, annotators, describe_annotators
from .findings.plan import plan
from .findings.probes import NOT_PROBED, probes
from .findings.share import share
from .settings import check_values, make_request, note_idle, strip_none

PROVENANCE = ("runs", "trials", "strategies")
"""The settings of a Selection that say which of a judge's answers a finding is about."""


def _list_sentences(result: Finding) -> Sequence[str]:
    sentences: Sequence[str] = result.facts.get("sentences", ())
    return sentences


@dataclass(frozen=True)
class DeclaredFinding:
    """A finding, and how the command line, Python and the report offer it.

    `find` computes it from a store and from requests, the dataclasses that its annotations name.
    `describe` puts the result into sentences; some may be ''.

    `command` is its name on the command line. The command is made of this declaration if it
    `is_plain`; it takes the settings `reads` of a Selection besides the common ones. With a `title`
    it is a section of the report, and its settings can be chosen.
    """

    find: Callable[..., Finding]
    command: str = ""
    title: str = ""
    describe: Callable[[Finding], Sequence[str]] = _list_sentences
    reads: tuple[str, ...] = PROVENANCE
    is_plain: bool = True

    @cached_property
    def requests(self) -> dict[str, type]:
        """Return the requests of `find` by the names of its parameters."""
        return list_requests(self.find)

    @property
    def settings(self) -> dict[str, type]:
        """Return the requests that set how the finding is computed, not those that choose data."""
        about = (Selection, Scope)
        return {name: kind for name, kind in self.requests.items() if kind not in about}

    def describe_lead(self, result: Finding) -> str:
        """Describe the result in one text."""
        return " ".join(filter(None, self.describe(result)))

    def make_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Make the settings from values. Raises TandemError for a value that one cannot have."""
        return {name: make_request(kind, values) for name, kind in self.settings.items()}

    def check_settings(self, values: Mapping[str, Any]) -> None:
        """Check the values of settings. Raises TandemError for a value that a setting cannot have.

        Requests with required fields that `values` lacks are only checked when they are made.
        """
        for kind in self.settings.values():
            needed = {one.name for one in fields(kind) if one.default is MISSING}
            if needed <= check_values(kind, values).keys():
                make_request(kind, values)

    def note_idle(self, values: Mapping[str, Any]) -> list[str]:
        """Return notes on those of these values that are not used beside the others."""
        return [note for kind in self.settings.values() for note in note_idle(kind, values)]


def list_requests(find: Callable[..., Any]) -> dict[str, type]:
    """Return the parameters of a function that are dataclasses, by name.

    For an optional parameter this is the type besides None.
    """
    hints = {name: strip_none(hint) for name, hint in get_type_hints(find).items()}
    return {
        name: hint
        for name, hint in hints.items()
        if isinstance(hint, type) and is_dataclass(hint) and name != "return"
    }


FINDINGS: dict[str, DeclaredFinding] = {
    "leaderboard": DeclaredFinding(
        leaderboard, "rank", "Leaderboards", lambda result: [headline.headline(result)],
        is_plain=False,
    ),
    "candidates": DeclaredFinding(candidates),
    "settled": DeclaredFinding(
        state_verdict, title="Is it settled?", describe=lambda result: [result.facts["sentence"]]
    ),
    "agreement": DeclaredFinding(
        agreement, "agreement", "Agreement",
        lambda result: [describe_agreement(result), *describe_alpha(result.facts)],
        ("scores", *PROVENANCE),
    ),
    "bias": DeclaredFinding(bias, "bias", "Bias", describe_bias),
    "probes": DeclaredFinding(
        probes, "probes", "What moves judges",
        lambda result: result.facts["sentences"] or [NOT_PROBED],
    ),
    "accuracy": DeclaredFinding(
        accuracy, "accuracy", "Accuracy, according to", lambda result: [describe_accuracy(result)]
    ),
    "correlation": DeclaredFinding(
        correlation.correlate_all, "correlate", title="Correlation with scores",
        describe=lambda result: [
            correlation.describe_correlation(result), correlation.describe_ceiling(result.rows)
        ],
        is_plain=False,
    ),
    "correlate": DeclaredFinding(correlation.correlate),
    "separability": DeclaredFinding(
        separability.separability, "separability", title="Separability",
        describe=lambda result: [
            separability.columns.summarise_items(separability.describe_items(result).rows)
        ],
        is_plain=False,
    ),
    "find_items": DeclaredFinding(find_items),
    "consistency": DeclaredFinding(separability.consistency.consistency),
    "combine": DeclaredFinding(combine, "combine", "People and judges together"),
    "compare": DeclaredFinding(compare),
    "plan": DeclaredFinding(plan, "plan", "How many more votes"),
    "budget": DeclaredFinding(budget, "budget"),
    "share": DeclaredFinding(share, "share", "Shared work"),
    "drift": DeclaredFinding(drift, "drift"),
    "lab": DeclaredFinding(lab, "lab", is_plain=False),
    "annotators": DeclaredFinding(
        annotators, "annotators", "Who voted", lambda result: [describe_annotators(result)],
        reads=(),
    ),
}  # fmt: skip
"""Every finding by its name in a notebook."""
ADJUSTABLE = {name: one for name, one in FINDINGS.items() if one.title and one.settings}
"""Those of a report whose settings may be chosen."""
