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
from ..cells import Cells, read_name, require_cell
from ..entry import VOTE
from ..layout import Layout, has_columns
from ..templates import (
    LABEL,
    Constant,
    Template,
    choose_outcome,
    need,
    read_by,
    template,
    vote_twice,
)

WINNERS = {"1": Outcome.A, "2": Outcome.B}
OF_PAIRS = (
    "(?:LLMBar|Adversarial|Processed|CaseStudy)/(?P<subset1>[^/]+)/dataset|"
    "(?P<subset2>(?!dataset$)[^/]+)",
    "does not name its subset of LLMBar: let it be LLMBar/Natural/dataset.json, or Natural.json",
)
"""The subset is the folder's name, or the file's where that is not dataset.json."""
OF_RESULTS = (
    "[^/]*result_(?P<subset1>(?:Base_)?[^_/]+)_(?P<evaluator1>[^_/]+)_(?P<prompt1>[^/]+)|"
    "(?P<subset2>[^/]+)/evaluators/(?P<evaluator2>[^/]+)/(?P<prompt2>[^/]+)/[^/]+",
    "does not say who judged what: let it be SUBSET/evaluators/EVALUATOR/PROMPT/result.json",
)


def _subset(cells: Cells) -> str:
    return read_name(cells, "subset").rpartition("/")[2]


# The two outputs of a pair have no other names, so these are the systems.
PAIR = {
    "item": lambda cells: f"{_subset(cells)}/{read_name(cells, 'index')}", "subset": _subset,
    "system_a": Constant("output_1"), "system_b": Constant("output_2"),
}  # fmt: skip
LABELLED = {**PAIR, **LABEL, "outcome": choose_outcome("label", WINNERS, "label")}
PAIRS = template(
    VOTE, **LABELLED, context=need("input"), text_a=need("output_1"), text_b=need("output_2"),
    sample_a=0, sample_b=0,
)  # fmt: skip


def _orders(*outcomes: object) -> list[Template]:
    judge = {"judge": "{evaluator}/{prompt}", "judge_prompt": "LLMBar/{prompt}", "words": WINNERS}
    judged = {**PAIR, **judge, "judge_model": "evaluator", "judge_kind": Kind.LLM}
    return vote_twice(judged, *({"outcome": each} for each in outcomes), name_systems=True)


def _winner(order: str, cells: Cells) -> object:
    results = require_cell(cells, "results", list)
    return require_cell(results[0] if results else {}, order, dict).get("winner")


FIRST, SECOND = "winner_swap_false", "winner_swap_true"
RESULTS = (partial(_winner, f"swap = {swap}") for swap in (False, True))
TEXTS = ("input", "output_1", "output_2", "label")
LAYOUT = Layout(
    "llmbar", "LLMBar", {
        read_by(PAIRS, *_orders(*RESULTS), named=OF_RESULTS): has_columns(*TEXTS, "results"),
        read_by(PAIRS, named=OF_PAIRS): has_columns(*TEXTS),
        read_by(template(VOTE, **LABELLED), *_orders(FIRST, SECOND)):
            has_columns("subset", "evaluator", "prompt", "index", FIRST, SECOND),
    }, ("instruction", "output"), is_answered_once=True,
)  # fmt: skip
