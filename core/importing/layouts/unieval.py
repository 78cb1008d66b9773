"""UniEval's files: dialogue turns with human scores and, in some, the metric's own.

A system's outputs for one source and context are its samples. Some of the data sets carried in this
layout (Newsroom) leave out system_id; a mapping of `system` names another field that says it. If no
field does, the settings may name the systems in the order in which every item's outputs come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...records import Kind, TandemError, option_ref
from ..cells import Cells, require_cell
from ..entry import TEXT, Entry
from ..layout import Layout, Reader, Source, has_columns
from ..table_fields import list_names
from ..templates import read_scores

RATERS = {"scores": ("human", Kind.HUMAN), "predict_scores": ("unieval", Kind.LLM)}


class Outputs(Reader):
    """Reader of outputs with human scores; outputs of one system and context are its samples."""

    def __init__(self, source: Source) -> None:
        self.source, self.field = source, source.mapping.get("system", "system_id")
        self.samples, self.outputs = Counter[tuple[str, str]](), Counter[str]()
        names, sizes = source.systems, self._sizes() if source.systems else set[int]()
        if names and (sizes != {len(names)} or len(set(names)) < len(names)):
            raise TandemError(
                f"{option_ref('systems')} names {len(set(names))} systems, but the items of "
                f"{source.path.name} have {list_names(map(str, sorted(sizes)))} outputs: name as "
                "many"
            )

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        context = _context(cells)
        system = self._system(context, cells)
        sample = self.samples[context, system]
        self.samples[context, system] += 1
        output = {"context": context, "system": system, "sample": sample}
        yield {
            "sort": TEXT, **output, "text": require_cell(cells, "system_output", str),
            "reference": cells.get("reference"),
        }  # fmt: skip
        for column, (judge, kind) in RATERS.items():
            scores = require_cell(cells, column, dict) if column in cells else {}
            yield from read_scores(scores, **output, judge=judge, judge_kind=kind)

    def _system(self, context: str, cells: Cells) -> str:
        if self.source.systems:
            self.outputs[context] += 1
            return self.source.systems[self.outputs[context] - 1]
        system = cells.get(self.field)
        if isinstance(system, str) and system:
            return system
        if not any(row.get(self.field) for row in self.source.cells()):
            raise TandemError(self._explain_unnamed())
        raise ValueError(f"it has no {self.field}, so it is not known whose output this is")

    def _explain_unnamed(self) -> str:
        sizes, order = self._sizes(), ""
        if len(sizes) == 1 and (size := max(sizes)) > 1:
            names = " ".join(f"NAME{place}" for place in range(1, size + 1))
            order = (
                f"; every item has {size} rows: if their order is always the same, name the "
                f"systems with {option_ref('systems')} {names}"
            )
        return (
            f"{self.source.path.name} has no {self.field}, so it is unknown whose outputs these "
            f"are. Add that field to every row, or name another with {option_ref('map')} "
            f"system=FIELD{order}"
        )

    def _sizes(self) -> set[int]:
        return set(Counter(map(_context, self.source.cells())).values())


def _context(cells: Cells) -> str:
    parts = [str(cells.get(name) or "").strip() for name in ("source", "context")]
    return "\n\n".join(part for part in parts if part)


LAYOUT = Layout(
    "unieval", "UniEval", {Outputs: has_columns("source", "system_output", "scores")},
    ("dialogue", "response"), fields=("system",), settings=("systems",),
)  # fmt: skip
