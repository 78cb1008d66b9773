"""Judging: a question about two texts becomes one answer.

`make_judge("baseline:longer")` or `make_judge("hf:google/flan-t5-small")` gives a judge; `judge.answers(questions)` gives as
many answers in the same order. To make a judge is cheap: a model is loaded by `judge.load()`, or by the first answer.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from core import prompts
from core.records import Answer, JudgeSpec, Kind, Outcome, Prompt, Question, TandemError

if TYPE_CHECKING:
    from core.models.encoder import Encoder

NO_TEXT = "no-text"
NO_CONTEXT = "no-context"
NO_LABEL = "no-label"
TOO_LONG = "too-long"
ERROR = "error"

FAILURES = {
    NO_TEXT: "one of the two texts is not available",
    NO_CONTEXT: "the judge compares with the context or the reference, and the item has neither",
    NO_LABEL: "the model gives neither label word a probability",
    TOO_LONG: "candidates and question alone are too long for the model",
    ERROR: "something broke; the rest of the reason says what",
}
"""Why a comparison was not answered. All but "error: ..." are the whole reason."""

MODES = ("classifier",)
"""How an LLM's answer becomes a probability."""


class Judge(Protocol):
    """Whoever answers questions on its own.

    `load` gets ready what answering needs, and raises TandemError when that fails (a model is not there); again it does
    nothing. `answers` keeps order and length. No single question makes it raise: what cannot be answered is an answer with
    one of `FAILURES`. It raises TandemError when the judge itself cannot work (it does not load, its labels are unusable).
    """

    @property
    def spec(self) -> JudgeSpec: ...

    def load(self) -> None: ...

    def answers(self, questions: Sequence[Question]) -> list[Answer]: ...


@dataclass(frozen=True)
class Settings:
    """What `make_judge` was asked for besides the SPEC; each judge takes what concerns it."""

    seed: int = 0
    prompt: Prompt = prompts.PROMPTS["comparative"]
    mode: str = MODES[0]
    labels: tuple[str, str] = prompts.DEFAULT_LABELS
    truncation: int | None = None
    batch_size: int = 8


def make_judge(
    spec: str,
    *,
    seed: int = 0,
    prompt: Prompt | None = None,
    mode: str = MODES[0],
    labels: tuple[str, str] = prompts.DEFAULT_LABELS,
    truncation: int | None = None,
    batch_size: int = 8,
) -> Judge:
    """The judge a SPEC of the command line names: `baseline:longer|random|embedding`, `hf:NAME-OR-PATH`.

    `prompt`, `mode`, `labels` and `truncation` (most tokens of a prompt) concern LLMs, `seed` the random baseline. What can
    change an answer is in the judge's name where it departs from the default; `batch_size` is not. The name of a baseline
    is itself a SPEC ("baseline:random|seed:1"). Raises TandemError naming what exists.
    """
    family, _, name = spec.partition(":")
    if family not in JUDGES or not name:
        raise TandemError(f"unknown judge {spec!r}; a judge is one of: {', '.join(_examples())}")
    if mode not in MODES:
        raise TandemError(f"unknown mode {mode!r}; there is: {', '.join(MODES)}")
    prompt = prompt or prompts.PROMPTS["comparative"]
    return JUDGES[family](name, Settings(seed, prompt, mode, labels, truncation, batch_size))


def remake_judge(spec: JudgeSpec, *, batch_size: int = 8) -> Judge:
    """The judge a stored specification describes, so that a run can go on in another process.

    Raises TandemError when it has become another judge, as when the files of its model were exchanged.
    """
    first, second = spec.labels or prompts.DEFAULT_LABELS
    judge = make_judge(
        spec.spec,
        prompt=spec.prompt,
        mode=spec.mode or MODES[0],
        labels=(first, second),
        truncation=spec.truncation,
        batch_size=batch_size,
    )
    if judge.spec.name != spec.name:
        raise TandemError(f"{spec.spec!r} is no longer judge {spec.name!r} but {judge.spec.name!r}; start a new run")
    return judge


