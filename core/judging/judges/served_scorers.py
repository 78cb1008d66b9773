"""A model behind a server that marks single texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from ...failures import NO_LABEL
from ...models import SERVING, Member, Options
from ...models.served import (
    OPENAI,
    Completion,
    CompletionChoice,
    Endpoint,
    Message,
    Position,
    ServedRespondent,
    as_raw,
    build_messages,
    wait_for,
)
from ...records import Candidate, Mark, TandemError, option_ref
from .. import prompts
from ..forms import Statement, read_mark, reply_budget
from ..judge import MARKING_MODES, Scorer
from ..llm_spec import READING, SAYING
from ..prompts import SCORING_PROMPTS
from .readings import mark_probabilities, split_ten
from .served_judge import (
    count_likeliest_tokens,
    fit_context,
    parse_choice,
    served_spec,
    settings_of,
)

TEN = 10
"""The only mark of two digits that g-eval tells from its first, "1"."""

FAINT = 1e-3
"""A probability of "1" so small that its true value moves no expected mark by 0.01."""

_TEN = [{"role": "user", "content": "Write the number 10 in digits, and nothing else."}]
_CONTINUES = {"continue_final_message": True, "add_generation_prompt": False}
"""How vLLM and SGLang are asked to go on with a reply that has begun; llama.cpp does so anyway."""


class ServedScorer(ServedRespondent[Candidate, Mark], Scorer):
    """Asks any OpenAI-compatible server for marks, `concurrency` at a time.

    score: the mark the reply gives in its prompt's form. g-eval: the expected mark over the
    likeliest tokens where the reply states its mark (`mark_probabilities`); where a "1" among them
    may become "10", the server is asked how it would go on from there. A context that makes the
    prompt too long is shortened at its end, as far as the server asks for it. Failures: "no-text",
    "too-long" (even without context), "refused", "empty", "unparsed", "cut-off", "no-label" (no
    probabilities came with the reply), "timed-out", "server-error", "error: ...".
    """

    def __init__(self, model: str, options: Options, *, backoff: float = 0.5) -> None:
        self._prompt = options.prompt or SCORING_PROMPTS["scoring"]
        prompts.check_scoring(self._prompt.template, options.mode)
        self._form = prompts.form_of(self._prompt, marks=True)
        self.endpoint = Endpoint(model, options, backoff=backoff)
        self.spec = served_spec(self.endpoint, self._prompt, options)
        if options.mode == "g-eval" and self.spec.scale.high > TEN:
            raise TandemError(
                f"{option_ref('mode')} g-eval reads a reply's first tokens, which tell scores "
                f"apart up to {TEN}: shorten {option_ref('scale')}, or take "
                f"{option_ref('mode')} score"
            )

    def load(self) -> None:
        if self.spec.mode == "g-eval" and not self._top:
            raise TandemError(
                f"the server at {self.endpoint.address} gives no probabilities for "
                f"{self.endpoint.model!r}, which {option_ref('mode')} g-eval needs; "
                f"{option_ref('mode')} score asks for the score"
            )
        _ = self._top
        ends_before = self.spec.scale.high < TEN
        if self._top and not (ends_before or self._ten_is_whole or self._can_tell_ten):
            raise TandemError(
                f"{self.endpoint.model!r} writes 10 as two tokens, and the server at "
                f"{self.endpoint.address} does not continue a 1. So 1 and 10 cannot be told "
                f"apart: take {option_ref('scale')} 1 9, or {option_ref('mode')} score"
            )

    @cached_property
    def _top(self) -> int:
        return count_likeliest_tokens(self.endpoint, wanted=self.spec.mode == "g-eval")

    @cached_property
    def _ten_is_whole(self) -> bool:
        """Return whether the model writes 10 as one token, so that a "1" is no beginning of it."""
        found = wait_for(
            self.endpoint.complete(
                _TEN,
                max_tokens=max(8, self.spec.max_tokens or 0),
                top_logprobs=self._top,
                extra_body=self._extra_body,
            )
        )
        tokens = [token for one in found.choices[0].positions for token, _ in one.top]
        return any(token.strip() == "10" for token in tokens)

    @cached_property
    def _can_tell_ten(self) -> bool:
        """Return whether the server goes on from "1", so that it says how likely "10" is."""
        behind = wait_for(self._continue_reply(_TEN, "1"))
        return behind is not None and _find_likeliest_token(behind).startswith("0")

    @property
    def _extra_body(self) -> dict[str, Any]:
        own: dict[str, Any] = settings_of(self.spec)["extra_body"]
        return own

    async def _continue_reply(self, said: Sequence[Message], begun: str) -> Position | None:
        """Return the likeliest tokens behind a reply that has `begun`, None where the server does
        not go on with it.
        """
        found = await self.endpoint.complete(
            [*said, {"role": "assistant", "content": begun}],
            max_tokens=1,
            top_logprobs=self._top,
            temperature=self.spec.temperature,
            extra_body=self._extra_body | _CONTINUES,
        )
        first = next(iter(found.choices[0].positions), None)
        # "1" is among the likeliest behind a "1", too (11), but hardly the likeliest of all.
        begins_anew = first is not None and re.fullmatch(r"[1-9]0?", _find_likeliest_token(first))
        return None if begins_anew else first

    async def _ask(self, candidate: Candidate) -> Mark:
        if failure := self.refuse(candidate):
            return failure
        completion, cut = await fit_context(candidate, self._build_messages, self._complete)
        said = self._build_messages(replace(candidate, context=candidate.context[: -cut or None]))
        mark = await self._mark_completion(completion, said, cut)
        return replace(mark, context_cut=cut, **completion.usage)

    def _build_messages(self, candidate: Candidate) -> list[Message]:
        prompt = prompts.fill_scoring(self._prompt, candidate, self.spec.mode, self.spec.scale)
        return build_messages(prompts.fill_system(self.spec, candidate), prompt)

    async def _complete(self, said: Sequence[Message]) -> Completion:
        spec, form = self.spec, self._form
        expects = spec.mode == "g-eval"
        return await self.endpoint.complete(
            said,
            **settings_of(spec),
            max_tokens=reply_budget(form, spec.mode, spec.max_tokens),
            top_logprobs=self._top,
            shape=form.shape(spec.scale) if form.shape and not expects else None,
        )

    async def _mark_completion(
        self, completion: Completion, said: Sequence[Message], cut: int
    ) -> Mark:
        [choice] = completion.choices
        read = partial(read_mark, scale=self.spec.scale, form=self._form.name)
        reading = parse_choice(choice, read)
        stated = reading.stated
        chances = await self._mark_chances(choice, stated, said) if stated and self._top else None
        shown = (
            {str(mark): round(chance, 6) for mark, chance in chances.items()} if chances else None
        )
        raw = as_raw(
            text=choice.text,
            detail=choice.detail or reading.why,
            p=shown,
            read=[reading.span] if stated else None,
            kept_by=completion.kept_by,
            context_cut=cut or None,
            part_read=completion.part_read or None,
        )
        if stated is None:
            return Mark(failure=reading.failure, raw=raw)
        if self.spec.mode == "score":
            return Mark(stated.verdict, raw=raw)
        if not chances:
            return Mark(failure=NO_LABEL, raw=raw)
        return Mark(sum(mark * p for mark, p in chances.items()) / sum(chances.values()), raw=raw)

    async def _mark_chances(
        self, choice: CompletionChoice, stated: Statement, said: Sequence[Message]
    ) -> dict[int, float] | None:
        """P(mark) of each mark; a "1" that may be the beginning of "10" is followed up."""
        found = mark_probabilities(choice.positions, stated, self.spec.scale)
        if found is None:
            return None
        chances, is_open = found
        if not is_open or self._ten_is_whole or chances[1] < FAINT:
            return chances
        behind = await self._continue_reply(said, f"{choice.text[: stated.start]}1")
        return split_ten(chances, behind) if behind else None


def _find_likeliest_token(position: Position) -> str:
    """Return the likeliest token there, without what is around it."""
    token, _ = max(position.top, key=lambda one: one[1])
    return token.strip()


MEMBERS = tuple(
    Member(
        OPENAI,
        "marks",
        ServedScorer,
        mode=mode,
        help=MARKING_MODES[mode],
        options=("mode", "prompt", "scale", *READING, *SAYING, "base_url", *SERVING),
    )
    for mode in ("score", "g-eval")  # a chat server tells nothing about the words it is given
)
