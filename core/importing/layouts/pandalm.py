"""Reader of PandaLM's test set: two responses, and what several annotators said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.importing.cells import Cells, as_text
from core.importing.codes import Codes
from core.importing.layout import Layout, Record, Source, has
from core.importing.layouts.votes import Votes

LABELS = Codes(first=("1",), second=("2",), tie=("0",))


class PandaLM(Votes):
    """cmp_key (the two systems, FIRST_SECOND), instruction and input (the context), response1,
    response2, and in annotator1, annotator2 ... 1, 2, or 0 for a tie. The item is the context.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(replace(source, mapping=_fields(source), codes=LABELS))

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        parts = (as_text(cells.get(name)) or "" for name in ("instruction", "input"))
        context = "\n\n".join(part for part in parts if part.strip())
        yield from super().records(number, {**cells, "instruction": context})


def _fields(source: Source) -> Mapping[str, str]:
    annotators = [name for name in source.columns if re.fullmatch(r"annotator\d+", name)]
    return {
        "item": "",
        "context": "instruction",
        "systems": "cmp_key",
        "text_a": "response1",
        "text_b": "response2",
        **{f"winner:{name}": name for name in annotators},
    }


LAYOUT = Layout(
    "pandalm",
    "PandaLM's test set",
    {PandaLM: has("cmp_key", "instruction", "response1", "response2", "annotator1")},
    ("instruction", "response"),
)
