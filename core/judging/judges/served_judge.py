"""A model behind a server as a judge of comparisons."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from ...failures import EMPTY, ERROR, NO_LABEL, TOO_LONG, UNPARSED
from ...models import SERVING, Member, Options, canonical_body
from ...models.served import (
    HOW_TO_SAMPLE,
    OPENAI,
    SAME,
    Completion,
    CompletionChoice,
    Endpoint,
    Message,
    ServedRespondent,
    as_raw,
    build_messages,
    overflow_share,
)
from ...records import Answer, JudgeSpec, Prompt, Question, TandemError, option_ref
from .. import prompts
from ..forms import Statement, read_verdict, reply_budget
from ..judge import COMPARING_MODES, Judge, Q
from ..llm_spec import COMPARING, READING, SAYING, check_sampling, llm_spec
from .readings import (
    OUTCOMES,
    ParsedReply,
    decide_by_probabilities,
    decide_by_votes,
    label_probabilities,
    read_reply,
)

TOP = (20, 5)  # how many of the likeliest tokens are asked for; servers have different maxima
SHORTENED = 6  # times a context is shortened before its comparison is given up


class ServedJudge(ServedRespondent[Question, Answer], Judge):
    """Asks any OpenAI-compatible server for comparisons, `concurrency` at a time.

    classifier: p(A) = P(w_A) / (P(w_A) + P(w_B)) (Liusie et al. 2024, eq. 3) from the likeliest
    tokens where the reply states its label (`label_probabilities`). generate: the likeliest reply,
    as its prompt's form states it. sample: the share of `votes` sampled replies for A, of those
    that state a verdict. See `outcomes` for the effect of a tie, where one is offered.
    When the mode is left open, the server is asked what it can: it is classifier where
    probabilities come back, else sample where it draws its replies, else generate.

    A context that makes the prompt too long for the server is shortened at its end, as far as the
    server asks for it. Failures: "no-text", "too-long" (even without context), "refused", "empty",
    "unparsed", "cut-off", "no-label" (no probabilities came with the reply), "timed-out",
    "server-error", "error: ...".
    """

    def __init__(self, model: str, options: Options, *, backoff: float = 0.5) -> None:
        self._prompt = options.prompt or prompts.PROMPTS["comparative"]
        prompts.check(self._prompt.template, tie=options.tie)
        prompts.labels_of(self._prompt, options.labels, tie=options.tie)
        self._options, self._temperature = options, check_sampling(options)[1]
        prompts.check_system_prompt(options.system_prompt, compares=True)
        canonical_body(options.extra_body)
        self._form = prompts.form_of(self._prompt)
        if options.mode == "classifier" and not self._form.has_token:
            raise TandemError(
                f"a verdict in the form {self._form.name} has no label with a probability: take "
                f"{option_ref('mode')} generate or sample, or another {option_ref('form')}"
            )
        self.endpoint = Endpoint(model, options, backoff=backoff)

    @cached_property
    def spec(self) -> JudgeSpec:  # type: ignore[override]  # read-only, and known when the server has been asked
        """Build the spec: all that can change an answer.

        Where the mode was left open, the server is asked first.
        """
        options = replace(self._options, mode=self._options.mode or self._server_mode[0])
        return served_spec(self.endpoint, self._prompt, options)

    @property
    def note(self) -> str:  # type: ignore[override]
        return "; ".join(filter(None, [self._mode_note, self.endpoint.note]))

    @property
    def _mode_note(self) -> str:
        if self._options.mode or self.spec.mode == "classifier":
            return ""
        none = f"the server at {self.endpoint.address} gives no probabilities"
        if self.spec.mode == "generate":
            return f"{none} and the same reply each time, so one reply is asked for each comparison"
        return f"{none}, so {self.spec.votes} sampled votes are asked for each comparison instead"

    def load(self) -> None:
        if self._options.mode == "classifier" and self._server_mode[0] != "classifier":
            raise TandemError(
                f"the server at {self.endpoint.address} gives no probabilities for "
                f"{self.endpoint.model!r}, "
                f"which {option_ref('mode')} classifier needs; {option_ref('mode')} sample asks it "
                "for "
                "votes" + (f" ({self.endpoint.note})" if self.endpoint.note else "")
            )
        if self._options.mode == "sample" and self._server_mode[0] != "sample":
            raise TandemError(
                f"the server at {self.endpoint.address} {SAME}, so sampled votes would all be "
                f"alike: have it sample ({HOW_TO_SAMPLE}), or take {option_ref('mode')} generate"
            )
        _ = self._server_mode

    @cached_property
    def _server_mode(self) -> tuple[str, int]:
        """The mode that the server was found to support, and its number of likeliest tokens.

        The mode is classifier, sample or generate.
        """
        mode = self._options.mode
        wanted = mode == "classifier" or (not mode and self._form.has_token)
        top = count_likeliest_tokens(self.endpoint, wanted=wanted, temperature=self._temperature)
        if top:
            return "classifier", top
        sampled = mode in ("", "sample") and self.endpoint.samples(
            self.sampling_ways, is_needed=bool(mode)
        )
        return "sample" if sampled else "generate", 0

    async def _ask(self, question: Question) -> Answer:
        if failure := self.refuse(question):
            return failure
        labels = prompts.fill_labels(self.spec.labels, question)
        how = self._build_options(self._server_mode[1], labels)

        async def ask(said: Sequence[Message]) -> Completion:
            return await self.endpoint.complete(said, **how)

        completion, cut = await fit_context(question, self._build_messages, ask)
        answer = self._judge_completion(completion, labels, cut)
        return replace(answer, context_cut=cut, **completion.usage)

    def _build_messages(self, question: Question) -> list[Message]:
        prompt = prompts.fill(self._prompt, question, self.spec.labels)
        return build_messages(prompts.fill_system(self.spec, question), prompt)

    def _build_options(self, top: int, labels: Sequence[str]) -> dict[str, Any]:
        """Build the request options beside the prompt.

        `top` is how many likeliest tokens the server gives.
        """
        spec, form = self.spec, self._form
        classifies = spec.mode == "classifier"
        return {
            **settings_of(spec),
            "max_tokens": reply_budget(form, spec.mode, spec.max_tokens),
            "n": spec.votes if spec.mode == "sample" else 1,
            "top_logprobs": top if classifies else 0,
            "shape": form.shape(labels) if form.shape and not classifies else None,
        }

    def bodies(self, question: Question, *, asked: bool) -> list[dict[str, Any]]:
        """Return the requests that ask a comparison, to be put into a file.

        Where the server has not been `asked` what it can, it is taken to be able to what OpenAI's
        and vLLM are.
        """
        top = self._server_mode[1] if asked else TOP[0]
        how = self._build_options(top, prompts.fill_labels(self.spec.labels, question))
        return self.endpoint.bodies(self._build_messages(question), **how)

    def completion(self, question: Question, status: int, body: Any, n: int) -> Completion:
        """Read the response (HTTP status and body) to one of these requests, for `n` texts."""
        return self.endpoint.completion(self._build_messages(question), status, body, n)

    def build_answer(self, question: Question, completion: Completion) -> Answer:
        """Return the answer to a comparison, of what was written to it."""
        labels = prompts.fill_labels(self.spec.labels, question)
        return replace(self._judge_completion(completion, labels, 0), **completion.usage)

    def _judge_completion(self, completion: Completion, labels: Sequence[str], cut: int) -> Answer:
        first, mode = completion.choices[0], self.spec.mode
        form, lenient = self._form.name, self.spec.lenient
        read = partial(read_verdict, labels=labels, form=form, lenient=lenient)
        readings = [parse_choice(choice, read) for choice in completion.choices]
        stated = [one.stated for one in readings if one.stated is not None]
        votes = [one.label for one in stated]
        texts = [choice.text or choice.failure for choice in completion.choices]
        chances = (
            label_probabilities(first.positions, stated[0], labels)
            if mode == "classifier" and stated
            else None
        )
        raw = as_raw(
            texts=texts if mode == "sample" else None,
            text=first.text if mode != "sample" else None,
            detail=first.detail or "; ".join(dict.fromkeys(one.why for one in readings if one.why)),
            read=[one.span for one in readings] if stated else None,
            kept_by=completion.kept_by,
            p=dict(zip(labels, (round(chance, 6) for chance in chances), strict=True))
            if chances
            else None,
            context_cut=cut or None,
            part_read=completion.part_read or None,
        )
        if not votes:
            return Answer(failure=reason([one.failure for one in readings]), raw=raw)
        if mode == "sample":
            return replace(decide_by_votes(votes), raw=raw)
        if mode == "generate":
            return Answer(OUTCOMES[votes[0]], strength=stated[0].strength, raw=raw)
        return (
            replace(decide_by_probabilities(*chances), raw=raw)
            if chances
            else Answer(failure=NO_LABEL, raw=raw)
        )


def served_spec(endpoint: Endpoint, prompt: Prompt, options: Options) -> JudgeSpec:
    """Build the spec of a model behind a server.

    A server of one's own is part of its name.
    """
    model, own = f"openai:{endpoint.model}", replace(options, base_url=endpoint.base_url)
    return replace(llm_spec(model, model, prompt, own), served=True)


def count_likeliest_tokens(endpoint: Endpoint, *, wanted: bool, temperature: float = 0.0) -> int:
    """Find how many likeliest tokens a server gives, 0 where it gives none or none are wanted.

    It takes one small request, more where the server refuses the first. Raises TandemError when the
    server does not answer.
    """
    for top in TOP if wanted else ():
        choice = endpoint.trial(top)
        if choice.positions and not choice.failure:
            return top
        if not choice.failure:
            return 0
    endpoint.trial(temperature=temperature)
    return 0


async def fit_context(
    question: Q,
    fill: Callable[[Q], list[Message]],
    ask: Callable[[Sequence[Message]], Awaitable[Completion]],
) -> tuple[Completion, int]:
    """Return the server's completion and how many characters of the context were left out."""
    context, tries = question.context, 0
    while True:
        said = fill(replace(question, context=context))
        completion = await ask(said)
        length = sum(len(one["content"]) for one in said)
        tries += 1
        if completion.choices[0].failure != TOO_LONG or not context:
            return completion, len(question.context) - len(context)
        context = (
            _shorten_context(context, length, completion.choices[0].detail)
            if tries < SHORTENED
            else ""
        )


