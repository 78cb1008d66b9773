"""A model behind a server that marks single texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from core.failures import NO_LABEL, because
from core.judging import prompts, reply_parsing
from core.judging.judges.label_tokens import answer_begins
from core.judging.judges.readings import ParsedReply, read_mark
from core.judging.judges.served import (
    LABEL_TOKENS,
    REPLY_TOKENS,
    fitted,
    likeliest,
    served_spec,
    user,
)
from core.judging.prompts import SCORING_PROMPTS
from core.judging.scorer import MARKING_MODES, Scorer, unanswerable
from core.models import SERVING, Member, Options
from core.models.served import (
    OPENAI,
    Completion,
    Position,
    all_through,
    as_raw,
    served,
    stream_through,
)
from core.records import USUAL_SCALE, Candidate, Mark, Scale, TandemError, setting

TEN = 10
"""The only mark of two digits that g-eval tells from its first, "1"."""


class ServedScorer(Scorer):
    """Asks any OpenAI-compatible server for marks, `concurrency` at a time.

    score: the mark the reply gives, parsed. g-eval: the expected mark over the likeliest tokens
    where the reply gives its mark (`mark_probabilities`). A context that makes the prompt too long
    is shortened at its end, as far as the server asks for it. Failures: "no-text", "too-long" (even
    without context), "refused", "empty", "unparsed", "cut-off", "no-label" (no probabilities came
    with the reply), "timed-out", "server-error", "error: ...".
    """

    def __init__(self, model: str, options: Options, *, backoff: float = 0.5) -> None:
        self._prompt = options.prompt or SCORING_PROMPTS["scoring"]
        prompts.check_scoring(self._prompt.template, options.mode)
        self.endpoint = served(model, options, backoff=backoff)
        self.spec = served_spec(self.endpoint, self._prompt, options)
        if options.mode == "g-eval" and self.spec.scale.high > TEN:
            raise TandemError(
                f"{setting('mode')} g-eval reads the first tokens of a server's reply, and tells "
                f"marks apart up to {TEN}: take a shorter {setting('scale')}, or "
                f"{setting('mode')} score"
            )

    def load(self) -> None:
        if self.spec.mode == "g-eval" and not self._top:
            raise TandemError(
                f"the server at {self.endpoint.address} gives no probabilities for "
                f"{self.endpoint.model!r}, "
                f"which {setting('mode')} g-eval needs; {setting('mode')} score asks it for the "
                "mark itself"
            )
        _ = self._top

    @property
    def note(self) -> str:  # type: ignore[override]
        return self.endpoint.note

    @property
    def situation(self) -> str:
        return self.endpoint.trouble

    @cached_property
    def _top(self) -> int:
        return likeliest(self.endpoint, wanted=self.spec.mode == "g-eval")

    def answers(self, questions: Sequence[Candidate]) -> list[Mark]:
        self.load()
        return all_through(questions, self._answer, self.endpoint.concurrency)

    def stream(self, questions: Iterator[Candidate]) -> Iterator[list[tuple[Candidate, Mark]]]:
        self.load()
        return stream_through(questions, self._answer, self.endpoint.concurrency)

    async def _answer(self, candidate: Candidate) -> Mark:
        if failure := unanswerable(candidate):
            return failure
        try:
            completion, cut = await fitted(
                candidate,
                lambda one: prompts.fill_scoring(
                    self._prompt, one, self.spec.mode, self.spec.scale
                ),
                self._asked,
            )
            mark = self._marked(completion, cut)
        except TandemError:
            raise
        except Exception as error:
            return Mark(failure=because(error))
        return replace(mark, context_cut=cut, **completion.spent)

    async def _asked(self, prompt: str) -> Completion:
        most = LABEL_TOKENS if self.spec.mode == "g-eval" else REPLY_TOKENS
        return await self.endpoint.complete([user(prompt)], max_tokens=most, top_logprobs=self._top)

    def _marked(self, completion: Completion, cut: int) -> Mark:
        [choice] = completion.choices
        reading = (
            ParsedReply(failure=choice.failure)
            if choice.failure
            else read_mark(choice.text, *self.spec.scale, is_cut=choice.is_cut)
        )
        said = reading.mark
        chances = (
            mark_probabilities(choice.positions, said, self.spec.scale)
            if said is not None and self._top
            else None
        )
        shown = (
            {str(mark): round(chance, 6) for mark, chance in chances.items()} if chances else None
        )
        raw = as_raw(
            text=choice.text,
            detail=choice.detail or reading.why,
            p=shown,
            context_cut=cut or None,
            part_read=completion.part_read or None,
        )
        if said is None:
            return Mark(failure=reading.failure, raw=raw)
        if self.spec.mode == "score":
            return Mark(said, raw=raw)
        if not chances:
            return Mark(failure=NO_LABEL, raw=raw)
        return Mark(sum(mark * p for mark, p in chances.items()) / sum(chances.values()), raw=raw)


def mark_probabilities(
    positions: Sequence[Position], said: float, scale: Scale = USUAL_SCALE
) -> dict[int, float] | None:
    """P(mark) of the marks among the likeliest tokens where a reply first gives its mark, `said`
    (Liu et al. 2023).

    There each of the likeliest tokens is put in its place, and its probability goes to the mark the
    reply would then give; marks that are not among them have none. Where a model writes "10" as "1"
    and "0", the "1" is told from the "10" by the probability of the "0" behind it; that one is
    known only where the reply goes on so, else all of "1" is 1. None when no probabilities came.
    """
    before, read = "", 0
    begins = answer_begins("".join(position.token for position in positions))
    for place, position in enumerate(positions):
        read += len(position.token)
        if read <= begins:
            continue
        now = _mark(before + position.token, scale)
        behind = positions[place + 1] if place + 1 < len(positions) else None
        goes_on = now == 1 and said == TEN and behind is not None and behind.token == "0"
        if now == math.floor(said) or goes_on:
            found: dict[int, float] = {}
            for token, logprob in position.top:
                mark = _mark(before + token, scale)
                if mark is not None:
                    found[mark] = found.get(mark, 0.0) + math.exp(logprob)
            if behind is not None and now == 1 and scale.high == TEN:
                longer = sum(math.exp(logprob) for token, logprob in behind.top if token == "0")
                whole = found.get(1, 0.0)
                found[TEN] = found.get(TEN, 0.0) + whole * longer
                found[1] = whole * (1 - longer)
            return found if any(found.values()) else None
        before += position.token
    return None


def _mark(text: str, scale: Scale) -> int | None:
    """The whole mark a reply gives so far."""
    found = reply_parsing.mark(text, *scale)
    return None if found is None or found != math.floor(found) else int(found)


MEMBERS = tuple(
    Member(
        OPENAI,
        "marks",
        ServedScorer,
        mode=mode,
        help=MARKING_MODES[mode],
        options=("mode", "prompt", "scale", "base_url", *SERVING),
    )
    for mode in ("score", "g-eval")  # a chat server tells nothing about the words it is given
)
