"""HANNA: stories with the ratings of three people on six criteria.

Its marks by themselves have a row for each system, prompt_index and criterion, with human_1..3. As
its authors publish it (hanna_stories_annotations.csv), it has a row for each story and rater.
Stories are numbered there model by model, PROMPTS to each, so the number tells the prompt. The
human story is the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named
from core.importing.entry import SCORE, TEXT
from core.importing.layout import Layout, Source, has
from core.importing.templates import Constant, Specs, Template, read_by, template

CRITERIA = ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity")
PROMPTS = 96
"""How many prompts HANNA has, so how many stories a model has."""


def _marks(source: Source) -> Iterator[Template]:
    for column in source.columns:
        if re.fullmatch(r"human_\d+", column):
            yield template(
                SCORE, item="prompt_index", system="system",
                judge=Constant(column.replace("_", "-")),
                attribute=lambda cells: named(cells, "criterion").lower(), value=column,
            )  # fmt: skip


def _annotations(source: Source) -> Iterator[Template]:
    columns = {_plain(column): column for column in source.columns}
    number, worker = columns["story id"], columns["worker id"]

    def item(cells: Cells) -> str:
        story = as_text(cells.get(number)) or ""
        if not story.isdecimal() or not cells.get(worker):
            raise ValueError("it has no number of a story, or no worker")
        return str(int(story) % PROMPTS)

    text: Specs = {"item": item, "system": columns["model"], "sample": 0}
    yield template(
        TEXT, **text, text=columns["story"], context=columns["prompt"],
        reference=columns.get("human", Constant("")),
    )  # fmt: skip
    for criterion in CRITERIA:
        if criterion in columns:
            yield template(
                SCORE, **text, attribute=Constant(criterion), judge=f"worker-{{{worker}}}",
                value=columns[criterion],
            )  # fmt: skip


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
    {
        read_by(_marks): has("system", "prompt_index", "criterion", "human_1"),
        read_by(_annotations): _is_annotations,
    },
    ("prompt", "story"),
)
