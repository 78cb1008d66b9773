"""HANNA: stories with the ratings of three people on six criteria.

Its marks by themselves have a row for each system, prompt_index and criterion, with human_1..3. As
its authors publish it (hanna_stories_annotations.csv), it has a row for each story and rater.
Stories are numbered there model by model, PROMPTS to each, so the number tells the prompt. The
human story is the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..cells import Cells, as_text, read_name
from ..entry import SCORE, TEXT
from ..layout import Layout, Source, has_columns
from ..templates import Constant, Template, read_by, template

CRITERIA = ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity")
PROMPTS = 96
"""How many prompts HANNA has, so how many stories a model has."""
MARKED = {"item": "prompt_index", "system": "system"}


def _marks(source: Source) -> Iterator[Template]:
    yield template(TEXT, **MARKED, sample=0, text=Constant(None))
    for column in filter(re.compile(r"human_\d+").fullmatch, source.columns):
        yield template(
            SCORE, **MARKED, value=column, judge=Constant(column.replace("_", "-")),
            attribute=lambda cells: read_name(cells, "criterion").lower(),
        )  # fmt: skip


def _annotations(source: Source) -> Iterator[Template]:
    columns = _index_by_plain_name(source)

    def item(cells: Cells) -> str:
        story = as_text(cells.get(columns["story id"])) or ""
        if not story.isdecimal() or not cells.get(columns["worker id"]):
            raise ValueError("it has no number of a story, or no worker")
        return str(int(story) % PROMPTS)

    text = {"item": item, "system": columns["model"], "sample": 0}
    yield template(
        TEXT, **text, text=columns["story"], context=columns["prompt"],
        reference=columns.get("human", Constant("")),
    )  # fmt: skip
    judge = f"worker-{{{columns['worker id']}}}"
    for name in filter(columns.get, CRITERIA):
        yield template(SCORE, **text, attribute=Constant(name), judge=judge, value=columns[name])


def _index_by_plain_name(source: Source) -> dict[str, str]:
    return {column.replace("_", " ").casefold(): column for column in source.columns}


def _is_annotations(source: Source) -> bool:
    needed = {"story id", "prompt", "story", "model", "worker id", "coherence"}
    return needed <= _index_by_plain_name(source).keys()


LAYOUT = Layout(
    "hanna", "HANNA, human scores of stories",
    {
        read_by(_marks): has_columns("system", "prompt_index", "criterion", "human_1"),
        read_by(_annotations): _is_annotations,
    },
    ("prompt", "story"),
)  # fmt: skip
