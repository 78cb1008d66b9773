"""MT-Bench and judgements in its manner: questions, answers, pairs judged in both orders, grades.

A question has several turns and is judged as one conversation, so item and text hold all of them.
An item is its question_id; in another language than English LANGUAGE/QUESTION_ID, as those are
other questions. The subset is the language, where a file says it.

In winner_ab and winner_ba (A, B, tie, or error, which could not be parsed) A is what was shown
first, in winner_ba therefore model_b; `winner` follows from the two. Grades are from 1 to 10, of
either turn, and their mean; -1, or none, could not be parsed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...records import Kind, Outcome
from ..cells import Cells, as_number, as_text, read_name, require_cell
from ..conversations import join_turns
from ..entry import ITEM, SCORE, TEXT, Entry
from ..layout import UNPARSED, Layout, Source, has_columns
from ..templates import Template, read_by, read_with, template, vote_twice

SIDES = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE}
RATERS = {"avg_score": "single", "score_turn1": "single-turn-1", "score_turn2": "single-turn-2"}


def _item(cells: Cells) -> str:
    question, language = read_name(cells, "question_id"), as_text(cells.get("language"))
    return question if language in (None, "", "en") else f"{language}/{question}"


def _join_turns(of: object, name: str = "turns") -> str:
    return join_turns([as_text(turn) or "" for turn in require_cell(of, name, list)])


def _reference(cells: Cells) -> str:
    return _join_turns(cells, "reference") if cells.get("reference") else ""


def _answers(number: int, cells: Cells) -> Iterator[Entry]:
    fields = {"sort": TEXT, "item": _item(cells), "system": read_name(cells, "model_id")}
    for sample, choice in enumerate(require_cell(cells, "choices", list)):
        yield {**fields, "sample": sample, "text": _join_turns(choice)}


ITEMS = {"item": _item, "subset": "language"}
JUDGE = {**ITEMS, "judge_kind": Kind.LLM, "judge_model": "judge_id"}
PAIR = {**JUDGE, "judge": "judge_id", "system_a": "model_a", "system_b": "model_b", "words": SIDES}
AB = {"outcome": "winner_ab", "raw": ("judgment_ab", "winner_ab")}
BA = {"outcome": "winner_ba", "raw": ("judgment_ba", "winner_ba")}


def _grades(source: Source) -> Iterator[Template]:
    return (_grade(column) for column in RATERS if column in source.columns)


def _grade(column: str) -> Template:
    def is_unparsed(cells: Cells) -> bool:
        given = cells.get(column)
        return given in (None, "") or as_number(given, column) < 0

    return template(
        SCORE, **JUDGE, judge=f"{{judge_id}}/{RATERS[column]}", system="model_id", value=column,
        failure=lambda cells: UNPARSED if is_unparsed(cells) else "",
        raw=lambda cells: cells.get(column) if is_unparsed(cells) else "",
    )  # fmt: skip


LAYOUT = Layout(
    "mtbench", "MT-Bench and judgements in its manner",
    {
        read_by(template(ITEM, **ITEMS, context=_join_turns, reference=_reference)): has_columns(
            "question_id", "category", "turns"
        ),
        read_with(_answers): has_columns("question_id", "model_id", "choices"),
        read_by(*vote_twice(PAIR, AB, BA)): has_columns(
            "question_id", "judge_id", "model_a", "model_b", "winner_ab", "winner_ba"
        ),
        read_by(_grades): has_columns("question_id", "judge_id", "model_id", "score_turn1"),
    },
    ("question", "answer"), is_answered_once=True,
)  # fmt: skip
