"""Readers of Prometheus' data: responses with a score for a criterion, two responses with a
preference, and the evaluations of BiGGen-Bench.

Layout: prometheus-eval/prometheus-eval, README.md (Feedback and Preference Collection) and
BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_references, as_text, named
from core.importing.conversations import under_system_prompt
from core.importing.entry import VOTE, Entry
from core.importing.graded_texts import (
    as_output,
    describe_item,
    grade,
    graded_text,
    name_system,
    system_column,
)
from core.importing.layout import Layout, Reader, Source, has
from core.importing.pairs_in_tools import PairFields, score_sides
from core.importing.templates import read_with
from core.importing.values import find_text
from core.records import Kind

JUDGE = "prometheus"


class Feedback(Reader):
    """`orig_instruction`, `orig_response` and its `orig_score` for `orig_criteria`, with the
    feedback as reason: the criterion is the attribute, the item the instruction.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.column = source, system_column(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        item = describe_item(named(cells, "orig_instruction"), cells.get("orig_reference_answer"))
        criterion, reason = named(cells, "orig_criteria"), find_text(cells, "orig_feedback")
        score = grade(criterion, JUDGE, cells.get("orig_score"), reason, kind=self.source.kind)
        system, text = name_system(self.source, cells, self.column), cells.get("orig_response")
        yield from graded_text(item, system, as_text(text), [score])


class Preference(Reader):
    """`orig_response_A`, `orig_response_B` and which of them is better for `orig_criteria`. Who was
    shown first is not known, nor whose responses they are.
    """

    def __init__(self, source: Source) -> None:
        self.pairs, self.kind = PairFields(source), source.kind

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        pair = {
            "context": named(cells, "orig_instruction"),
            "text_a": cells.get("orig_response_A"),
            "text_b": cells.get("orig_response_B"),
            "attribute": named(cells, "orig_criteria"),
            "judge": JUDGE,
            "judge_kind": self.kind.value,
            "order_known": False,
            "winner": named(cells, "orig_preference"),
            "raw": find_text(cells, "orig_feedback"),
        }
        vote = {"sort": VOTE, **self.pairs.name_systems(pair, ("response_A", "response_B"))}
        yield vote
        yield from score_sides(vote, map(cells.get, ("orig_score_A", "orig_score_B")))


def read_evaluation(number: int, cells: Cells) -> Iterator[Entry]:
    """Read a record of BiGGen-Bench: a response to a task, and the scores of the evaluator. Each
    task has a rubric of its own, so the attribute is `overall`.
    """
    item = {
        "item": named(cells, "id"),
        "context": under_system_prompt(cells.get("system_prompt"), named(cells, "input")),
        "reference": list(as_references(as_text(cells.get("reference_answer")))),
        "subset": find_text(cells, "capability"),
    }
    judge, scores = find_text(cells, "eval_model_name") or JUDGE, cells.get("score")
    reason = find_text(cells, "feedback")
    grades = (
        grade("overall", judge, score, "" if place else reason, model=judge)
        for place, score in enumerate(scores if isinstance(scores, list) else [scores])
    )
    system, text = named(cells, "response_model_name"), as_output(cells.get("response"))
    yield from graded_text(item, system, text, grades)


LAYOUT = Layout(
    "prometheus",
    "Prometheus' feedback, preferences or evaluations",
    {
        Preference: has("orig_instruction", "orig_response_A", "orig_response_B",
                        "orig_preference", "orig_criteria"),
        Feedback: has("orig_instruction", "orig_response", "orig_criteria", "orig_score"),
        read_with(read_evaluation): has("response", "score_rubric", "response_model_name"),
    },
    ("instruction", "response"),
    fields=("system",),
    settings=("systems", "system_name", "kind"),
    kind=Kind.LLM,
)  # fmt: skip
