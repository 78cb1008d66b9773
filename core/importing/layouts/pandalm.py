"""PandaLM's test set: two responses, and what several annotators said of them.

A row has cmp_key (the two systems, FIRST_SECOND), instruction and input (the context), response1,
response2, and in annotator1, annotator2 ... 1, 2, or 0 for a tie. The item is the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named
from core.importing.entry import VOTE
from core.importing.layout import Layout, Source, has
from core.importing.templates import Constant, Template, read_by, template
from core.records import Outcome

WORDS = {"1": Outcome.A, "2": Outcome.B, "0": Outcome.TIE}


def _votes(source: Source) -> Iterator[Template]:
    for column in source.columns:
        if re.fullmatch(r"annotator\d+", column):
            yield template(
                VOTE, WORDS, column, context=_context, judge=Constant(column), outcome=column,
                system_a=lambda cells: _systems(cells)[0], text_a="response1",
                system_b=lambda cells: _systems(cells)[1], text_b="response2",
            )  # fmt: skip


def _context(cells: Cells) -> str:
    parts = (as_text(cells.get(name)) or "" for name in ("instruction", "input"))
    return "\n\n".join(part for part in parts if part.strip())


def _systems(cells: Cells) -> list[str]:
    systems = named(cells, "cmp_key").split("_")
    if len(systems) != 2:
        raise ValueError(f"it is not certain which two systems {cells['cmp_key']!r:.62} names")
    return systems


LAYOUT = Layout(
    "pandalm",
    "PandaLM's test set",
    {read_by(_votes): has("cmp_key", "instruction", "response1", "response2", "annotator1")},
    ("instruction", "response"),
)
