"""Reader of SummEval's own records, with every annotator."""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_references, required
from core.importing.layout import Layout, Record, Source, has, marks, system_of
from core.records import Generation, Item, Score


class SummEvalAnnotations:
    """SummEval's own record of one output: id, decoded, references, model_id, text, and the marks
    of three experts and five crowd workers, each its own rater (expert-1.., crowd-1..).
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        key, system = required(cells, "id", str), required(cells, "model_id", str)
        yield Item(key, str(cells.get("text") or ""), as_references(cells.get("references")))
        yield system_of(system)
        yield Generation(key, system, 0, required(cells, "decoded", str))
        for name, column in (("expert", "expert_annotations"), ("crowd", "turker_annotations")):
            given = required(cells, column, list)
            for person, one in enumerate(given, start=1):
                if not isinstance(one, dict):
                    raise ValueError(f"{column} holds {str(one)[:40]!r}, not an object of scores")
                for attribute, value in one.items():
                    score = Score(key, system, attribute, f"{name}-{person}")
                    yield from marks(self.source, score, value)


LAYOUT = Layout(
    "summeval-annotations",
    "SummEval's records with every annotator",
    {SummEvalAnnotations: has("decoded", "expert_annotations", "model_id")},
    ("article", "summary"),
)
