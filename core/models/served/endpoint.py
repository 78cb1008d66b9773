"""An endpoint: a model behind a server, hosted or on this machine, and how fast it may be asked.

What goes wrong with one request is asked again as long as that can help, and is then an answer with
a reason; what will go wrong with every request (a wrong key, a model that is not there) raises
TandemError.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from ...failures import CUT_OFF, ERROR, SERVER_ERROR, TIMED_OUT, TOO_LONG
from ...records import TandemError, option_ref
from ...seeds import draw
from ..extra_body import canonical_body
from ..respondent import Family, Options
from .answer_shape import AnswerShape
from .chat_client import (
    BROKEN,
    LOST,
    NO_CONNECTION,
    TIMEOUT_TRIES,
    ChatClient,
)
from .chat_request import Message, ModelRequest
from .completion import (
    Completion,
    CompletionChoice,
    detect_partial_read,
    failed_completion,
)
from .concurrent_requests import wait_for
from .contact import Contact
from .rate_limits import RunLimits, limits_of
from .request_errors import NOTHING_SPENT, RequestError
from .retrying import Retries
from .sampling_ways import (
    NO_WAY,
    OPEN_QUESTION,
    PROBE_TEMPERATURES,
    PROBE_TOKENS,
    PROBES,
    WAYS,
)
from .token_text import UNMATCHED

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI = Family(
    "openai",
    "MODEL",
    label="Language model behind a server",
    help="OpenAI, vLLM, Ollama, llama.cpp and the like. The texts are sent there.",
    example="gpt-4o-mini",
    choose="Choose a model: type its name as its server calls it.",
)

DEFAULTS = Options()
NOTHING: Mapping[str, Any] = {}

_TRIFLE = [
    {
        "role": "user",
        "content": "Which letter comes first in the alphabet, A or B? Answer with A or B.",
    }
]


class Endpoint:
    """A model of a server: `complete` asks it. Its limits, `concurrency` requests at a time, `rpm`
    and `tpm` a minute, hold for all endpoints of that model and server in this process together.

    `base_url` is where the server listens, '' the official one. Raises TandemError for an address,
    a key, a provider or a limit that cannot be. What asks a server that the options do not permit
    raises it, too, and nothing is sent.
    """

    def __init__(
        self,
        model: str,
        options: Options = DEFAULTS,
        *,
        backoff: float = 0.5,
    ) -> None:
        self.chat = ChatClient(model, options)
        self.model, self.base_url = model, self.chat.base_url
        self.concurrency, self._timeout, self._backoff = (
            options.concurrency,
            options.timeout,
            backoff,
        )
        if not options.timeout > 0:
            raise TandemError(
                f"{option_ref('timeout')} is {options.timeout:g}; a request takes more than 0 "
                "seconds"
            )
        if not all(options.stop):
            raise TandemError(f"{option_ref('stop')} is empty: give the words before which to stop")
        self._allowed = RunLimits(options.concurrency, options.rpm, options.tpm)
        self._limits = limits_of(self.base_url, model)
        self._way = WAYS[0]  # in which it draws its replies
        # What tells what a server can is asked as everything later is.
        self._extra_body = json.loads(canonical_body(options.extra_body) or "{}")
        self._trifle_tokens = max(16, options.max_tokens or 0)

    @property
    def address(self) -> str:
        """Return the address by which people know the server."""
        return self.chat.address

    @property
    def client(self) -> AsyncOpenAI:
        """OpenAI's client, with the key that the server is sent now; see `ChatClient.sdk`."""
        return self.chat.sdk

    @property
    def note(self) -> str:
        """Describe how requests to the server differ from those meant; '' = they do not."""
        return self.chat.note

    def close(self) -> None:
        """Close all connections; the next request opens others."""
        wait_for(self.chat.close())

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float | None = 0.0,
        n: int = 1,
        top_logprobs: int = 0,
        seed: int | None = None,
        stop: Sequence[str] = (),
        extra_body: Mapping[str, Any] | None = None,
        shape: AnswerShape | None = None,
        patient: bool = True,
    ) -> Completion:
        """Complete `n` texts, in one request where the server writes several, else in as many as
        needed.

        With `top_logprobs` the probabilities of that many tokens at each position, where the server
        gives them. A `temperature` of None leaves it to the server. With one they are drawn in the
        way that `samples` has found. A text ends before a `stop`. Options of `extra_body` win over
        these, and None takes one away. The server is asked to keep to a `shape` in the way that it
        takes; `Completion.kept_by` says which. Not `patient`: what looks like the wrong address is
        not waited for. Raises TandemError when no request can be answered.
        """
        request, seeds = self._request_of(
            messages, max_tokens, temperature, n, top_logprobs, seed, stop, extra_body, shape
        )
        began = self._limits.clock.now()
        found = await self._complete_all(request, seeds, patient)
        if found.seconds is None:
            return found
        elapsed = self._limits.clock.now() - began
        return replace(found, waited=max(0.0, elapsed - found.seconds))

    def bodies(
        self, messages: Sequence[Message], *, n: int = 1, **how: Any
    ) -> list[dict[str, Any]]:
        """Return the bodies of the requests that `complete` would send for `n` texts, to be put
        into a file: one for all where the server writes several, else one for each. `how` is as
        there.
        """
        given = {
            "temperature": 0.0, "top_logprobs": 0, "seed": None, "stop": (),
            "extra_body": None, "shape": None,
        } | how  # fmt: skip
        request, seeds = self._request_of(messages, n=n, **given)
        one = replace(request, n=1)
        if seeds:
            requests = [replace(one, seed=seed) for seed in seeds]
        elif self.chat.habits.several:
            requests = [request]
        else:
            requests = [one] * n
        return [self.chat.body(each).sent for each in requests]

    def completion(
        self, messages: Sequence[Message], status: int, body: Any, n: int = 1
    ) -> Completion:
        """Read the result of a request for `n` texts that somebody else has sent: HTTP status
        (0 = unknown) and body. They are read as `complete` reads them.
        """
        found = self.chat.read_result(status, body).choose(n)
        return replace(found, part_read=detect_partial_read(messages, found.prompt_tokens))

    def _request_of(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        temperature: float | None,
        n: int,
        top_logprobs: int,
        seed: int | None,
        stop: Sequence[str],
        extra_body: Mapping[str, Any] | None,
        shape: AnswerShape | None,
    ) -> tuple[ModelRequest, list[int]]:
        """Return the request, and the seeds of the texts if each is drawn by its own."""
        seeds: list[int] = []
        if seed is None and temperature and self._way.seeds:
            seeds = [draw(messages[-1]["content"], number) % 2**31 for number in range(n)]
        request = ModelRequest(
            list(messages), max_tokens, temperature, n, top_logprobs, seed, stop, shape,
            self._way.options if temperature else NOTHING, extra_body or NOTHING,
        )  # fmt: skip
        return request, seeds

    async def _complete_all(
        self, request: ModelRequest, seeds: Sequence[int], patient: bool
    ) -> Completion:
        """Return all texts of a request, each with its own of the `seeds` where there are any."""
        one = replace(request, n=1)
        if seeds:
            own = (replace(one, seed=seed) for seed in seeds)
            found = await asyncio.gather(*(self._complete_one(each, patient) for each in own))
            return sum(found, Completion(()))
        first = await self._complete_one(request, patient)
        missing = request.n - len(first.choices)
        if missing <= 0 or first.choices[0].failure == TOO_LONG:  # it would be too long again
            return first
        more = await asyncio.gather(*(self._complete_one(one, patient) for _ in range(missing)))
        return sum(more, first)

    async def _complete_one(self, request: ModelRequest, patient: bool) -> Completion:
        """Return the answer to one request, tried again as long as that can help.

        A failure is a choice, too.
        """
        habits = self.chat.habits
        retries = Retries(
            self._limits, self.address, self._backoff, self._health_check, patient=patient
        )
        spent = NOTHING_SPENT
        while True:
            n = request.n if habits.several else 1
            try:
                found = await self._request(request)
            except RequestError as trouble:
                spent += replace(trouble.spent, choices=())
                if adapted := self.chat.adapt_to(request, trouble):
                    request = adapted
                    continue
                if not await retries.wait_after(trouble):
                    return failed_completion(trouble.failure, trouble.detail) + spent
            else:
                habits.several = habits.several and len(found.choices) >= n
                return found + spent

    async def _request(self, request: ModelRequest) -> Completion:
        """One request, in its turn. Raises RequestError, or TandemError when no other request will
        fare better.
        """
        estimate = sum(len(message["content"]) for message in request.messages) / 4
        async with self._limits.turn(self._allowed, estimate):
            sent_at = self._limits.clock.now()
            try:
                async with asyncio.timeout(self._timeout):
                    found = await self._complete_noted(request)
            except TimeoutError:
                self._contact.note_loss()
                raise RequestError(TIMED_OUT, tries=TIMEOUT_TRIES) from None
            if found.tokens:
                self._limits.correct(found.tokens - estimate)
            return replace(
                found,
                part_read=detect_partial_read(request.messages, found.prompt_tokens),
                seconds=self._limits.clock.now() - sent_at,
            )

    async def _complete_noted(self, request: ModelRequest) -> Completion:
        """Send a request, and note whether the server was heard of."""
        try:
            found = await self.chat.complete(request)
        except RequestError as trouble:
            (self._contact.note_loss if trouble.failure in LOST else self._contact.note_reply)()
            raise
        self._contact.note_reply()
        return found

    async def _health_check(self) -> None:
        await self._request(ModelRequest(_TRIFLE, self._trifle_tokens, extra_body=self._extra_body))

    @property
    def _contact(self) -> Contact:
        return self._limits.contact

    def trial(self, top_logprobs: int = 0, temperature: float | None = 0.0) -> CompletionChoice:
        """Return the answer to a trifle, to see that the server answers; with `top_logprobs`
        perhaps only that it will not give them.

        Raises TandemError when it does not answer.
        """
        return wait_for(self.check_health(top_logprobs, temperature))

    async def check_health(
        self, top_logprobs: int = 0, temperature: float | None = 0.0
    ) -> CompletionChoice:
        """Send a health check as `trial` does, where an event loop runs."""
        completion = await self.complete(
            _TRIFLE,
            max_tokens=self._trifle_tokens,
            temperature=temperature,
            top_logprobs=top_logprobs,
            extra_body=self._extra_body,
            patient=False,
        )
        choice = completion.choices[0]
        if top_logprobs and choice.failure == CUT_OFF:
            self.chat.habits.notes.append(
                f"its reply to a trifle ends before any text after {self._trifle_tokens} tokens, "
                f"as of a model that thinks: raise {option_ref('max_tokens')}"
            )
        if choice.detail in UNMATCHED:
            self.chat.habits.notes.append(choice.detail)
        self._check_trial(choice, asks_probabilities=bool(top_logprobs))
        return choice

    def _check_trial(self, choice: CompletionChoice, *, asks_probabilities: bool) -> None:
        """Check the answer to a health check. Raises TandemError if no later answer can come."""
        is_silent = choice.failure in (TIMED_OUT, NO_CONNECTION)
        is_error = choice.failure.startswith(ERROR) and not asks_probabilities
        if not (is_silent or is_error or choice.failure == SERVER_ERROR):
            return
        does = "does not answer"
        if not is_silent and choice.failure != BROKEN:
            refuses = choice.detail.startswith("HTTP 4")
            does = "refuses" if refuses else "gives no answer that can be used"
        raise TandemError(
            f"the server at {self.address} {does} ({choice.detail or choice.failure})"
        )

    def samples(
        self, ways: MutableMapping[str, int] | None = None, *, is_needed: bool = True
    ) -> bool:
        """Return whether the server draws its replies: some of several to an open question must
        differ.

        The first way in which they do is kept for all that is asked later, and in `ways`. A server
        found there is not asked, unless it draws in no way and `is_needed` to. If no two replies
        came, nothing is known against it. Raises TandemError as `complete` does.
        """
        return wait_for(self.draws({} if ways is None else ways, is_needed=is_needed))

    async def draws(self, ways: MutableMapping[str, int], *, is_needed: bool = True) -> bool:
        """Find out whether the server draws its replies, where an event loop runs."""
        key = f"{self.base_url} {self.model} {json.dumps(self._extra_body, sort_keys=True)}"
        way = ways.get(key)
        if way is None or (way == NO_WAY and is_needed):
            return await self._find_way(ways, key)
        self._way = WAYS[max(way, 0)]
        return way != NO_WAY

    async def _find_way(self, ways: MutableMapping[str, int], key: str) -> bool:
        for number, heat in product(range(len(WAYS)), PROBE_TEMPERATURES):
            self._way = WAYS[number]
            completion = await self.complete(
                OPEN_QUESTION,
                max_tokens=PROBE_TOKENS,
                temperature=heat,
                n=PROBES,
                extra_body=self._extra_body,
            )
            texts = [choice.text for choice in completion.choices if not choice.failure]
            if len(set(texts)) > 1:
                ways[key] = number
                return True
            if number == 0 and len(texts) < 2:
                return True
        self._way, ways[key] = WAYS[0], NO_WAY
        return False
