"""Respondents that ask a model behind a server, many questions at once, with answers as they land;
and that of them which writes the texts of a system.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import Any, TypeVar

from ...failures import CUT_OFF, EMPTY, ERROR, describe_error
from ...records import Draft, Reply, Slot, TandemError, option_ref
from ...seeds import draw
from ..options import SERVING, TEXT_TOKENS, Options, fill_context
from ..respondent import BATCH_SECONDS, Family, Member, Respondent
from ..thoughts import split_thoughts
from .chat_request import HOW_TO_SAMPLE, SAME, build_messages
from .completion import as_raw
from .connection import request_loop
from .endpoint import Endpoint

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R", bound=Reply)

TOGETHER_SECONDS = 0.1  # answers that land so soon after the first leave with it

OPENAI = Family(
    "openai",
    "MODEL",
    label="Language model behind a server",
    help="OpenAI, vLLM, Ollama, llama.cpp and the like. The texts are sent there.",
    example="gpt-4o-mini",
    choose="Choose a model: type its name as its server calls it.",
)


def stream_through(
    questions: Iterator[Q],
    answer: Callable[[Q], Coroutine[Any, Any, A]],
    at_once: int,
    *,
    seconds: float = BATCH_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[list[tuple[Q, A]]]:
    """Yield questions with their answers in the order these land, at most TOGETHER_SECONDS later.

    An empty list says that nothing has landed for so many seconds.

    `at_once` questions are in flight; the next is drawn when one lands, in the asker's own thread,
    the only one that may read its store. When the questions end,
    what is in flight is waited for; when the iteration is abandoned, it is given up. An `answer`
    that raises ends the stream, and so does Ctrl-C, after what has landed before was handed out.
    """
    flying: dict[Future[A], Q] = {}
    loop, is_over = request_loop(), False
    try:
        while flying or not is_over:
            batch: list[tuple[Q, A]] = []
            until = clock() + seconds
            try:
                while (left := until - clock()) > 0:
                    new = list(islice(questions, 0 if is_over else at_once - len(flying)))
                    for question in new:
                        future = asyncio.run_coroutine_threadsafe(answer(question), loop)
                        flying[future] = question
                    is_over = is_over or len(flying) < at_once
                    landed = wait(flying, left, FIRST_COMPLETED).done
                    if not landed:
                        break
                    if not batch:
                        until = clock() + TOGETHER_SECONDS
                    for done in landed:
                        batch.append((flying[done], done.result()))
                        del flying[done]
            except (Exception, KeyboardInterrupt):
                there = [one for one in flying if one.done() and not one.exception()]
                yield [*batch, *((flying.pop(one), one.result()) for one in there)]
                raise
            yield batch
    finally:
        for future in flying:
            future.cancel()


class ServedRespondent(Respondent[Q, R]):
    """A respondent that asks an `endpoint`, as many questions at a time as that is to take."""

    endpoint: Endpoint

    @property
    def note(self) -> str:  # type: ignore[override]
        return self.endpoint.note

    def close(self) -> None:
        self.endpoint.close()

    def answers(self, questions: Sequence[Q]) -> list[R]:
        self.load()
        numbered = stream_through(
            iter(enumerate(questions)), lambda one: self._try(one[1]), self.endpoint.concurrency
        )
        answers = {number: answer for part in numbered for (number, _), answer in part}
        return [answers[number] for number in range(len(questions))]

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, R]]]:
        self.load()
        return stream_through(questions, self._try, self.endpoint.concurrency)

    async def _try(self, question: Q) -> R:
        try:
            return await self._ask(question)
        except TandemError:
            raise
        except Exception as error:
            return self.reply_type(failure=describe_error(error))  # type: ignore[no-any-return]

    @abstractmethod
    async def _ask(self, question: Q) -> R:
        """Return the answer to a question; an error becomes its failure, a TandemError ends all."""


class ServedSampler(ServedRespondent[Slot, Draft]):
    """Asks any OpenAI-compatible server to write, one request a text, each with a seed of its own
    where the server takes one.

    Thoughts are left out. Failures: "empty", "cut-off", "refused", "tool-call", "too-long",
    "timed-out", "server-error", "error: ...".
    """

    reply_type = Draft

    def __init__(self, model: str, options: Options) -> None:
        self._options, self.endpoint = options, Endpoint(model, options)
        self._is_loaded = False

    def load(self) -> None:
        if self._is_loaded:
            return
        self.endpoint.trial()
        if self._options.temperature and not self.endpoint.samples(self.sampling_ways):
            raise TandemError(
                f"the server at {self.endpoint.address} {SAME}, so an item's texts would be "
                f"alike: have it sample ({HOW_TO_SAMPLE}), or set {option_ref('temperature')} 0"
            )
        self._is_loaded = True

    async def _ask(self, slot: Slot) -> Draft:
        options = self._options
        found = await self.endpoint.complete(
            build_messages(options.system_prompt, fill_context(options.instruction, slot.context)),
            max_tokens=options.max_tokens or TEXT_TOKENS,
            temperature=options.temperature or 0.0,
            seed=draw(options.seed, slot.key, slot.sample) % 2**31,
            stop=options.stop,
            extra_body=self.endpoint.extra_body,
        )
        [choice] = found.choices
        reply = split_thoughts(choice.text)
        is_cut = choice.is_cut or reply.is_thinking
        failure = choice.failure or (CUT_OFF if is_cut else "" if reply.answer else EMPTY)
        if choice.ending and not reply.is_thinking:
            failure = f"{ERROR}: {choice.ending}"
        if failure:
            raw = as_raw(text=choice.text, detail=choice.detail)
            return Draft(failure=failure, raw=raw, **found.usage)
        thoughts = choice.text if reply.blanked != choice.text else None
        raw = as_raw(part_read=found.part_read or None, text=thoughts)
        text = reply.answer if thoughts else choice.text
        return Draft(text, raw="" if raw == "{}" else raw, **found.usage)


SERVED_WRITER = Member(
    OPENAI,
    "texts",
    ServedSampler,
    label="a server (OpenAI, vLLM, Ollama, llama.cpp ...)",
    options=(
        "instruction",
        "temperature",
        "max_tokens",
        "system_prompt",
        "stop",
        "extra_body",
        "seed",
        "base_url",
        *SERVING,
    ),
)
