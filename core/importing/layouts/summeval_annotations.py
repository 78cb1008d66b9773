"""SummEval's own records: an output a row, with the marks of three experts and five crowd workers,
each its own rater (expert-1.., crowd-1..).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, required
from core.importing.entry import TEXT, Entry
from core.importing.layout import Layout, has
from core.importing.templates import read_scores, read_with

PEOPLE = {"expert": "expert_annotations", "crowd": "turker_annotations"}


def _output(number: int, cells: Cells) -> Iterator[Entry]:
    output = {"item": required(cells, "id", str), "system": required(cells, "model_id", str)}
    yield {
        "sort": TEXT, **output, "sample": 0, "text": required(cells, "decoded", str),
        "context": str(cells.get("text") or ""), "reference": cells.get("references"),
    }  # fmt: skip
    for name, column in PEOPLE.items():
        for person, scores in enumerate(required(cells, column, list), start=1):
            if not isinstance(scores, dict):
                raise ValueError(f"{column} holds {str(scores)[:40]!r}, not an object of scores")
            yield from read_scores(scores, **output, judge=f"{name}-{person}")


LAYOUT = Layout(
    "summeval-annotations", "SummEval's records with every annotator",
    {read_with(_output): has("decoded", "expert_annotations", "model_id")}, ("article", "summary"),
)  # fmt: skip
