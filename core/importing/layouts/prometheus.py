"""Readers of Prometheus' data: responses with a score for a criterion, two responses with a
preference, and the evaluations of BiGGen-Bench.

Layout: prometheus-eval/prometheus-eval, README.md (Feedback and Preference Collection) and
BiGGen-Bench/run_response_eval.py (a record a key).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.importing.cells import Cells, as_text, named
from core.importing.graded_texts import (
    Grade,
    GradedTexts,
    as_output,
    name_system,
    system_column,
)
from core.importing.layout import Layout, Record, Source, has, marks
from core.importing.layouts.nested_votes import Flat, NestedVotes
from core.records import Item, Kind, Score, Vote

RATER = "prometheus"
SIDES = {"A": "a", "B": "b"}


class Feedback:
    """`orig_instruction`, `orig_response` and its `orig_score` for `orig_criteria`, with the
    feedback as reason: the criterion is the attribute, the item the instruction.
    """

    def __init__(self, source: Source) -> None:
        self.texts, self.system = GradedTexts(source), system_column(source)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item = self.texts.item(named(cells, "orig_instruction"), cells.get("orig_reference_answer"))
        system = name_system(self.texts.source, cells, self.system)
        grade = Grade(
            named(cells, "orig_criteria"),
            RATER,
            cells.get("orig_score"),
            as_text(cells.get("orig_feedback")) or "",
            kind=self.texts.source.kind,
        )
        yield from self.texts.records(item, system, as_text(cells.get("orig_response")), [grade])


class Preference(NestedVotes):
    """`orig_response_A`, `orig_response_B` and which of them is better for `orig_criteria`. Who was
    shown first is not known, nor whose responses they are.
    """

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        flat: dict[str, Any] = {
            "context": named(cells, "orig_instruction"),
            "reference": cells.get("orig_reference_answer"),
            "text_a": cells.get("orig_response_A"),
            "text_b": cells.get("orig_response_B"),
            "attribute": named(cells, "orig_criteria"),
            "judge": RATER,
            "judge_kind": self.given.kind.value,
            "order_known": 0,
            "winner": SIDES.get(named(cells, "orig_preference"), cells.get("orig_preference")),
            "raw": as_text(cells.get("orig_feedback")) or "",
        }
        yield self.named(flat, ("response_A", "response_B"))

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        for record in super().records(number, cells):
            yield record
            if isinstance(record, Vote):
                sides = (record.system_a, record.sample_a), (record.system_b, record.sample_b)
                for (system, sample), side in zip(sides, "AB", strict=True):
                    score = Score(
                        record.item, system, record.attribute, record.judge,
                        sample=sample, kind=record.kind,
                    )  # fmt: skip
                    yield from marks(self.given, score, cells.get(f"orig_score_{side}"))


class Evaluations:
    """A record of BiGGen-Bench: the model's response to a task, and the scores of the evaluator.
    Each task has a rubric of its own, so the attribute is `overall`.
    """

    def __init__(self, source: Source) -> None:
        self.texts = GradedTexts(source)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        system_prompt, asked = as_text(cells.get("system_prompt")) or "", named(cells, "input")
        context = f"System: {system_prompt}\n\nUser: {asked}" if system_prompt.strip() else asked
        reference = as_text(cells.get("reference_answer")) or ""
        subset = as_text(cells.get("capability")) or ""
        item = Item(named(cells, "id"), context, (reference,) * bool(reference), subset)
        judge = as_text(cells.get("eval_model_name")) or RATER
        scores = cells.get("score")
        reason = as_text(cells.get("feedback")) or ""
        grades = [
            Grade("overall", judge, score, reason if place == 0 else "", model=judge)
            for place, score in enumerate(scores if isinstance(scores, list) else [scores])
        ]
        text = as_output(cells.get("response"))
        yield from self.texts.records(item, named(cells, "response_model_name"), text, grades)


LAYOUT = Layout(
    "prometheus",
    "Prometheus' feedback, preferences or evaluations",
    {
        Preference: has("orig_instruction", "orig_response_A", "orig_response_B",
                        "orig_preference", "orig_criteria"),
        Feedback: has("orig_instruction", "orig_response", "orig_criteria", "orig_score"),
        Evaluations: has("response", "score_rubric", "response_model_name"),
    },
    ("instruction", "response"),
    fields=("system",),
    settings=("systems", "system_name", "kind"),
    kind=Kind.LLM,
)  # fmt: skip
