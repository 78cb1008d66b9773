"""Marks by a metric: how alike a text is to what the item's references say."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ...failures import NO_REFERENCE, describe_error
from ...models import Member, Options
from ...records import Candidate, JudgeSpec, Kind, Mark
from ...similarity import Bleu, Group, Metric, make_metric
from ..judge import BASELINE, Scorer


class ReferenceSimilarity(Scorer):
    """The similarity of a text with the reference it is most alike to. The attribute plays no part.

    BERTScore and ROUGE-1 are F1. BLEU is that of the text as hypothesis, as usual with references
    (between two generations the longer is taken as the reference). If no reference has text, the
    failure is "no-reference".
    """

    def __init__(self, name: str, metric: Metric) -> None:
        self.spec = JudgeSpec(f"baseline:{name}", Kind.BASELINE, f"baseline:{name}", mode="metric")
        self._metric = metric

    def load(self) -> None:
        self._metric.load()

    def answers(self, questions: Sequence[Candidate]) -> list[Mark]:
        failures = [self.refuse(one) or _fail_without_reference(one) for one in questions]
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
            return [Mark(failure=describe_error(error))] * len(texts)
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


def _fail_without_reference(candidate: Candidate) -> Mark | None:
    return None if _references(candidate) else Mark(failure=NO_REFERENCE)


def _bertscore(name: str, options: Options) -> ReferenceSimilarity:
    """With the encoder that the name may hold: "bertscore|encoder:roberta-large"."""
    return ReferenceSimilarity(
        name, make_metric("bertscore", encoder=name.partition("|encoder:")[2])
    )


MEMBERS = (
    Member(
        BASELINE,
        "marks",
        _bertscore,
        name="bertscore",
        mode="metric",
        suffix=r"\|encoder:.+",
        label="Metric: BERTScore",
        help="Scores a text by how near its words are in meaning to the reference's "
        "(Zhang et al. 2020).",
    ),
    Member(
        BASELINE,
        "marks",
        lambda name, options: ReferenceSimilarity(name, make_metric("rouge1")),
        name="rouge1",
        mode="metric",
        label="Metric: ROUGE-1",
        help="Scores a text by the words it has in common with the reference (Lin 2004).",
    ),
    Member(
        BASELINE,
        "marks",
        lambda name, options: ReferenceSimilarity(name, Bleu(directed=True)),
        name="bleu",
        mode="metric",
        label="Metric: BLEU",
        help="Scores a text by the phrases it has in common with the reference "
        "(Papineni et al. 2002).",
    ),
)
