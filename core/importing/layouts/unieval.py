"""UniEval's files: dialogue turns with human scores and, in some, the metric's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.importing.cells import Cells, as_references, digest, required
from core.importing.layout import Layout, Record, Source, has, marks
from core.records import Generation, Item, Kind, Score, System, setting


class UniEval:
    """UniEval's layout: source, context, system_id, system_output, reference, scores {attribute:
    value} of people, and predict_scores of UniEval itself. A system's outputs for one source and
    context are its samples.

    Some of the data sets carried in this layout (Newsroom) leave out the system; a mapping of
    `system` names another field that says it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: Counter[tuple[str, str]] = Counter()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        field = self.source.mapping.get("system", "system_id")
        system = cells.get(field)
        if not isinstance(system, str) or not system:
            raise ValueError(
                f"it has no {field}, so it is not known whose output this is: "
                f"add that field to every row, or name the one that says it with "
                f"{setting('map')} system=FIELD"
            )
        parts = [str(cells.get(name) or "").strip() for name in ("source", "context")]
        context = "\n\n".join(part for part in parts if part)
        key = f"context-{digest(context)}"
        sample = self.seen[key, system]
        self.seen[key, system] += 1
        yield Item(key, context, as_references([cells.get("reference")]))
        yield System(system)
        yield Generation(key, system, sample, required(cells, "system_output", str))
        for column, rater, kind in (
            ("scores", "human", Kind.HUMAN),
            ("predict_scores", "unieval", Kind.LLM),
        ):
            for attribute, value in (
                required(cells, column, dict) if column in cells else {}
            ).items():
                score = Score(key, system, attribute, rater, sample=sample, kind=kind)
                yield from marks(self.source, score, value)


LAYOUT = Layout(
    "unieval",
    "UniEval",
    {UniEval: has("source", "system_output", "scores")},
    ("dialogue", "response"),
    fields=("system",),
)
