"""HANNA: stories with the ratings of three people on six criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, named
from core.importing.layout import Layout, Record, Source, has, marks, texts
from core.records import Item, Score


class Hanna:
    """HANNA's human marks, a row per system, prompt_index and criterion with human_1..3; the
    stories are not in it.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.raters = [name for name in source.columns if re.fullmatch(r"human_\d+", name)]

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, system, criterion = (
            named(cells, name) for name in ("prompt_index", "system", "criterion")
        )
        yield Item(item)
        yield from texts(item, {system: None})
        for rater in self.raters:
            score = Score(item, system, criterion.lower(), rater.replace("_", "-"))
            yield from marks(self.source, score, cells.get(rater))


LAYOUT = Layout(
    "hanna",
    "HANNA, human marks of stories",
    {Hanna: has("system", "prompt_index", "criterion", "human_1")},
    ("prompt", "story"),
)
