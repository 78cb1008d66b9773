"""LLMBar: pairs of outputs with a gold label, and what six LLMs with up to fifteen prompts each
said of them.

An item is SUBSET/INDEX, INDEX being its place in the subset's dataset.json, from 0. A result.json
holds the pairs of a subset once more, with one judge's answers to both orders. With swap_true
output_2 was shown first. Both winners are outputs, not places on the screen; an empty one was not
parsed. The judge is EVALUATOR/PROMPT: the model EVALUATOR, asked with the prompt LLMBar/PROMPT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_text, read_name, require_cell
from ..codes import decimal
from ..entry import VOTE
from ..layout import Layout, Source, has_columns
from ..templates import LABEL, Constant, RowNumber, Template, need, read_by, template, vote_twice

WINNERS = {"1": Outcome.A, "2": Outcome.B}
FOLDERS = ("LLMBar", "Adversarial", "Processed", "CaseStudy")  # of its subsets
# The two outputs of a pair have no other names, so these are the systems.
PAIR = {"system_a": Constant("output_1"), "system_b": Constant("output_2")}


def _label(cells: Cells) -> Outcome:
    said = as_text(cells.get("label")) or ""
    if said in WINNERS:
        return WINNERS[said]
    if decimal(str(cells.get("label"))) is not None:  # 0 or -1 make 1 something else than here
        raise TandemError(
            f"label is {said[:40]}, but 1 or 2 in LLMBar: say {option_ref('format')} votes, and it "
            "asks what the labels mean"
        )
    raise ValueError(f"the label {str(cells.get('label'))[:40]!r} is neither 1 nor 2")


def _subset(cells: Cells) -> str:
    return read_name(cells, "subset").rpartition("/")[2]


JUDGE = {
    "judge": "{evaluator}/{prompt}", "judge_model": "{evaluator}",
    "judge_prompt": "LLMBar/{prompt}",
}  # fmt: skip
JUDGED = {**PAIR, "judge_kind": Kind.LLM, "words": WINNERS}
LABELLED = {**PAIR, **LABEL, "outcome": _label}


def _pairs(source: Source) -> Iterator[Template]:
    """The subset is the folder's name, or the file's where that is not dataset.json."""
    folder = source.path.absolute().parent
    if source.stem == "dataset" and folder.parent.name not in FOLDERS:
        raise TandemError(
            f"{source.path.name} does not name its subset of LLMBar: leave it in its folder "
            "(LLMBar/Natural/dataset.json), or rename it (Natural.json)"
        )
    yield _pair(_item(folder.name if source.stem == "dataset" else source.stem))


def _item(subset: str) -> dict[str, object]:
    return {"item": RowNumber(f"{subset}/", 0), "subset": Constant(subset)}


def _pair(item: dict[str, object]) -> Template:
    return template(
        VOTE, **item, **LABELLED, context=need("input"), text_a=need("output_1"),
        text_b=need("output_2"), sample_a=0, sample_b=0,
    )  # fmt: skip


def _results(source: Source) -> Iterator[Template]:
    where = source.path.absolute()
    named = re.search(r"result_((?:Base_)?[^_]+)_([^_]+)_(.+)$", source.stem) or re.search(
        r"(?<=/)([^/]+)/evaluators/([^/]+)/([^/]+)/[^/]+$", where.as_posix()
    )
    if not named:
        raise TandemError(
            f"{where.name} does not say who judged what: leave it in its folder "
            "(SUBSET/evaluators/EVALUATOR/PROMPT/result.json), or name it "
            "result_SUBSET_EVALUATOR_PROMPT.json"
        )
    subset, evaluator, prompt = named.groups()
    said = {"evaluator": evaluator, "prompt": prompt}
    judge = {name: Constant(spec.format(**said)) for name, spec in JUDGE.items()}
    yield _pair(_item(subset))
    orders = ({"outcome": partial(_winner, f"swap = {swap}")} for swap in (False, True))
    yield from vote_twice({**JUDGED, **judge, **_item(subset)}, *orders, name_systems=True)


def _winner(order: str, cells: Cells) -> object:
    results = require_cell(cells, "results", list)
    return require_cell(results[0] if results else {}, order, dict).get("winner")


FIRST, SECOND = "winner_swap_false", "winner_swap_true"
PLACE = {"item": lambda cells: f"{_subset(cells)}/{read_name(cells, 'index')}", "subset": _subset}
ORDERS = vote_twice(
    {**JUDGED, **JUDGE, **PLACE}, {"outcome": FIRST}, {"outcome": SECOND}, name_systems=True
)
JUDGEMENTS = read_by(template(VOTE, **PLACE, **LABELLED), *ORDERS)
TEXTS = ("input", "output_1", "output_2", "label")
LAYOUT = Layout(
    "llmbar", "LLMBar",
    {
        read_by(_results): has_columns(*TEXTS, "results"),
        read_by(_pairs): has_columns(*TEXTS),
        JUDGEMENTS: has_columns("subset", "evaluator", "prompt", "index", FIRST, SECOND),
    },
    ("instruction", "output"), is_answered_once=True,
)  # fmt: skip
