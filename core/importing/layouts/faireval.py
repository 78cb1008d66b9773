"""FairEval: Vicuna's 80 questions, two answers to each, and one human verdict each.

Verdicts are lines, in the order of the questions; their file's name says who is meant. Nothing says
in which order people read the two. They call a system by the name in the answers' file,
answer_SYSTEM.jsonl; model_id says which model that was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...records import Kind, Outcome, TandemError
from ..entry import ITEM, TEXT, VOTE
from ..files import PLAIN
from ..layout import Layout, Source, has_columns
from ..templates import Constant, RowNumber, Template, choose_outcome, need, read_by, template

VERDICTS = {"CHATGPT": Outcome.A, "VICUNA13B": Outcome.B, "TIE": Outcome.TIE}


def _answers(source: Source) -> Iterator[Template]:
    is_named = source.stem.startswith("answer_")
    yield template(
        TEXT, item="question_id", sample=0, base="model_id", text=need("text"),
        system=Constant(source.stem.removeprefix("answer_")) if is_named else "model_id",
    )  # fmt: skip


def _verdicts(source: Source) -> Iterator[Template]:
    names = re.fullmatch(r"review_([^_]+)_([^_]+)_([^_]+)", source.stem)
    if not names:
        raise TandemError(
            f"{source.path.name} should be named review_FIRST_SECOND_JUDGE.txt: "
            "the file does not say anywhere else who was compared"
        )
    yield template(
        VOTE, item=RowNumber(), system_a=Constant(names[1]), system_b=Constant(names[2]),
        judge=Constant(names[3]), judge_kind=Kind.HUMAN, order_known=False,
        outcome=choose_outcome("line", VERDICTS, "verdict"),
    )  # fmt: skip


QUESTIONS = template(ITEM, item="question_id", context=need("text"), subset="category")
LAYOUT = Layout(
    "faireval", "FairEval",
    {
        read_by(_answers): has_columns("question_id", "answer_id", "model_id", "text"),
        read_by(QUESTIONS): has_columns("question_id", "text", "category"),
        read_by(_verdicts): lambda source: (
            source.columns == PLAIN and source.stem.startswith("review_")
        ),
    },
    ("question", "answer"), is_answered_once=True,
)  # fmt: skip