def settings_of(spec: JudgeSpec) -> dict[str, Any]:
    """Return the request options that a judge's settings give in every mode."""
    return {
        "temperature": spec.temperature,
        "stop": spec.stop,
        "extra_body": json.loads(spec.extra_body or "{}"),
    }


def parse_choice(choice: CompletionChoice, read: Callable[..., Statement]) -> ParsedReply:
    """Parse one reply as `read_reply` does, or name the failure that it is.

    A reply that ended for an unknown reason counts, too, where it is its statement and nothing
    else.
    """
    if choice.failure:
        return ParsedReply(failure=choice.failure)
    reading = read_reply(read, choice.text, is_cut=choice.is_cut)
    if not choice.ending or reading.stated:
        return reading
    whole = read_reply(read, choice.text)
    if whole.stated:
        rest = choice.text[: whole.stated.start] + choice.text[whole.stated.end :]
        if not re.search(r"\w", rest):
            return whole
    return ParsedReply(failure=f"{ERROR}: {choice.ending}", why=reading.why)


def reason(failures: Sequence[str]) -> str:
    """Return the reason why none of these replies is an answer.

    It is the commonest reason; among equals, what broke rather than what was said.
    """
    reasons = Counter(failures)
    return max(reasons, key=lambda why: (reasons[why], why not in (UNPARSED, EMPTY)))


def _shorten_context(context: str, length: int, told: str) -> str:
    """Return a context that will rather fit a prompt of that many characters: by the share of it
    that the server finds too much, else half.
    """
    share = overflow_share(told)
    over = 1.1 * share * length if share is not None else len(context) / 2
    left = context[: max(0, len(context) - max(int(over), 1 + len(context) // 10))]
    return left.rsplit(maxsplit=1)[0] if " " in left.strip() else left


MEMBERS = tuple(
    Member(
        OPENAI,
        "comparisons",
        ServedJudge,
        mode=mode,
        help=COMPARING_MODES.get(mode, ""),
        options=(
            *COMPARING,
            *(("votes",) if mode in ("", "sample") else ()),
            *READING,
            *SAYING,
            "base_url",
            *SERVING,
        ),
    )
    for mode in ("", *COMPARING_MODES)  # left open, the server is asked what it can
)
