"""A request to a judge before its run: first questions, a trial, an estimate, and the run queued.
The answers of a trial are kept nowhere. At the end, the pace and the latency of a run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from ..judging import Judge, Scorer, expected_budget, fill, fill_scoring, fill_system
from ..labels import describe_duration
from ..models import Options
from ..models.served import Endpoint, provider_of
from ..pairing import planning
from ..prices import Prices
from ..records import Answer, Candidate, JudgeSpec, Mark, Question
from ..store import Store
from . import score
from .execution import PART_READ

SAMPLE = 400  # questions, two of an item, whose lengths stand for those of a run
PROBE = 3.0  # seconds for which a model on this machine is timed
CHARACTERS_A_TOKEN = 4  # about, in English; in other languages fewer
SHORTEST = 0.01  # seconds: a time below is not shown exactly


JudgingRequest = planning.Request | score.ScoringRequest
"""Pairs that a judge is to compare, or texts that a scorer is to mark."""


def check_request(store: Store, request: JudgingRequest) -> JudgingRequest:
    """Fill in a request what it leaves open. Raises TandemError for one that makes no sense."""
    if isinstance(request, score.ScoringRequest):
        return request.fill_attributes(store)
    return planning.check_request(store, request)


def outlook(store: Store, request: JudgingRequest) -> tuple[int, list[str]]:
    """Count the questions of a request, with notes on them. Raises TandemError for one without."""
    if isinstance(request, score.ScoringRequest):
        return score.outlook(store, request), []
    found = planning.outlook(store, request)
    return found.comparisons, found.notes


def list_first_questions(
    store: Store, request: JudgingRequest, n: int
) -> list[Question] | list[Candidate]:
    """List the first questions of a request; nothing is written."""
    if isinstance(request, score.ScoringRequest):
        which = request.fill_attributes(store).select_marks(judge=0)  # that has marked nothing
        items = score.order_items(store.scores.items_of(which.chosen), request.seed)
        return store.scores.list_unmarked(which, items[: score.ITEMS], n)
    return list(planning.preview_questions(store, request, n))


def enqueue(
    store: Store, spec: JudgeSpec, request: JudgingRequest, execution: Mapping[str, Any]
) -> int:
    """Queue the run of a request; a repeated one gives the same run."""
    if isinstance(request, score.ScoringRequest):
        return score.enqueue_scoring(store, spec, request, execution)
    return planning.enqueue(store, spec, request, execution)


@dataclass(frozen=True)
class Trial:
    """Answers of a judge to the first questions of a request, and an estimate for all of them.

    `unit` is what is counted: comparisons, or scores of single texts.
    """

    judge: str
    unit: str
    planned: int
    asked: Sequence[tuple[Question | Candidate, str, str, Answer | Mark]]
    seconds: float
    expected_seconds: float
    prices: Prices
    note: str = ""

    @property
    def expected_cost(self) -> float:
        """Cost of all answers at this rate, by the prices."""
        return self.prices.cost(*self.expected_tokens)

    @property
    def expected_tokens(self) -> tuple[int, int]:
        """Tokens read and written by all answers at that rate, and how many of them are written."""
        more = self.planned / max(len(self.asked), 1)
        tokens = sum(answer.tokens for *_, answer in self.asked)
        written = sum(answer.completion_tokens for *_, answer in self.asked)
        return round(tokens * more), round(written * more)

    def document(self) -> dict[str, Any]:
        """Return the document that the command line prints with --json."""
        return {
            "judge": self.judge,
            "unit": self.unit,
            "planned": self.planned,
            "seconds": round(self.seconds, 3),
            "expected_seconds": round(self.expected_seconds, 1),
            "expected_tokens": self.expected_tokens[0],
            "expected_written": self.expected_tokens[1],
            "expected_cost": round(self.expected_cost, 6),
            "failed": sum(bool(answer.failure) for *_, answer in self.asked),
            "answers": [_describe_trial(*one) for one in self.asked],
            "note": self.note,
        }


def _describe_trial(
    question: Question | Candidate, system: str, prompt: str, answer: Answer | Mark
) -> dict[str, Any]:
    texts = (
        {"text_a": question.text_a, "text_b": question.text_b}
        if isinstance(question, Question)
        else {"text": question.text, "reference": next(iter(question.references), None)}
    )
    own = ("outcome", "prob_a") if isinstance(answer, Answer) else ("value",)
    given = (*own, "failure", "raw", "tokens", "completion_tokens", "seconds")
    about = {"attribute": question.attribute.name, "context": question.context}
    answered = {name: getattr(answer, name) for name in given}
    return {**about, **texts, "system": system, "prompt": prompt, **answered}


def trial(
    store: Store, by: Judge | Scorer, request: JudgingRequest, prices: Prices, n: int = 5
) -> Trial:
    """Ask a judge or scorer the first `n` questions of a request; nothing is written.

    Loading is not timed. Raises TandemError as planning and loading do.
    """
    answers: list[Any] = []
    planned, _ = outlook(store, request)
    sample: list[Any] = list_first_questions(store, request, max(n, SAMPLE))
    unit, of_items = "scores", sample
    if isinstance(request, planning.Request):
        unit = "comparisons"
        of_items = list(planning.preview_questions(store, request, SAMPLE, each=2))
    by.load()
    began = time.monotonic()
    half = (n + 1) // 2
    for part in (sample[:half], sample[half:n]):  # the second finds all warm
        answers += by.answers(part)
    seconds = time.monotonic() - began
    if hasattr(by, "endpoint"):
        pace = _time_server(by, answers, half)
    else:
        pace = _time_here(by, sample[:n], sample[n:], seconds)
        pace *= _count_characters(by.spec, of_items) / max(1, len(of_items))
    asked = [
        (question, fill_system(by.spec, question), read(by.spec, question), answer)
        for question, answer in zip(sample[:n], answers, strict=True)
    ]
    part = sum(answer.part_read > 0 for answer in answers)
    notes = [by.note, PART_READ.format(f"{part} of these") if part else ""]
    return Trial(
        by.spec.name, unit, planned, asked, seconds, planned * pace, prices,
        "; ".join(filter(None, notes)),
    )  # fmt: skip


def _time_server(by: Any, answers: Sequence[Answer | Mark], half: int) -> float:
    """Estimate the seconds an answer takes among others: as long in flight a token written as those
    after the first `half`, which found connections open, and no more a minute than limits allow.
    """
    endpoint: Endpoint = by.endpoint
    limits = endpoint.allowed
    warm = answers[half:] or answers
    written = [answer.completion_tokens or 1 for answer in answers]
    flight = sum(answer.seconds or 0.0 for answer in warm) / sum(written[-len(warm) :])
    one = endpoint.habits.several or by.spec.mode != "sample"
    requests: int = 1 if one else by.spec.votes
    pace = max(flight * fmean(written) / (limits.concurrency or 1), 60 / (limits.rpm or math.inf))
    tokens = fmean(answer.tokens for answer in answers)
    return max(requests * pace, 60 * tokens / (limits.tpm or math.inf))


def _time_here(by: Any, answered: Sequence[Any], following: Sequence[Any], seconds: float) -> float:
    """Estimate the seconds a character of prompts takes on this machine.

    Unless what was `answered` took longer, questions `following` are timed: only they come in the
    run's own batches, find the model warm, and share the beginnings of several items.
    """
    if seconds < PROBE and following:
        timed, began = 0, time.monotonic()
        for answers in by.stream(iter(following)):
            timed, seconds = timed + len(answers), time.monotonic() - began
            if seconds > PROBE:
                break
        answered = following[:timed]
    return seconds / max(1, _count_characters(by.spec, answered))


def _count_characters(spec: JudgeSpec, questions: Sequence[Question | Candidate]) -> int:
    """Count the characters of prompts or, of a judge that reads none, of texts."""
    names = ("text", "text_a", "text_b")
    return sum(
        len(read(spec, one) or "".join(getattr(one, name, None) or "" for name in names))
        for one in questions
    )


def read(spec: JudgeSpec, question: Question | Candidate) -> str:
    """Return the words a judge reads; a baseline reads none."""
    if spec.prompt is None:
        return ""
    if isinstance(question, Candidate):
        return fill_scoring(spec.prompt, question, spec.mode, spec.scale)
    return fill(spec.prompt, question, spec.labels)


@dataclass(frozen=True)
class RunEstimate:
    """Estimate of a run: `answers` in `requests`, with `read` tokens to read and at most `written`
    tokens to write.

    `if_sampled` is the estimate for a judge whose mode is left open, if its server gives no
    probabilities and votes are sampled.
    """

    answers: int
    requests: int
    read: int
    written: int
    if_sampled: RunEstimate | None = None

    def costs(self, prices: Prices) -> tuple[float, float]:
        """Return the cost of reading, and the highest total cost."""
        most = self.if_sampled or self
        return prices.cost(self.read, 0), prices.cost(most.read + most.written, most.written)

    def least_seconds(self, rpm: int | None, tpm: int | None) -> float:
        """Return the time that the limits of the server allow at best; 0 without limits."""
        by_requests = self.requests / rpm if rpm else 0.0
        by_tokens = self.read / tpm if tpm else 0.0
        return 60 * max(by_requests, by_tokens)


def estimate_run(answers: int, prompts: Sequence[str], options: Options) -> RunEstimate:
    """Estimate the requests and tokens of `answers` from some of their prompts, system prompt
    included.

    A judge whose mode is left open is taken to answer by its probabilities.
    """
    votes = options.votes if options.mode == "sample" else 1
    several = provider_of(options.base_url).several
    requests = answers * (1 if several else votes)
    characters = fmean(map(len, prompts)) if prompts else 0.0
    is_open = not options.mode
    sampled = replace(options, mode="sample")
    return RunEstimate(
        answers,
        requests,
        round(requests * characters / CHARACTERS_A_TOKEN),
        answers * votes * expected_budget(options.prompt, options),
        estimate_run(answers, prompts, sampled) if is_open else None,
    )


class Pace:
    """The pace of the stage that is at work: what came before, loading a model say, is over."""

    def __init__(self) -> None:
        self._stage = ""
        self._origin = (0.0, 0)  # when this stage was first heard of, and how far it was then

    def estimate(self, stage: str, done: int, of: int, now: float) -> str:
        """Estimate the time left, such as "about 2 min left"; "" while it is unknown. `now` is in
        seconds.
        """
        if stage != self._stage or done < self._origin[1]:
            self._stage, self._origin = stage, (now, done)
        began, done_then = self._origin
        if done <= done_then or done >= of:
            return ""
        return f"about {describe_duration((now - began) / (done - done_then) * (of - done))} left"


@dataclass(frozen=True)
class Latency:
    """Latency in seconds, over the `answers` whose time is known.

    `median` and `p95` are of the answers themselves. `waited_median` and `waited_p95` are of the
    wait before: for a turn, for a server's limits and between tries. See `Reply` for what is
    counted. A model on this machine has no wait.
    """

    answers: int
    median: float
    p95: float
    waited_median: float
    waited_p95: float

    @classmethod
    def from_run(cls, store: Store, run: int) -> Latency | None:
        """Return the latency of a run; None if no answer has a known time."""
        took = store.run_counts.seconds(run)
        if not len(took["seconds"]):
            return None
        each = took["seconds"], np.nan_to_num(took["waited"])
        quantiles = (float(np.quantile(values, q)) for values in each for q in (0.5, 0.95))
        return cls(len(took["seconds"]), *quantiles)

    def __str__(self) -> str:
        """Describe it: a median latency of 0.8 s (95% within 2.1 s), after 0.1 s in line (95%
        within 3 s).
        """
        line = (
            f", after {short_time(self.waited_median)} in line "
            f"(95% within {short_time(self.waited_p95)})"
            if self.waited_p95 >= SHORTEST
            else ""
        )
        took = f"{short_time(self.median)} (95% within {short_time(self.p95)})"
        return f"median latency {took}{line}"


def short_time(seconds: float) -> str:
    """Format seconds in two digits or as whole ones: "under 0.01 s", "0.21 s", "120 s"."""
    if seconds < SHORTEST:
        return f"under {SHORTEST} s"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
