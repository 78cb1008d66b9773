"""Reader of tables of marks, one mark of a text a row, as `export --what scores` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.importing.cells import Cells, as_kind, as_whole
from core.importing.items import Items
from core.importing.layout import Layout, Record, Source, has, marks, system_of
from core.importing.table_fields import Fields
from core.records import Generation, JudgeSpec, Score


class Marks:
    """A table of marks: item, system, attribute, value; and, where there are such columns, subset,
    sample, rater, kind, trial, and failure, which says why there is no mark. The texts come from
    another file, before or after it.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.fields = source, Fields(source)
        self.items = Items(source, self.fields)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        fields, item = self.fields, self.items.item(cells)
        kind = as_kind(fields.cell(cells, "judge_kind"), self.source.kind)
        score = Score(
            item.key,
            fields.name(cells, "system"),
            fields.name(cells, "attribute"),
            fields.text(cells, "judge") or kind.value,
            sample=fields.whole(cells, "sample") or 0,
            trial=as_whole(cells.get("trial") or 0, "trial"),
            kind=kind,
        )
        yield item
        yield system_of(score.system)
        yield Generation(item.key, score.system, score.sample, None)
        if failure := fields.text(cells, "failure"):
            yield self.source.attribute(score.attribute)
            yield JudgeSpec(score.judge, kind)
            yield replace(score, failure=failure)
        else:
            yield from marks(self.source, score, cells.get("value"))


def _of_marks(source: Source) -> bool:
    needed = has("item", "system", "attribute", "value")
    return needed(source) and "text" not in source.columns


LAYOUT = Layout(
    "marks",
    "marks of texts",
    {Marks: _of_marks},
    settings=("kind",),
)
