"""Reader of tables of marks, one mark of a text a row, as `export --what scores` writes them."""

from __future__ import annotations

from collections.abc import Iterator

from ..cells import Cells, as_kind, as_whole
from ..entry import SCORE, TEXT, Entry, is_score
from ..layout import Layout, Source, TableReader, has_columns


class Marks(TableReader):
    """A table of marks: item, system, attribute, value; and, where there are such columns, subset,
    family, sample, rater, kind, trial, and failure, which says why there is no mark. The texts come
    from another file, before or after it.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, about = self.fields, self.about_item(cells)
        if not about["item"]:
            raise ValueError(f"{fields.describe_column('item')} (the item) is empty")
        kind = as_kind(fields.read_cell(cells, "judge_kind"), self.source.kind).value
        failure, value = fields.read_text(cells, "failure"), cells.get("value")
        sample = fields.read_whole(cells, "sample") or 0
        text: Entry = {**about, "system": fields.read_name(cells, "system"), "sample": sample}
        yield {"sort": TEXT, **text}
        if failure or is_score(value):
            yield {
                "sort": SCORE, **text, "attribute": fields.read_name(cells, "attribute"),
                "judge": fields.read_text(cells, "judge") or kind, "judge_kind": kind,
                "trial": as_whole(cells.get("trial") or 0, "trial"), "value": value,
                "failure": failure,
            }  # fmt: skip


def _are_marks(source: Source) -> bool:
    needed = has_columns("item", "system", "attribute", "value")
    return needed(source) and "text" not in source.columns


LAYOUT = Layout("marks", "scores of texts", {Marks: _are_marks}, settings=("kind",))
