"""UniEval's files: dialogue turns with human scores and, in some, the metric's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.importing import files
from core.importing.cells import Cells, Row, as_references, required
from core.importing.layout import Layout, Record, Source, has, marks, name_item, system_of
from core.importing.table_fields import listed
from core.records import Generation, Item, Kind, Score, TandemError, setting


class UniEval:
    """UniEval's layout: source, context, system_id, system_output, reference, scores {attribute:
    value} of people, and predict_scores of UniEval itself. A system's outputs for one source and
    context are its samples.

    Some of the data sets carried in this layout (Newsroom) leave out the system; a mapping of
    `system` names another field that says it. Where there is none, the settings may name the
    systems in the order in which the outputs of every item come."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: Counter[tuple[str, str]] = Counter()
        self.outputs: Counter[str] = Counter()
        self._check_order()

    def _check_order(self) -> None:
        """Raises TandemError where systems are named by their order, but items have not as many."""
        names, sizes = (
            self.source.systems,
            set(self._sizes().values()) if self.source.systems else (),
        )
        if names and (sizes != {len(names)} or len(set(names)) < len(names)):
            raise TandemError(
                f"{setting('systems')} names {len(set(names))} systems, but the items of "
                f"{self.source.path.name} have {listed(map(str, sorted(sizes)))} outputs: name as "
                "many"
            )

    def _sizes(self) -> Counter[str]:
        """How many outputs every item has."""
        return Counter(self._item(row.cells)[0] for row in self._rows())

    def _unnamed(self, field: str) -> str:
        """What is missing where nothing says whose an output is, and the ways out."""
        sizes = set(self._sizes().values())
        size = sizes.pop() if len(sizes) == 1 else 0
        names = " ".join(f"NAME{place}" for place in range(1, size + 1))
        order = (
            f"; every item has {size} rows: if they always come in the same order, name the "
            f"systems in it with {setting('systems')} {names}"
        )
        return (
            f"{self.source.path.name} has no {field}, so it is not known whose outputs these are: "
            f"add that field to every row, or name the one that says it with {setting('map')} "
            f"system=FIELD{order if size > 1 else ''}"
        )

    def _system(self, key: str, cells: Cells) -> str:
        field = self.source.mapping.get("system", "system_id")
        if self.source.systems:
            self.outputs[key] += 1
            return self.source.systems[self.outputs[key] - 1]
        system = cells.get(field)
        if isinstance(system, str) and system:
            return system
        if not any(row.cells.get(field) for row in self._rows()):
            raise TandemError(self._unnamed(field))
        raise ValueError(f"it has no {field}, so it is not known whose output this is")

    def _rows(self) -> Iterator[Row]:
        return (row for row in files.rows(self.source.path) if isinstance(row, Row))

    def _item(self, cells: Cells) -> tuple[str, str]:
        """The name of an item, and its context."""
        parts = [str(cells.get(name) or "").strip() for name in ("source", "context")]
        context = "\n\n".join(part for part in parts if part)
        return name_item(self.source, context), context

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        key, context = self._item(cells)
        system = self._system(key, cells)
        sample = self.seen[key, system]
        self.seen[key, system] += 1
        yield Item(key, context, as_references([cells.get("reference")]))
        yield system_of(system)
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
    settings=("systems",),
)
