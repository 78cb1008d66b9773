"""JudgeBench's decisions: two responses of one model to a question, one of them objectively right.

A row has response_model, judge_name, judge_model, pair_id, source (of the question, the subset),
label, and the decision in either order. The label and decision_original_order speak of the original
order. decision_swapped_order is as displayed after the swap: its A is response B. The judge is
JUDGE_NAME/JUDGE_MODEL: judge_name says which prompt the model was asked with, except for reward
models, which mark a response without reading one. The wordings are not in the file.
"""

from __future__ import annotations

from core.importing.cells import Cells
from core.importing.entry import VOTE
from core.importing.layout import Layout, has
from core.importing.templates import (
    LABEL,
    Constant,
    Specs,
    Template,
    choose_outcome,
    read_by,
    swap_sides,
    template,
)
from core.records import Kind, Outcome

DECISIONS = {"A>B": Outcome.A, "B>A": Outcome.B, "A=B": Outcome.TIE}
PAIR: Specs = {
    "item": "pair_id",
    "subset": "source",
    "system_a": Constant("response_A"),  # both by the same model, so they have no other names
    "system_b": Constant("response_B"),
}


def _prompt(cells: Cells) -> str:
    name = cells.get("judge_name")
    return "" if name == "reward_model" else f"JudgeBench/{name}"


def _decision(order: str, pair: Specs) -> Template:
    return template(
        VOTE, DECISIONS, **pair, judge="{judge_name}/{judge_model}", judge_kind=Kind.LLM,
        judge_model="judge_model", judge_prompt=_prompt, outcome=f"decision_{order}_order",
        raw=f"decision_{order}_order",
    )  # fmt: skip


READER = read_by(
    template(VOTE, **PAIR, **LABEL, outcome=choose_outcome("label", DECISIONS, "label")),
    _decision("original", PAIR),
    _decision("swapped", swap_sides(PAIR)),
)
LAYOUT = Layout(
    "judgebench",
    "JudgeBench's decisions",
    {READER: has("pair_id", "judge_model", "decision_original_order", "decision_swapped_order")},
    ("question", "response"),
    once=True,
)
