"""Marks by a metric: how alike a text is to what the item's references say."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np

from core.failures import NO_REFERENCE, because
from core.judging.scorer import Scorer, unanswerable
from core.records import Candidate, JudgeSpec, Kind, Mark, TandemError
from core.similarity import Bleu, Group, Metric, make_metric


class Likeness(Scorer):
    """The similarity of a text with the reference it is most alike to. The attribute plays no part.

    BERTScore and ROUGE-1 are F1. BLEU is that of the text as hypothesis, as usual with references
    (between two generations the longer is taken as the reference). Without a reference that is not
    blank the failure is "no-reference".
    """

    def __init__(self, name: str, metric: Metric) -> None:
        self.spec = JudgeSpec(f"baseline:{name}", Kind.BASELINE, f"baseline:{name}", mode="metric")
        self._metric = metric

    def load(self) -> None:
        self._metric.load()

    def answers(self, questions: Sequence[Candidate]) -> list[Mark]:
        failures = [unanswerable(one) or _without_reference(one) for one in questions]
        # Candidates of an item together: its references are then encoded, and compared with each
        # other, once.
        asked: dict[tuple[str, ...], dict[str, Mark]] = {}
        for one, failure in zip(questions, failures, strict=True):
            if not failure:
                asked.setdefault(_references(one), {})[one.text or ""] = Mark(0.0)
        for references, texts in asked.items():
            asked[references] = dict(zip(texts, self._marks(list(texts), references), strict=True))
        return [
            failure or asked[_references(one)][one.text or ""]
            for one, failure in zip(questions, failures, strict=True)
        ]

    def _marks(self, texts: Sequence[str], references: Sequence[str]) -> list[Mark]:
        every = list(dict.fromkeys([*texts, *references]))
        place = {text: number for number, text in enumerate(every)}
        first = np.repeat([place[text] for text in texts], len(references))
        second = np.tile([place[text] for text in references], len(texts))
        try:
            [found] = self._metric.measure([Group(every, first, second)])
        except Exception as error:
            return [Mark(failure=because(error))] * len(texts)
        table = found[self._metric.name].reshape(len(texts), len(references))
        signature = self._metric.signatures[self._metric.name]
        return [
            Mark(
                float(row.max()),
                raw=json.dumps({"metric": signature, "reference": int(row.argmax())}),
            )
            for row in table
        ]


def _references(candidate: Candidate) -> tuple[str, ...]:
    return tuple(reference for reference in candidate.references if reference.strip())


def _without_reference(candidate: Candidate) -> Mark | None:
    return None if _references(candidate) else Mark(failure=NO_REFERENCE)


MARKS: dict[str, Callable[[str], Metric]] = {
    "bertscore": lambda encoder: make_metric("bertscore", encoder=encoder),
    "rouge1": lambda encoder: make_metric("rouge1", encoder=encoder),
    "bleu": lambda encoder: Bleu(directed=True),
}
"""The metrics that mark a text, each made from the name of an encoder ('' = the default)."""


def make(name: str) -> Likeness:
    """The scorer of a SPEC, after the colon; another encoder may be in it
    ("bertscore|encoder:roberta-large").

    Raises TandemError naming what exists.
    """
    metric, _, option = name.partition("|")
    encoder = option.removeprefix("encoder:")
    if metric not in MARKS or (
        option and (encoder == option or not encoder or metric != "bertscore")
    ):
        raise TandemError(
            f"unknown judge {f'baseline:{name}'!r}; marks are given by: {', '.join(MARKS)}"
        )
    return Likeness(name, MARKS[metric](encoder))
