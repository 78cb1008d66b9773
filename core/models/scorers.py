"""LLMs that mark single texts: by the mark they write, the mark they expect, or how likely they find the text itself."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core import prompts
from core.judging import BLANK, NO_LABEL, TOO_LONG, Options, because
from core.models import language
from core.models.fitting import fit, in_batches
from core.models.language import Probe
from core.prompts import HIGH, LOW
from core.records import Candidate, JudgeSpec, Kind, Mark, Prompt, TandemError
from core.scoring import Scorer, unanswerable

SCALE = tuple(range(LOW, HIGH + 1))
Ids = tuple[int, ...]


@dataclass(frozen=True)
class Filled:
    """A candidate as the model reads it; `cut` characters of its context were left out."""

    probes: tuple[Probe, ...]
    answers: tuple[Ids, ...]  # the tokens of what may follow the prompt
    length: int
    cut: int = 0

    @property
    def tokens(self) -> int:
        return sum(len(probe.prompt) + len(probe.stem) for probe in self.probes)


class PromptScorer(Scorer):
    """A local model and a prompt. A prompt that is too long for the model, or for `truncation`, loses the end of its context.

    Failures: "no-text", "too-long" (even without context), "error: ...", and those of each mode.
    """

    mode: str
    templates: dict[str, Prompt]

    def __init__(self, name: str, options: Options) -> None:
        prompt = options.prompt or next(iter(self.templates.values()))
        prompts.check_scoring(prompt.template, self.mode)
        spec, short = language.identity(name)
        limit = [f"truncation:{options.truncation}"] if options.truncation is not None else []
        self.spec = JudgeSpec(
            name="|".join([short, f"{prompt.name}@{prompt.version}", self.mode, *limit]),
            kind=Kind.LLM,
            spec=spec,
            prompt=prompt,
            mode=self.mode,
            truncation=options.truncation,
        )
        self._prompt, self._batch_size = prompt, options.batch_size

    def load(self) -> None:
        _ = self._model

    @cached_property
    def _model(self) -> language.LanguageModel:
        return language.load(self.spec.spec.removeprefix("hf:"))

    def answers(self, questions: Sequence[Candidate]) -> list[Mark]:
        prepared = [self._prepare(candidate) for candidate in questions]
        marks = {index: one for index, one in enumerate(prepared) if isinstance(one, Mark)}
        filled = {index: one for index, one in enumerate(prepared) if isinstance(one, Filled)}
        marks |= in_batches(filled, self._batch_size, self._marks, lambda error: Mark(failure=because(error)))
        return [marks[index] for index in range(len(questions))]

    def _prepare(self, candidate: Candidate) -> Filled | Mark:
        if failure := unanswerable(candidate):
            return failure
        limit = min(self._model.limit, self.spec.truncation or self._model.limit)
        try:
            filled = fit(candidate, self._fill, limit)
        except TandemError:
            raise
        except Exception as error:
            return Mark(failure=because(error))
        return filled or Mark(failure=TOO_LONG)

    @abstractmethod
    def _fill(self, candidate: Candidate) -> Filled: ...

    @abstractmethod
    def _marks(self, batch: Sequence[Filled]) -> list[Mark]: ...

    def _words(self, candidate: Candidate) -> str:
        return prompts.fill_scoring(self._prompt, candidate, self.mode)

    def _filled(self, probes: Sequence[Probe], answers: Sequence[Ids]) -> Filled:
        return Filled(tuple(probes), tuple(answers), max(self._model.span(probe) for probe in probes))

    def _probed(self, batch: Sequence[Filled]) -> list[list[list[float]]]:
        """What each probe of each candidate finds, read at once."""
        found = iter(self._model.probe([probe for filled in batch for probe in filled.probes]))
        return [[next(found) for _ in filled.probes] for filled in batch]


class Expected(PromptScorer):
    """G-Eval's expected mark: the sum of s P(s) over the marks s of the scale, divided by the sum of P(s) (Liu et al. 2023).

    P(s) is the product over the tokens of "s", teacher-forced. Where the tokens of a mark begin another's, as "1" may begin
    "10", its P is that of these tokens followed by anything else. `raw` has P(s) of every mark: together they say how far
    the model keeps to the scale. Another failure: "no-label" (no mark has a probability).
    """

    mode = "g-eval"
    templates = prompts.SCORING_PROMPTS

    def _fill(self, candidate: Candidate) -> Filled:
        prompt, marks = self._model.continued(self._words(candidate), [str(mark) for mark in SCALE])
        if len(set(marks)) < len(marks) or not all(marks):
            raise TandemError(
                f"{self.spec.spec!r} cannot tell the marks from {LOW} to {HIGH} apart: take another model"
            )
        along: dict[Ids, list[Ids]] = {}
        for mark in sorted(marks, key=len, reverse=True):
            # As a rule one pass is enough: "10" begins as "1" does, or has a token of its own.
            stem = next((known for known in along if known[: len(mark) - 1] == mark[:-1]), mark[:-1])
            along.setdefault(stem, []).append(mark)
        return self._filled([Probe(prompt, stem, _steps(paths)) for stem, paths in along.items()], marks)

    def _marks(self, batch: Sequence[Filled]) -> list[Mark]:
        return [self._mark(filled, found) for filled, found in zip(batch, self._probed(batch), strict=True)]

    def _mark(self, filled: Filled, found: Sequence[Sequence[float]]) -> Mark:
        logp = {
            (probe.stem[:step], token): value
            for probe, values in zip(filled.probes, found, strict=True)
            for (step, token), value in zip(probe.wanted, values, strict=True)
        }
        begins = {path: sum(logp[path[:step], token] for step, token in enumerate(path)) for path in filled.answers}
        top = max(begins.values())
        if not math.isfinite(top):
            return Mark(failure=NO_LABEL, tokens=filled.tokens)
        # In logarithms: the product over a long mark may underflow, the ratio does not.
        weights = [
            math.exp(p - top) - sum(math.exp(more - top) for other, more in begins.items() if _goes_on(other, path))
            for path, p in begins.items()
        ]
        expected = sum(mark * weight for mark, weight in zip(SCALE, weights, strict=True)) / sum(weights)
        shares = {str(mark): round(weight * math.exp(top), 6) for mark, weight in zip(SCALE, weights, strict=True)}
        return Mark(expected, raw=json.dumps({"p": shares} | _cut(filled)), tokens=filled.tokens)


class Likelihood(PromptScorer):
    """GPTScore: the mean of log P(token | prompt, the text before it) over the text's tokens (Fu et al. 2024, eq. 1).

    In nats, at most 0, without an end-of-text token; every token weighs the same. Other failures: "blank" (no tokens),
    "no-label" (a token has no probability).
    """

    mode = "gptscore"
    templates = prompts.GPTSCORE_PROMPTS

    def _prepare(self, candidate: Candidate) -> Filled | Mark:
        blank = candidate.text is not None and not candidate.text.strip()
        return Mark(failure=BLANK) if blank else super()._prepare(candidate)

    def _fill(self, candidate: Candidate) -> Filled:
        prompt, [text] = self._model.continued(self._words(candidate), [candidate.text or ""])
        return self._filled([Probe(prompt, text[:-1], _steps([text]))], [text])

    def _marks(self, batch: Sequence[Filled]) -> list[Mark]:
        return [self._mark(filled, found) for filled, [found] in zip(batch, self._probed(batch), strict=True)]

    def _mark(self, filled: Filled, found: Sequence[float]) -> Mark:
        total = sum(found)
        if not found or not math.isfinite(total):
            return Mark(failure=NO_LABEL if found else BLANK, tokens=filled.tokens)
        raw = json.dumps({"logp": round(total, 6), "tokens": len(found)} | _cut(filled))
        return Mark(total / len(found), raw=raw, tokens=filled.tokens)


def _steps(paths: Sequence[Ids]) -> tuple[tuple[int, int], ...]:
    """Every step along these paths, once."""
    return tuple(dict.fromkeys((step, token) for path in paths for step, token in enumerate(path)))


def _cut(filled: Filled) -> dict[str, int]:
    return {"context_cut": filled.cut} if filled.cut else {}


def _goes_on(path: Ids, beginning: Ids) -> bool:
    return len(path) > len(beginning) and path[: len(beginning)] == beginning


SCORERS: dict[str, Callable[[str, Options], Scorer]] = {scorer.mode: scorer for scorer in (Expected, Likelihood)}
"""The scorers by mode, each made from a model's name and options."""
