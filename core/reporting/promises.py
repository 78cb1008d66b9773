"""The promises a study made before its first look: kept, or changed and when."""

from __future__ import annotations

from collections.abc import Iterator

from core.reporting.material import Material
from core.reporting.parts import Section, lay_table


def write_promises(material: Material) -> Iterator[Section]:
    """Yield a section on the promises of each campaign; nothing if no campaign promised
    anything.
    """
    result = material.find("promises")
    if result.facts["sentences"]:
        lead = " ".join(result.facts["sentences"])
        tables = [lay_table("promises", "What was promised.", result.rows, result.columns)]
        yield Section("What was promised", lead, tables=tables, signatures=[result.signature],
                      documents={"promises": result.document()})  # fmt: skip
