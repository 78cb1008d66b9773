"""Baselines: judges that follow a simple rule, for what a real one should beat, for demonstrations
and for tests.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ...failures import NO_CONTEXT
from ...models import Hardware, Member, Options
from ...records import Answer, JudgeSpec, Kind, Outcome, Question
from ..judge import BASELINE, Judge

if TYPE_CHECKING:
    from ...models.local import Encoder


class Longer(Judge):
    """Prefers the text with more words between white space, then the one with more characters; else
    a tie.

    It gives no probability: a rule is not more or less sure.
    """

    spec = JudgeSpec("baseline:longer", Kind.BASELINE, "baseline:longer")

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [self.refuse(question) or self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Answer:
        texts = (question.text_a or "", question.text_b or "")
        a, b = ((len(text.split()), len(text)) for text in texts)
        return Answer(Outcome.TIE if a == b else Outcome.A if a > b else Outcome.B)


class Random(Judge):
    """Baseline that ignores the texts: p(A) is uniform in [0, 1), and the likelier side wins.

    The draw is a hash of seed, attribute, context, the two texts in their order and the trial, so a
    run that is resumed, repeated or made in another store answers the same; the two orders of a
    pair are drawn independently.
    """

    def __init__(self, seed: int = 0) -> None:
        name = "baseline:random" + (f"|seed:{seed}" if seed else "")
        self.spec = JudgeSpec(name, Kind.BASELINE, name, seed=seed)

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [
            self.refuse(question) or Answer.from_probability(self._draw(question))
            for question in questions
        ]

    def _draw(self, question: Question) -> float:
        content = [
            self.spec.seed,
            question.attribute.name,
            question.context,
            question.text_a,
            question.text_b,
        ]
        content += [question.trial] if question.trial else []
        digest = hashlib.blake2b(json.dumps(content).encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53


class Embedding(Judge):
    """Prefers the text whose sentence embedding (MiniLM) is closer to the context: p(A) =
    sigmoid((s_a - s_b) / tau).

    s is the cosine with the item's context or, if it is blank, with its first reference;
    without either the failure is "no-context". It is symmetric: p(A) of one order is exactly 1 -
    p(A) of the other. The attribute plays no part.
    """

    tau = 0.05
    """The difference of cosines that makes p = 0.73; two summaries of a SummEval article differ by
    0.044 in the median.
    """

    spec = JudgeSpec("baseline:embedding", Kind.BASELINE, "baseline:embedding")

    @cached_property
    def encoder(self) -> Encoder:
        from ...models.local import Encoder

        return Encoder()

    def load(self) -> None:
        self.encoder.load()

    @property
    def hardware(self) -> Hardware:
        return self.encoder.hardware

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        failures = [
            self.refuse(question) or _fail_without_context(question) for question in questions
        ]
        similarity = self._similarities(
            [q for q, failure in zip(questions, failures, strict=True) if not failure]
        )
        return [
            failure
            or self._answer(similarity[_topic(q), q.text_a], similarity[_topic(q), q.text_b])
            for q, failure in zip(questions, failures, strict=True)
        ]

    def _answer(self, similarity_a: float, similarity_b: float) -> Answer:
        margin = (similarity_a - similarity_b) / self.tau
        # By way of |margin|: the winner's p is then the same number in both orders, and 1 - p of it
        # exact.
        winner = 1.0 / (1.0 + math.exp(-abs(margin)))
        raw = json.dumps({"cos_a": round(similarity_a, 6), "cos_b": round(similarity_b, 6)})
        return Answer.from_probability(winner if margin >= 0 else 1.0 - winner, raw=raw)

    def _similarities(self, questions: Sequence[Question]) -> dict[tuple[str, str | None], float]:
        """Return the cosine of each (context, candidate); every text is encoded once."""
        pairs = list(
            dict.fromkeys(
                (_topic(q), text) for q in questions for text in (q.text_a or "", q.text_b or "")
            )
        )
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vector = dict(zip(texts, self.encoder.encode(texts), strict=True))
        return {
            (topic, text): float(vector[topic].astype(float) @ vector[text])
            for topic, text in pairs
        }


def _fail_without_context(question: Question) -> Answer | None:
    return None if _topic(question).strip() else Answer(failure=NO_CONTEXT)


def _topic(question: Question) -> str:
    """Return the text a candidate should be about.

    This is the context or, without one, the first reference.
    """
    return question.context if question.context.strip() else next(iter(question.references), "")


def _random(name: str, options: Options) -> Random:
    """The seed of a name goes before that of the options."""
    return Random(int(name.partition("|seed:")[2] or options.seed))


MEMBERS = (
    Member(
        BASELINE,
        "comparisons",
        lambda name, options: Embedding(),
        name="embedding",
        label="Baseline: nearer the context",
        help="Prefers the text whose meaning is nearer to the context's: cosine of two sentence "
        "embeddings.",
    ),
    Member(
        BASELINE,
        "comparisons",
        lambda name, options: Longer(),
        name="longer",
        label="Baseline: the longer text",
        help="Prefers the text with more words. A good judge should do better.",
    ),
    Member(
        BASELINE,
        "comparisons",
        _random,
        name="random",
        suffix=r"\|seed:\d+",
        label="Baseline: a coin",
        help="Tosses a coin. Any judge should do better.",
        options=("seed",),
    ),
)
