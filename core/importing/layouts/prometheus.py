"""Readers of Prometheus' data: responses with a score for a criterion, two responses with a
preference, and the evaluations of BiGGen-Bench.

Layout: prometheus-eval/prometheus-eval, README.md (Feedback and Preference Collection) and
BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, repeat

from ...records import Kind
from ..cells import Cells, as_references, as_text, read_name
from ..conversations import add_system_prompt
from ..entry import SCORE, VOTE, Entry
from ..graded_texts import GradedReader, as_output, describe_item, grade, graded_text
from ..layout import Layout, Source, has_columns
from ..templates import Constant, Template, need_name, read_by, read_with, template
from ..values import find_text
from ..winner_columns import name_sides

JUDGE = "prometheus"


class PrometheusFeedback(GradedReader):
    """`orig_instruction`, `orig_response` and its `orig_score` for `orig_criteria`, with the
    feedback as reason: the criterion is the attribute, the item the instruction.
    """

    def read(self, cells: Cells) -> tuple[Entry, str | None, Iterable[Entry]]:
        item = describe_item(
            read_name(cells, "orig_instruction"), cells.get("orig_reference_answer")
        )
        criterion, reason = read_name(cells, "orig_criteria"), find_text(cells, "orig_feedback")
        score = grade(criterion, JUDGE, cells.get("orig_score"), reason, kind=self.source.kind)
        return item, as_text(cells.get("orig_response")), [score]


def _preferences(source: Source) -> Iterator[Template]:
    """`orig_response_A`, `orig_response_B` and which of them is better for `orig_criteria`. Who was
    shown first is not known, nor whose responses they are.
    """
    source.tally.columns = ("the first text", "the second text")
    first, second = map(Constant, name_sides(source, ("response_A", "response_B")))
    shared = {
        "context": need_name("orig_instruction"), "attribute": need_name("orig_criteria"),
        "judge": Constant(JUDGE), "judge_kind": source.kind,
    }  # fmt: skip
    yield template(
        VOTE, **shared, system_a=first, text_a="orig_response_A", system_b=second,
        text_b="orig_response_B", winner=need_name("orig_preference"), raw="orig_feedback",
        order_known=False,
    )  # fmt: skip
    for system, side in ((first, "A"), (second, "B")):
        text, value = f"orig_response_{side}", f"orig_score_{side}"
        yield template(SCORE, **shared, system=system, text=text, value=value)


def read_evaluation(number: int, cells: Cells) -> Iterator[Entry]:
    """Read a record of BiGGen-Bench: a response to a task, and the scores of the evaluator. Each
    task has a rubric of its own, so the attribute is `overall`.
    """
    item = {
        "item": read_name(cells, "id"),
        "context": add_system_prompt(cells.get("system_prompt"), read_name(cells, "input")),
        "reference": list(as_references(as_text(cells.get("reference_answer")))),
        "subset": find_text(cells, "capability"),
    }
    judge, scores = find_text(cells, "eval_model_name") or JUDGE, cells.get("score")
    reasons = chain([find_text(cells, "feedback")], repeat(""))  # of the first score
    grades = (
        grade("overall", judge, score, reason, model=judge)
        for score, reason in zip(
            scores if isinstance(scores, list) else [scores], reasons, strict=False
        )
    )
    system, text = read_name(cells, "response_model_name"), as_output(cells.get("response"))
    return graded_text(item, system, text, grades)


LAYOUT = Layout(
    "prometheus",
    "Prometheus' feedback, preferences or evaluations",
    {
        read_by(_preferences): has_columns(
            "orig_instruction", "orig_response_A", "orig_response_B", "orig_preference",
            "orig_criteria",
        ),
        PrometheusFeedback: has_columns(
            "orig_instruction", "orig_response", "orig_criteria", "orig_score"
        ),
        read_with(read_evaluation): has_columns("response", "score_rubric", "response_model_name"),
    },
    ("instruction", "response"),
    fields=("system",),
    settings=("systems", "system_name", "kind"),
    kind=Kind.LLM,
)  # fmt: skip
