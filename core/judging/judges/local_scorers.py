"""LLMs that mark single texts: by the mark they write, the mark they expect, or how likely they
find the text itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import partial

from ...failures import BLANK, NO_LABEL
from ...models import Member, Options
from ...models.local import HF, Ids, LogProbabilities, WrittenText
from ...records import Candidate, Mark, Prompt, TandemError
from .. import prompts
from ..forms import read_mark, reply_budget
from ..judge import MARKING_MODES, Scorer
from ..llm_spec import READING
from .local import READ_BY, FilledQuestion, LocalRespondent
from .readings import read_reply


class PromptScorer(Scorer, LocalRespondent[Candidate, Mark]):
    """A local model and a prompt. Failures are those of a `LocalRespondent`, and of each mode."""

    templates: dict[str, Prompt]
    own: tuple[str, ...] = ("scale",)
    """What it takes besides the options of all of them."""

    def __init__(self, name: str, options: Options) -> None:
        prompt = options.prompt or next(iter(self.templates.values()))
        prompts.check_scoring(prompt.template, self.mode)
        super().__init__(name, options, prompt)
        self._form = prompts.form_of(prompt, marks=True)

    def _fill_tokens(self, candidate: Candidate, answers: Sequence[str]) -> FilledQuestion:
        tokens = self._model.tokens(
            prompts.fill_scoring(self._prompt, candidate, self.mode, self.spec.scale),
            answers,
            prompts.fill_system(self.spec, candidate),
        )
        longest = max(
            map(len, tokens.labels), default=0
        )  # a decoder of its own has positions of its own, and no more of them
        return FilledQuestion(tokens, max(self._model.length(tokens), longest))


class StatedMark(PromptScorer):
    """The mark the model states in its prompt's form when it writes the likeliest words.

    `raw` has the text. Other failures: "empty", "unparsed", "cut-off".
    """

    mode = "score"
    templates = prompts.SCORING_PROMPTS
    own = ("scale", *READING)

    @property
    def max_new_tokens(self) -> int:  # type: ignore[override]
        """The most tokens it may write after the prompt."""
        return reply_budget(self._form, self.mode, self.spec.max_tokens, served=False)

    def _fill(self, candidate: Candidate) -> FilledQuestion:
        return self._fill_tokens(candidate, [])

    def _answers(self, batch: Sequence[FilledQuestion]) -> list[Mark]:
        written = self._model.write(
            [filled.tokens for filled in batch],
            [[0]] * len(batch),
            most=self.max_new_tokens,
            batch_tokens=self._options.batch_tokens,
        )
        return [self._mark(filled, text) for filled, [text] in zip(batch, written, strict=True)]

    def _mark(self, filled: FilledQuestion, written: WrittenText) -> Mark:
        read = partial(read_mark, scale=self.spec.scale, form=self._form.name)
        reading = read_reply(read, written.text, is_cut=written.is_cut)
        said: dict[str, object] = {"text": written.text, **filled.note}
        if reading.stated:
            said["read"] = [reading.span]
        elif reading.why:
            said["detail"] = reading.why
        raw = json.dumps(said, ensure_ascii=False)
        return Mark(
            reading.stated.verdict if reading.stated else None,
            failure=reading.failure,
            raw=raw,
            tokens=filled.read + written.tokens,
            completion_tokens=written.tokens,
        )


class ExpectedMark(PromptScorer):
    """G-Eval's expected mark: the sum of s P(s) over the marks s of the scale, divided by the sum
    of P(s) (Liu et al. 2023).

    P(s) is the product over the tokens of "s", teacher-forced. Where the tokens of a mark begin
    another's, as "1" may begin "10", its P is that of these tokens followed by anything else. `raw`
    has P(s) of every mark: together they say how far the model keeps to the scale. A further
    failure is "no-label" (no mark has a probability).
    """

    mode = "g-eval"
    templates = prompts.SCORING_PROMPTS

    def _fill(self, candidate: Candidate) -> FilledQuestion:
        marks = self.spec.scale.marks
        filled = self._fill_tokens(candidate, [str(mark) for mark in marks])
        if len({(), *filled.tokens.labels}) <= len(marks):
            raise TandemError(
                f"{self.spec.spec!r} cannot tell the scores from {marks[0]} to {marks[-1]} apart: "
                "take another model"
            )
        return filled

    def _answers(self, batch: Sequence[FilledQuestion]) -> list[Mark]:
        found = self._log_probabilities(batch)
        return [self._mark(filled, begins) for filled, begins in zip(batch, found, strict=True)]

    def _mark(self, filled: FilledQuestion, begins: LogProbabilities) -> Mark:
        top = max(begins)
        if not math.isfinite(top):
            return Mark(failure=NO_LABEL, tokens=filled.read)
        # In logarithms: the product over a long mark may underflow, the ratio does not.
        weights = [math.exp(p - top) for p in begins]
        exactly = _subtract_longer_paths(weights, filled.tokens.labels)
        marks = self.spec.scale.marks
        weighted = sum(mark * weight for mark, weight in zip(marks, exactly, strict=True))
        shares = {
            str(mark): float(f"{weight * math.exp(top):.6g}")
            for mark, weight in zip(marks, exactly, strict=True)
        }
        return Mark(
            weighted / sum(exactly),
            raw=json.dumps({"p": shares} | filled.note),
            tokens=filled.read,
        )


class Likelihood(PromptScorer):
    """GPTScore: the mean of log P(token | prompt, the text before it) over the text's tokens (Fu et
    al. 2024, eq. 1).

    In nats, at most 0, without an end-of-text token; every token weighs the same. Other failures:
    "blank" (no tokens), "no-label" (a token has no probability).
    """

    mode = "gptscore"
    templates = prompts.GPTSCORE_PROMPTS
    own = ()

    def refuse(self, candidate: Candidate) -> Mark | None:
        blank = candidate.text is not None and not candidate.text.strip()
        return Mark(failure=BLANK) if blank else super().refuse(candidate)

    def _fill(self, candidate: Candidate) -> FilledQuestion:
        return self._fill_tokens(candidate, [candidate.text or ""])

    def _answers(self, batch: Sequence[FilledQuestion]) -> list[Mark]:
        found = self._log_probabilities(batch)
        return [self._mark(filled, total) for filled, [total] in zip(batch, found, strict=True)]

    def _mark(self, filled: FilledQuestion, total: float) -> Mark:
        n = len(filled.tokens.labels[0])
        if not n or not math.isfinite(total):
            return Mark(failure=NO_LABEL if n else BLANK, tokens=filled.read)
        raw = json.dumps({"logp": round(total, 6), "tokens": n} | filled.note)
        return Mark(total / n, raw=raw, tokens=filled.read + n)


def _subtract_longer_paths(begins: Sequence[float], paths: Sequence[Ids]) -> list[float]:
    """Return the weight of each path alone, from the weights with which a text begins with it:
    without that of the longer ones, which begin with it too.
    """
    alone: dict[Ids, float] = {}
    for path, weight in sorted(zip(paths, begins, strict=True), key=lambda one: -len(one[0])):
        alone[path] = weight - sum(more for other, more in alone.items() if _goes_on(other, path))
    return [alone[path] for path in paths]


def _goes_on(path: Ids, beginning: Ids) -> bool:
    return len(path) > len(beginning) and path[: len(beginning)] == beginning


MEMBERS = tuple(
    Member(
        HF,
        "marks",
        scorer,
        mode=scorer.mode,
        help=MARKING_MODES[scorer.mode],
        options=("mode", "prompt", *READ_BY, *scorer.own),
    )
    for scorer in (StatedMark, ExpectedMark, Likelihood)
)
