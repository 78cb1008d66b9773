"""HANNA: stories with the ratings of three people on six criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named
from core.importing.layout import Layout, Record, Source, has, marks, system_of, texts
from core.records import Generation, Item, Score

CRITERIA = ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity")
PROMPTS = 96
"""How many prompts HANNA has, so how many stories a model has."""


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


class Annotations:
    """HANNA as its authors publish it (hanna_stories_annotations.csv): a row per story and rater,
    with the prompt, the story, the model, six marks and the worker. Stories are numbered model by
    model, PROMPTS to each, so the number tells the prompt. The human story is the reference.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.columns = {_plain(column): column for column in source.columns}
        self.criteria = [name for name in CRITERIA if name in self.columns]

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        def cell(name: str) -> object:
            return cells.get(self.columns.get(name, ""))

        story, worker = as_text(cell("story id")) or "", as_text(cell("worker id")) or ""
        if not story.isdecimal() or not worker:
            raise ValueError("it has no number of a story, or no worker")
        item, system = str(int(story) % PROMPTS), named(cells, self.columns["model"])
        human = as_text(cell("human"))
        yield Item(item, as_text(cell("prompt")) or "", (human,) if human else ())
        yield system_of(system)
        yield Generation(item, system, 0, as_text(cell("story")))
        for criterion in self.criteria:
            score = Score(item, system, criterion, f"worker-{worker}")
            yield from marks(self.source, score, cell(criterion))


def _plain(column: str) -> str:
    """ "Story_ID" and "Story ID" are one column."""
    return column.replace("_", " ").casefold()


def _is_annotations(source: Source) -> bool:
    return {"story id", "prompt", "story", "model", "worker id", "coherence"} <= {
        _plain(column) for column in source.columns
    }


LAYOUT = Layout(
    "hanna",
    "HANNA, human marks of stories",
    {Hanna: has("system", "prompt_index", "criterion", "human_1"), Annotations: _is_annotations},
    ("prompt", "story"),
)
