"""WebGPT's comparisons (openai/webgpt_comparisons): two answers to a question, each with a score
by the same person; the higher one is the better, equal ones are a tie.

A row has question (full_text), answer_0, answer_1, score_0, score_1. The models are not named.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_mark
from core.importing.entry import VOTE
from core.importing.layout import Layout, Source, has
from core.importing.side_names import name_sides
from core.importing.templates import Constant, Template, read_by, template
from core.records import Outcome

PLACES = ("answer_0", "answer_1")


def _votes(source: Source) -> Iterator[Template]:
    first, second = name_sides(source, PLACES)
    yield template(
        VOTE, context="question.full_text", system_a=Constant(first), text_a="answer_0",
        system_b=Constant(second), text_b="answer_1", outcome=_compare_scores,
    )  # fmt: skip


def _compare_scores(cells: Cells) -> Outcome:
    first, second = (as_mark(cells.get(f"score_{side}"), f"score_{side}") for side in "01")
    return Outcome.TIE if first == second else Outcome.A if first > second else Outcome.B


_HAS = has("question", *PLACES, "score_0", "score_1")

LAYOUT = Layout(
    "webgpt",
    "WebGPT's comparisons",
    {read_by(_votes): lambda source: not source.mapping and _HAS(source)},
    ("question", "answer"),
    settings=("systems", "kind"),
)
