"""FastChat's judgements as its llm_judge writes them: pairs judged in both orders (`*_pair.jsonl`),
and single answers (`*_single.jsonl`).

Game 1 shows model_1 first, game 2 model_2; a winner has the name "model_1", "model_2", "tie" or
"error". Where it comes of two single marks (m1_score, m2_score), nobody saw the two together: that
is one verdict without an order. The judge is [model, prompt]; turn 2 is judged with another prompt,
so by another judge. A score of -1 could not be parsed.
"""

from __future__ import annotations

from ...records import Kind, Outcome
from ..cells import Cells, as_number, require_cell
from ..entry import SCORE
from ..layout import UNPARSED, Layout, has_columns
from ..templates import read_by, template, vote_twice

WINNERS = {"model_1": Outcome.A, "model_2": Outcome.B, "tie": Outcome.TIE}


def _judge(cells: Cells) -> str:
    given = require_cell(cells, "judge", list)
    if len(given) != 2:
        raise ValueError(f"its judge {str(given)[:60]!r} is not a model and a prompt")
    turn = "" if cells.get("turn") in (None, 1) else f"/turn-{cells['turn']}"
    return f"{given[0]}/{given[1]}{turn}"


def _score(cells: Cells) -> float:
    return as_number(cells.get("score"), "score")


def _has_order(cells: Cells) -> bool:
    return cells.get("m1_score") is None


JUDGE = {
    "item": "question_id", "judge": _judge, "judge_kind": Kind.LLM, "judge_model": "{judge[0]}",
    "judge_prompt": "{judge[1]}",
}  # fmt: skip
PAIR = {
    **JUDGE, "system_a": "model_1", "system_b": "model_2", "order_known": _has_order,
    "created_at": "tstamp", "words": WINNERS,
}  # fmt: skip
GAME_1 = {"outcome": "g1_winner", "raw": ("g1_judgment", "g1_winner")}
GAME_2 = {"outcome": "g2_winner", "raw": ("g2_judgment", "g2_winner"), "when": _has_order}
PAIRS = read_by(*vote_twice(PAIR, GAME_1, GAME_2, name_systems=True))
SINGLE = template(
    SCORE, **JUDGE, system="model", value=_score, raw="judgment",
    failure=lambda cells: UNPARSED if _score(cells) < 0 else "",
)  # fmt: skip
LAYOUT = Layout(
    "fastchat", "FastChat's LLM judgements",
    {
        PAIRS: has_columns("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge"),
        read_by(SINGLE): has_columns("question_id", "model", "judge", "score", "judgment"),
    },
    ("question", "answer"), is_answered_once=True,
)  # fmt: skip
