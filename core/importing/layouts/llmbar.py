"""LLMBar: pairs of outputs with a gold label, and what six LLMs with up to fifteen prompts each
said of them.

The two outputs of a pair have no other names than output_1 and output_2, so these are the systems.
An item is SUBSET/INDEX, INDEX being its place in the subset's dataset.json, from 0. The pairs have
input, output_1, output_2, and label, 1 or 2. A result.json holds the pairs of a subset once more,
with one judge's answers to both orders under `results`.

All judgements in one table have subset, evaluator, prompt, index, label, and who won in either
order. With swap_true output_2 was shown first. Both winners are outputs, not places on the screen;
an empty one was not parsed. The judge is EVALUATOR/PROMPT: the model EVALUATOR, asked with the
prompt LLMBar/PROMPT, of which the wording is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named, required
from core.importing.codes import decimal
from core.importing.entry import VOTE
from core.importing.layout import Layout, Source, has
from core.importing.templates import (
    LABEL,
    Constant,
    RowNumber,
    Spec,
    Specs,
    Template,
    need,
    read_by,
    swap_sides,
    swap_words,
    template,
)  # fmt: skip
from core.records import Kind, Outcome, TandemError, setting

WINNERS = {"1": Outcome.A, "2": Outcome.B}
FOLDERS = ("LLMBar", "Adversarial", "Processed", "CaseStudy")  # of its subsets
PAIR: Specs = {"system_a": Constant("output_1"), "system_b": Constant("output_2")}
TEXTS: Specs = {
    "context": need("input"),
    "text_a": need("output_1"),
    "text_b": need("output_2"),
    "sample_a": 0,
    "sample_b": 0,
}


def _item(cells: Cells) -> str:
    return f"{_subset(cells)}/{named(cells, 'index')}"


def _subset(cells: Cells) -> str:
    return named(cells, "subset").rpartition("/")[2]


def _label(cells: Cells) -> Outcome:
    """Which output the label names."""
    said = as_text(cells.get("label")) or ""
    if said in WINNERS:
        return WINNERS[said]
    said = str(cells.get("label"))[:40]
    if decimal(said) is not None:  # 0 or -1 make 1 something else than it is here
        raise TandemError(
            f"label is {said}, but 1 or 2 in LLMBar: say {setting('format')} votes, and it asks "
            "what the labels mean"
        )
    raise ValueError(f"the label {said!r} is neither 1 nor 2")


def _judged(fields: Specs, plain: Spec, swapped: Spec) -> Iterator[Template]:
    """The answers to the two orders."""
    yield template(VOTE, WINNERS, **PAIR, **fields, judge_kind=Kind.LLM, outcome=plain)
    yield template(
        VOTE, swap_words(WINNERS), **swap_sides(PAIR), **fields, judge_kind=Kind.LLM,
        outcome=swapped,
    )  # fmt: skip


def _pairs(source: Source, subset: str = "") -> Iterator[Template]:
    """The subset is the folder's name, or the file's where that is not dataset.json."""
    folder = source.path.absolute().parent
    if not subset and source.stem == "dataset" and folder.parent.name not in FOLDERS:
        raise TandemError(
            f"{source.path.name} does not say which subset of LLMBar it is: leave it in its folder "
            "(LLMBar/Natural/dataset.json), or name it after the subset (Natural.json)"
        )
    subset = subset or (folder.name if source.stem == "dataset" else source.stem)
    yield template(VOTE, **_place(subset), **PAIR, **TEXTS, **LABEL, outcome=_label)


def _place(subset: str) -> Specs:
    return {"item": RowNumber(f"{subset}/", 0), "subset": Constant(subset)}


def _results(source: Source) -> Iterator[Template]:
    """Who judged is in the path, SUBSET/evaluators/EVALUATOR/PROMPT/result.json, or in the name,
    result_SUBSET_EVALUATOR_PROMPT.json.
    """
    names = re.search(r"result_((?:Base_)?[^_]+)_([^_]+)_(.+)$", source.stem)
    parts = source.path.absolute().parent.parts
    if names:
        subset, evaluator, prompt = names.groups()
    elif len(parts) > 3 and parts[-3] == "evaluators":
        subset, _, evaluator, prompt = parts[-4:]
    else:
        raise TandemError(
            f"{source.path.name} does not say who judged what: leave it in its folder "
            "(SUBSET/evaluators/EVALUATOR/PROMPT/result.json), or name it "
            "result_SUBSET_EVALUATOR_PROMPT.json"
        )
    judge: Specs = {
        "judge": Constant(f"{evaluator}/{prompt}"),
        "judge_model": Constant(evaluator),
        "judge_prompt": Constant(f"LLMBar/{prompt}"),
    }
    yield from _pairs(source, subset)
    yield from _judged({**_place(subset), **judge}, _winner(swap=False), _winner(swap=True))


def _winner(*, swap: bool) -> Spec:
    def winner(cells: Cells) -> object:
        results = required(cells, "results", list)
        return required(results[0] if results else {}, f"swap = {swap}", dict).get("winner")

    return winner


JUDGED: Specs = {
    "item": _item,
    "subset": _subset,
    "judge": "{evaluator}/{prompt}",
    "judge_model": "evaluator",
    "judge_prompt": "LLMBar/{prompt}",
}
LAYOUT = Layout(
    "llmbar",
    "LLMBar",
    {
        read_by(_results): has("input", "output_1", "output_2", "label", "results"),
        read_by(_pairs): has("input", "output_1", "output_2", "label"),
        read_by(
            template(VOTE, item=_item, subset=_subset, **PAIR, **LABEL, outcome=_label),
            *_judged(JUDGED, "winner_swap_false", "winner_swap_true"),
        ): has("subset", "evaluator", "prompt", "index", "winner_swap_false", "winner_swap_true"),
    },
    ("instruction", "output"),
    once=True,
)
