"""What an import found and did, for people and for scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.importing.attributes import OVERALL
from core.importing.database import Database
from core.importing.staged_checks import USED
from core.importing.staged_file import StagedFile
from core.records import Attribute, spoken

_ASKED = "item, attribute, system_a, sample_a, system_b, sample_b"
_HELD = {
    "items": f"""count(DISTINCT n.item) FROM named n JOIN entries e USING (file, row, part)
        WHERE {USED}""",
    "systems": f"count(DISTINCT system) FROM sides e WHERE {USED}",
    "generations": f"""count(DISTINCT (item, system, sample)) FROM sides e
        WHERE text_id IS NOT NULL AND {USED}""",
    "attributes": """count(DISTINCT attribute) FROM (
        SELECT attribute FROM votes UNION ALL SELECT attribute FROM scores)""",
    "scores": "count(DISTINCT (item, system, sample, attribute, judge, trial)) FROM scores",
    "judges": """count(DISTINCT judge) FROM (
        SELECT judge FROM votes WHERE NOT pending UNION ALL SELECT judge FROM scores)""",
    "comparisons": f"count(DISTINCT ({_ASKED})) FROM votes",
    "judgements": f"""count(*) FILTER (file NOT IN ({{once}}))
        + count(DISTINCT (judge, {_ASKED})) FILTER (file IN ({{once}}))
        FROM votes WHERE NOT pending""",
}
COUNTS = tuple(_HELD)
"""What a data set holds, and an import counts."""

LISTED = 10_000  # rows of a file that are skipped and listed; more are counted
Noted = dict[str, object]
"""A row that is skipped, or a part of one: its place, and the reason."""


@dataclass(frozen=True)
class ImportReport:
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

    def told(self, called: Callable[[str], str]) -> ImportReport:
        """The same with every setting in its reasons called by its name at a door."""
        return replace(
            self,
            skipped=[{**row, "reason": spoken(str(row["reason"]), called)} for row in self.skipped],
            left_out=[{**file, "reason": spoken(file["reason"], called)} for file in self.left_out],
            warnings=[spoken(warning, called) for warning in self.warnings],
        )


def count_held(
    database: Database, files: Sequence[StagedFile], known: Sequence[Attribute]
) -> dict[str, int]:
    """What the files hold, each thing counted once; `known` are the data set's attributes."""
    once = ", ".join(str(file.number) for file in files if file.layout.once) or "-1"
    held = {
        name: database.value(f"SELECT {query.format(once=once)}") for name, query in _HELD.items()
    }
    if not held["attributes"] and {attribute.name for attribute in known} <= {OVERALL}:
        held["attributes"] = 1
    return held


def list_skipped(database: Database, files: Sequence[StagedFile]) -> tuple[list[Noted], int]:
    """The rows that are skipped, those of a file together, and how many more there are."""
    listed, unlisted = list[Noted](), 0
    for file in files:
        where = {"file": file.name} if len(files) > 1 else {}
        rows = database.rows(
            f"""SELECT row, reason, count(*) OVER () FROM (
                SELECT *, row_number() OVER (PARTITION BY row, whole ORDER BY rowid) AS nth
                FROM skipped WHERE file = {file.number})
            WHERE nth = 1 OR NOT whole ORDER BY row, whole LIMIT {LISTED}"""
        )
        listed += [{**where, "row": row, "reason": reason} for row, reason, _ in rows]
        unlisted += rows[0][-1] - len(rows) if rows else 0
    return listed, unlisted
