"""JudgeBench's decisions: two responses of one model to a question, one of them objectively right.

The label and decision_original_order speak of the original order; decision_swapped_order is as
displayed after the swap: its A is response B. judge_name says which prompt the judge_model was
asked with, except for reward models, which mark a response without reading one.
"""

from __future__ import annotations

from ...records import Kind, Outcome
from ..cells import Cells
from ..entry import VOTE
from ..layout import Layout, has_columns
from ..templates import LABEL, Constant, choose_outcome, read_by, template, vote_twice

DECISIONS = {"A>B": Outcome.A, "B>A": Outcome.B, "A=B": Outcome.TIE}
PAIR = {
    "item": "pair_id", "subset": "source",
    "system_a": Constant("response_A"), "system_b": Constant("response_B"),
}  # fmt: skip


def _prompt(cells: Cells) -> str:
    name = cells.get("judge_name")
    return "" if name == "reward_model" else f"JudgeBench/{name}"


JUDGED = {
    **PAIR, "judge": "{judge_name}/{judge_model}", "judge_kind": Kind.LLM,
    "judge_model": "judge_model", "judge_prompt": _prompt, "words": DECISIONS,
}  # fmt: skip
FIRST, SECOND = "decision_original_order", "decision_swapped_order"
READER = read_by(
    template(VOTE, **PAIR, **LABEL, outcome=choose_outcome("label", DECISIONS, "label")),
    *vote_twice(JUDGED, {"outcome": FIRST, "raw": FIRST}, {"outcome": SECOND, "raw": SECOND}),
)
LAYOUT = Layout(
    "judgebench", "JudgeBench's decisions",
    {READER: has_columns("pair_id", "judge_model", FIRST, SECOND)},
    ("question", "response"), is_answered_once=True,
)  # fmt: skip
