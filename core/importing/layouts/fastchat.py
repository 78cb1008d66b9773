"""FastChat's judgements as its llm_judge writes them: pairs judged in both orders (`*_pair.jsonl`),
and single answers (`*_single.jsonl`).

A pair has model_1, model_2, and the winner by its name ("model_1", "model_2", "tie", "error") and
the reply of game 1, which shows model_1 first, and game 2, which shows model_2 first. Where the
winner comes of two single marks (m1_score, m2_score), nobody saw the two together: that is one
verdict without an order. A single answer has a score, -1 where it could not be parsed.

The judge is [model, prompt]; turn 2 is judged with another prompt, so by another judge. The
wordings of the prompts are not in these files.
"""

from __future__ import annotations

from core.importing.cells import Cells, as_number, required
from core.importing.entry import SCORE, VOTE
from core.importing.layout import UNPARSED, Layout, has
from core.importing.templates import Specs, Template, read_by, swap_sides, swap_words, template
from core.records import Kind, Outcome

WINNERS = {"model_1": Outcome.A, "model_2": Outcome.B, "tie": Outcome.TIE}
PAIR: Specs = {"system_a": "model_1", "system_b": "model_2"}


def _judge(cells: Cells) -> str:
    given = required(cells, "judge", list)
    if len(given) != 2:
        raise ValueError(f"its judge {str(given)[:60]!r} is not a model and a prompt")
    turn = "" if cells.get("turn") in (None, 1) else f"/turn-{cells['turn']}"
    return f"{given[0]}/{given[1]}{turn}"


JUDGE: Specs = {
    "item": "question_id",
    "judge": _judge,
    "judge_kind": Kind.LLM,
    "judge_model": "{judge[0]}",
    "judge_prompt": "{judge[1]}",
}


def _has_order(cells: Cells) -> bool:
    return cells.get("m1_score") is None


def _game(game: str, pair: Specs, words: dict[str, Outcome], **more: object) -> Template:
    return template(
        VOTE, words, **JUDGE, **pair, outcome=f"{game}_winner", created_at="tstamp",
        raw=(f"{game}_judgment", f"{game}_winner"), order_known=_has_order, **more,
    )  # fmt: skip


PAIRS = read_by(
    _game("g1", PAIR, WINNERS),
    _game("g2", swap_sides(PAIR), swap_words(WINNERS), when=_has_order),
)


def _score(cells: Cells) -> float:
    return as_number(cells.get("score"), "score")


SINGLES = read_by(
    template(
        SCORE, **JUDGE, system="model", value=_score, raw="judgment",
        failure=lambda cells: UNPARSED if _score(cells) < 0 else "",
    )
)  # fmt: skip
LAYOUT = Layout(
    "fastchat",
    "FastChat's LLM judgements",
    {
        PAIRS: has("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge"),
        SINGLES: has("question_id", "model", "judge", "score", "judgment"),
    },
    ("question", "answer"),
    once=True,
)
