"""MT-Bench and judgements in its manner: questions, answers, pairs judged in both orders, grades.

A question has several turns and is judged as one conversation, so item and text hold all of them.
An item is its question_id; in another language than English LANGUAGE/QUESTION_ID, as those are
other questions. The subset is the language, where a file says it.

In winner_ab and winner_ba (A, B, tie, or error, which could not be parsed) A is what was shown
first, in winner_ba therefore model_b; the column `winner` follows from the two. Grades are from 1
to 10: score_turn1, score_turn2, and their mean avg_score. -1, or none, could not be parsed. Their
raters are JUDGE/single, JUDGE/single-turn-1 and -2.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_number, as_text, named, required
from core.importing.conversations import joined
from core.importing.entry import ITEM, SCORE, TEXT, VOTE, Entry
from core.importing.layout import UNPARSED, Layout, Source, has
from core.importing.templates import (
    Specs,
    Template,
    read_by,
    read_with,
    swap_sides,
    template,
)
from core.records import Kind, Outcome

SIDES = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE}
GRADES = {"": "avg_score", "-turn-1": "score_turn1", "-turn-2": "score_turn2"}


def _item(cells: Cells) -> str:
    question, language = named(cells, "question_id"), as_text(cells.get("language"))
    return question if language in (None, "", "en") else f"{language}/{question}"


def _turns(of: object, name: str) -> str:
    """All turns of a conversation as one text."""
    return joined([as_text(turn) or "" for turn in required(of, name, list)])


OF_ITEM: Specs = {"item": _item, "subset": "language"}
QUESTIONS = template(
    ITEM, **OF_ITEM, context=lambda cells: _turns(cells, "turns"),
    reference=lambda cells: _turns(cells, "reference") if cells.get("reference") else "",
)  # fmt: skip


def _answers(number: int, cells: Cells) -> Iterator[Entry]:
    """One text for each sampled answer."""
    fields = {"sort": TEXT, "item": _item(cells), "system": named(cells, "model_id")}
    for sample, choice in enumerate(required(cells, "choices", list)):
        yield {**fields, "sample": sample, "text": _turns(choice, "turns")}


JUDGE: Specs = {"judge_kind": Kind.LLM, "judge_model": "judge_id"}
PAIR: Specs = {"system_a": "model_a", "system_b": "model_b"}


def _order(order: str, pair: Specs) -> Template:
    return template(
        VOTE, SIDES, **OF_ITEM, **pair, **JUDGE, judge="judge_id", outcome=f"winner_{order}",
        raw=(f"judgment_{order}", f"winner_{order}"),
    )  # fmt: skip


def _grades(source: Source) -> Iterator[Template]:
    for rater, column in GRADES.items():
        if column in source.columns:
            yield template(
                SCORE, **OF_ITEM, **JUDGE, judge=f"{{judge_id}}/single{rater}", system="model_id",
                **_grade(column),
            )  # fmt: skip


def _grade(column: str) -> Specs:
    def is_unparsed(cells: Cells) -> bool:
        given = cells.get(column)
        return given in (None, "") or as_number(given, column) < 0

    return {
        "value": column,
        "failure": lambda cells: UNPARSED if is_unparsed(cells) else "",
        "raw": lambda cells: cells.get(column) if is_unparsed(cells) else "",
    }


LAYOUT = Layout(
    "mtbench",
    "MT-Bench and judgements in its manner",
    {
        read_by(QUESTIONS): has("question_id", "category", "turns"),
        read_with(_answers): has("question_id", "model_id", "choices"),
        read_by(_order("ab", PAIR), _order("ba", swap_sides(PAIR))): has(
            "question_id", "judge_id", "model_a", "model_b", "winner_ab", "winner_ba"
        ),
        read_by(_grades): has("question_id", "judge_id", "model_id", "score_turn1"),
    },
    ("question", "answer"),
    once=True,
)
