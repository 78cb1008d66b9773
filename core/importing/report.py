"""What an import found and did, for people and for scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.records import spoken

COUNTS = (
    "items",
    "systems",
    "generations",
    "attributes",
    "scores",
    "judges",
    "comparisons",
    "judgements",
)
"""What a data set holds, and an import counts."""

Noted = dict[str, object]
"""A row that is skipped, or a part of one: its place, and the reason."""


@dataclass(frozen=True)
class Report:
    """What an import found and did. The reasons may name settings: see `told`."""

    dataset: str
    layouts: dict[str, str]
    held: dict[str, int]
    added: dict[str, int]
    skipped: list[Noted]
    unlisted: int  # that are skipped, too, where they are too many to be listed
    left_out: list[dict[str, str]]
    alarms: list[str]  # what must be said first; among the warnings, too
    warnings: list[str]
    examples: list[str]
    rows: int

    def document(self) -> dict[str, object]:
        """As one document, for scripts."""
        return {
            "dataset": self.dataset,
            **self.held,
            "added": self.added,
            "skipped": self.skipped,
            "unlisted": self.unlisted,
            "layouts": self.layouts,
            "left_out": self.left_out,
            "warnings": self.warnings,
            "examples": self.examples,
        }

    def told(self, called: Callable[[str], str]) -> Report:
        """The same with every setting in its reasons called by its name at a door."""
        return replace(
            self,
            skipped=[{**row, "reason": spoken(str(row["reason"]), called)} for row in self.skipped],
            left_out=[{**file, "reason": spoken(file["reason"], called)} for file in self.left_out],
            warnings=[spoken(warning, called) for warning in self.warnings],
        )