class Longer:
    """Prefers the text with more words between white space, then the one with more characters; else a tie.

    It gives no probability: a rule is not more or less sure.
    """

    spec = JudgeSpec("baseline:longer", Kind.BASELINE, "baseline:longer")

    def load(self) -> None:
        """A rule needs nothing."""

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [unanswerable(question) or self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Answer:
        a, b = (_length(text) for text in (question.text_a, question.text_b))
        return Answer(Outcome.TIE if a == b else Outcome.A if a > b else Outcome.B)


@dataclass(frozen=True)
class Random:
    """p(A) is uniform in [0, 1) and the likelier side wins, whatever the texts say.

    The draw is a hash of seed, attribute, context and the two texts in their order, so a run that is resumed, repeated or
    made in another store answers the same; the two orders of a pair are drawn independently.
    """

    seed: int = 0

    @property
    def spec(self) -> JudgeSpec:
        name = "baseline:random" + (f"|seed:{self.seed}" if self.seed else "")
        return JudgeSpec(name, Kind.BASELINE, name)

    def load(self) -> None:
        """A hash needs nothing."""

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [unanswerable(question) or Answer.from_probability(self._draw(question)) for question in questions]

    def _draw(self, question: Question) -> float:
        content = [self.seed, question.attribute.name, question.context, question.text_a, question.text_b]
        digest = hashlib.blake2b(json.dumps(content).encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53


class Embedding:
    """Prefers the text whose sentence embedding (MiniLM) is closer to the context: p(A) = sigmoid((s_a - s_b) / tau).

    s is the cosine with the item's context or, where there is none, with its first reference; without either the failure
    is "no-context". It is symmetric: p(A) of one order is exactly 1 - p(A) of the other. The attribute plays no part.
    """

    tau = 0.05
    """The difference of cosines that makes p = 0.73; two summaries of a SummEval article differ by 0.044 in the median."""

    spec = JudgeSpec("baseline:embedding", Kind.BASELINE, "baseline:embedding")

    @cached_property
    def encoder(self) -> Encoder:
        from core.models.encoder import Encoder

        return Encoder()

    def load(self) -> None:
        self.encoder.load()

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        failures = [unanswerable(question) or _without_context(question) for question in questions]
        similarity = self._similarities([q for q, failure in zip(questions, failures, strict=True) if not failure])
        return [
            failure or self._answer(similarity[_topic(q), q.text_a], similarity[_topic(q), q.text_b])
            for q, failure in zip(questions, failures, strict=True)
        ]

    def _answer(self, similarity_a: float, similarity_b: float) -> Answer:
        margin = (similarity_a - similarity_b) / self.tau
        # By way of |margin|: the winner's p is then the same number in both orders, and 1 - p of it exact.
        winner = 1.0 / (1.0 + math.exp(-abs(margin)))
        raw = json.dumps({"cos_a": round(similarity_a, 6), "cos_b": round(similarity_b, 6)})
        return Answer.from_probability(winner if margin >= 0 else 1.0 - winner, raw=raw)

    def _similarities(self, questions: Sequence[Question]) -> dict[tuple[str, str | None], float]:
        """The cosine of each (context, candidate) that is asked about; every text is encoded once."""
        pairs = list(dict.fromkeys((_topic(q), text) for q in questions for text in (q.text_a or "", q.text_b or "")))
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vector = dict(zip(texts, self.encoder.encode(texts), strict=True))
        return {(topic, text): float(vector[topic].astype(float) @ vector[text]) for topic, text in pairs}


def unanswerable(question: Question) -> Answer | None:
    """The failure of a question no judge can answer: a text is not available. An empty text ('') is a text."""
    return Answer(failure=NO_TEXT) if question.text_a is None or question.text_b is None else None


def broken(error: Exception) -> Answer:
    """The failure of a question on which something broke, with the first line of what it said."""
    message = (str(error).strip().splitlines() or [""])[0][:200]
    return Answer(failure=f"{ERROR}: {type(error).__name__}: {message}".removesuffix(": "))


def _without_context(question: Question) -> Answer | None:
    return None if _topic(question).strip() else Answer(failure=NO_CONTEXT)


def _topic(question: Question) -> str:
    """What a candidate should be about: the context or, without one, the first reference."""
    return question.context if question.context.strip() else next(iter(question.references), "")


def _length(text: str | None) -> tuple[int, int]:
    return len((text or "").split()), len(text or "")


def _baseline(name: str, settings: Settings) -> Judge:
    name, _, option = name.partition("|")
    seed = option.removeprefix("seed:")
    if name not in BASELINES or (option and (seed == option or not seed.isdecimal())):
        raise TandemError(f"unknown judge {f'baseline:{name}'!r}; baselines are: {', '.join(BASELINES)}")
    return BASELINES[name](int(seed) if option else settings.seed)


def _hf(name: str, settings: Settings) -> Judge:
    from core.models.classifier import PromptClassifier

    return PromptClassifier(
        name,
        prompt=settings.prompt,
        labels=settings.labels,
        truncation=settings.truncation,
        batch_size=settings.batch_size,
    )


BASELINES: dict[str, Callable[[int], Judge]] = {
    "longer": lambda seed: Longer(),
    "random": lambda seed: Random(seed),
    "embedding": lambda seed: Embedding(),
}
"""The baselines by name, each made from a seed."""

JUDGES: dict[str, Callable[[str, Settings], Judge]] = {"baseline": _baseline, "hf": _hf}
"""The families of judges, by what stands before the colon of a SPEC."""


def _examples() -> list[str]:
    return [f"baseline:{name}" for name in BASELINES] + ["hf:NAME-OR-PATH"]
