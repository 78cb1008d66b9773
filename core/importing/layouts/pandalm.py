"""PandaLM's test set: two responses, and what annotator1, annotator2 ... said of them: 1, 2, or 0
for a tie. cmp_key are the two systems, FIRST_SECOND; instruction and input are the context, and the
item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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
                VOTE, context=_context, system_a=_system(0), system_b=_system(1),
                text_a="response1", text_b="response2", judge=Constant(column), outcome=column,
                words=WORDS, when=column,
            )  # fmt: skip


def _context(cells: Cells) -> str:
    parts = (as_text(cells.get(name)) or "" for name in ("instruction", "input"))
    return "\n\n".join(part for part in parts if part.strip())


def _system(place: int) -> Callable[[Cells], str]:
    def system(cells: Cells) -> str:
        both = named(cells, "cmp_key")
        systems = both.split("_")
        if len(systems) != 2 or not all(systems):
            raise ValueError(f"it is not certain which two systems {both[:60]!r} names")
        return systems[place]

    return system


LAYOUT = Layout(
    "pandalm", "PandaLM's test set",
    {read_by(_votes): has("cmp_key", "instruction", "response1", "response2", "annotator1")},
    ("instruction", "response"),
)  # fmt: skip
