"""LLMBar: pairs of outputs with a gold label, and what six LLMs with up to fifteen prompts each
said of them.

An item is SUBSET/INDEX, INDEX being its place in the subset's dataset.json, from 0. A result.json
holds the pairs of a subset once more, with one judge's answers to both orders. With swap_true
output_2 was shown first. Both winners are outputs, not places on the screen; an empty one was not
parsed. The judge is EVALUATOR/PROMPT: the model EVALUATOR, asked with the prompt LLMBar/PROMPT.
"""

from __future__ import annotations

from functools import partial

from ...records import Kind, Outcome
from ..cells import Cells, as_text, read_name, require_cell
from ..codes import decimal
from ..entry import VOTE
from ..layout import Layout, has_columns
from ..templates import (
    LABEL,
    Constant,
    Template,
    ask_as_votes,
    choose,
    need,
    read_by,
    template,
    vote_twice,
)

WINNERS = {"1": Outcome.A, "2": Outcome.B}
OF_PAIRS = (
    "(?:LLMBar|Adversarial|Processed|CaseStudy)/(?P<subset1>[^/]+)/dataset|"
    "(?P<subset2>(?!dataset$)[^/]+)",
    "does not name its subset of LLMBar: leave it in its folder (LLMBar/Natural/dataset.json), or "
    "rename it (Natural.json)",
)
"""The subset is the folder's name, or the file's where that is not dataset.json."""
OF_RESULTS = (
    "[^/]*result_(?P<subset1>(?:Base_)?[^_/]+)_(?P<evaluator1>[^_/]+)_(?P<prompt1>[^/]+)|"
    "(?P<subset2>[^/]+)/evaluators/(?P<evaluator2>[^/]+)/(?P<prompt2>[^/]+)/[^/]+",
    "does not say who judged what: leave it in its folder "
    "(SUBSET/evaluators/EVALUATOR/PROMPT/result.json), or name it "
    "result_SUBSET_EVALUATOR_PROMPT.json",
)


def _subset(cells: Cells) -> str:
    return read_name(cells, "subset").rpartition("/")[2]


def _label(cells: Cells) -> Outcome:
    said = as_text(cells.get("label"))
    if said not in WINNERS and decimal(str(said)) is not None:  # 0 or -1 make 1 something else
        raise ask_as_votes("label", said, "1 or 2 in LLMBar")
    return choose(cells, "label", WINNERS, "label")


# The two outputs of a pair have no other names, so these are the systems.
PAIR = {
    "item": lambda cells: f"{_subset(cells)}/{read_name(cells, 'index')}", "subset": _subset,
    "system_a": Constant("output_1"), "system_b": Constant("output_2"),
}  # fmt: skip
LABELLED = {**PAIR, **LABEL, "outcome": _label}
PAIRS = template(
    VOTE, **LABELLED, context=need("input"), text_a=need("output_1"), text_b=need("output_2"),
    sample_a=0, sample_b=0,
)  # fmt: skip


def _orders(*outcomes: object) -> list[Template]:
    judge = {"judge": "{evaluator}/{prompt}", "judge_prompt": "LLMBar/{prompt}"}
    judged = {**PAIR, **judge, "judge_model": "evaluator", "judge_kind": Kind.LLM}
    orders = ({"outcome": outcome} for outcome in outcomes)
    return vote_twice({**judged, "words": WINNERS}, *orders, name_systems=True)


def _winner(order: str, cells: Cells) -> object:
    results = require_cell(cells, "results", list)
    return require_cell(results[0] if results else {}, order, dict).get("winner")


FIRST, SECOND = "winner_swap_false", "winner_swap_true"
RESULTS = (partial(_winner, f"swap = {swap}") for swap in (False, True))
TEXTS = ("input", "output_1", "output_2", "label")
LAYOUT = Layout(
    "llmbar", "LLMBar",
    {
        read_by(PAIRS, *_orders(*RESULTS), named=OF_RESULTS): has_columns(*TEXTS, "results"),
        read_by(PAIRS, named=OF_PAIRS): has_columns(*TEXTS),
        read_by(template(VOTE, **LABELLED), *_orders(FIRST, SECOND)):
            has_columns("subset", "evaluator", "prompt", "index", FIRST, SECOND),
    },
    ("instruction", "output"), is_answered_once=True,
)  # fmt: skip
