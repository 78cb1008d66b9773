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
from typing import Any

from ...failures import (
    CUT_OFF,
    EMPTY,
    ERROR,
    REFUSED,
    SERVER_ERROR,
    TIMED_OUT,
    TOO_LONG,
)
from ...records import TandemError, option_ref
from ...seeds import draw
from ..options import Options, canonical_body
from .chat_request import (
    NO_WAY,
    OPEN_QUESTION,
    PROBE_TEMPERATURES,
    PROBE_TOKENS,
    PROBES,
    SHAPED_THOUGHTS,
    WAYS,
    ChatBody,
    Message,
    ModelRequest,
    ServerHabits,
    build_messages,
)  # fmt: skip
from .chat_response import ONLY_THOUGHTS
from .completion import Completion, CompletionChoice, detect_partial_read, failed_completion
from .connection import ServerConnection, wait_for
from .rate_limits import Retries, RunLimits, limits_of
from .server_errors import (
    BROKEN,
    IN_ANSWER,
    LOST,
    NO_CONNECTION,
    NOTHING_SPENT,
    TIMEOUT_TRIES,
    RequestError,
    ServerError,
    explanation,
    fewer_tokens,
)
from .token_text import UNMATCHED

DEFAULTS = Options()
UNTOLD = f"{ERROR}: failed, and the result tells no HTTP status"
_TRIFLE = build_messages(
    "", "Which letter comes first in the alphabet, A or B? Answer with A or B."
)


class Endpoint:
    """A model of a server: `complete` asks it. Its limits, `concurrency` requests at a time, `rpm`
    and `tpm` a minute, hold for all endpoints of that model and server in this process together.

    `base_url` is where the server listens, '' the official one. Raises TandemError for an address,
    a key, a provider or a limit that cannot be. What asks a server that the options do not permit
    raises it, too, and nothing is sent.
    """

    def __init__(self, model: str, options: Options = DEFAULTS, *, backoff: float = 0.5) -> None:
        self.connection = ServerConnection(model, options)
        self.model, self.base_url = model, self.connection.base_url
        self.habits = ServerHabits(self.connection.provider, stream=options.stream)
        self.concurrency, self._timeout = options.concurrency, options.timeout
        self._backoff = backoff
        if not options.timeout > 0:
            raise TandemError(
                f"{option_ref('timeout')} is {options.timeout:g}; a request takes more than 0 "
                "seconds"
            )
        if not all(options.stop):
            raise TandemError(f"{option_ref('stop')} is empty: give the words before which to stop")
        self.allowed = RunLimits(options.concurrency, options.rpm, options.tpm)
        self._limits = limits_of(self.base_url, model)
        self._way = WAYS[0]  # in which it draws its replies
        # What tells what a server can is asked as everything later is.
        self.extra_body = json.loads(canonical_body(options.extra_body) or "{}")
        self._trifle_tokens = max(16, options.max_tokens or 0)

    @property
    def address(self) -> str:
        """Return the address by which people know the server."""
        return self.connection.address

    @property
    def note(self) -> str:
        """Describe how requests to the server differ from those meant; '' = they do not."""
        told = "; ".join(dict.fromkeys(self.habits.notes))
        return f"of the server at {self.address}: {told}" if told else ""

    def close(self) -> None:
        """Close all connections; the next request opens others."""
        wait_for(self.connection.close())

    async def complete(
        self, messages: Sequence[Message], *, patient: bool = True, **how: Any
    ) -> Completion:
        """Complete `n` texts, in one request where the server writes several, else in as many as
        needed. `how` are the fields of a `ModelRequest`.

        With `top_logprobs` the probabilities of that many tokens at each position, where the server
        gives them. A `temperature` of None leaves it to the server. With one they are drawn in the
        way that `samples` has found. A text ends before a `stop`. Options of `extra_body` win over
        these, and None takes one away. The server is asked to keep to a `shape` in the way that it
        takes; `Completion.kept_by` says which. Not `patient`: what looks like the wrong address is
        not waited for. Raises TandemError when no request can be answered.
        """
        request, seeds = self._request_of(messages, **how)
        began = self._limits.clock.now()
        one = replace(request, n=1)
        if seeds:
            own = (self._complete_one(replace(one, seed=seed), patient) for seed in seeds)
            found = sum(await asyncio.gather(*own), Completion(()))
        else:
            found = await self._complete_one(request, patient)
            missing = request.n - len(found.choices)
            if missing > 0 and found.choices[0].failure != TOO_LONG:  # it would be so again
                more = (self._complete_one(one, patient) for _ in range(missing))
                found = sum(await asyncio.gather(*more), found)
        if found.seconds is None:
            return found
        elapsed = self._limits.clock.now() - began
        return replace(found, waited=max(0.0, elapsed - found.seconds))

    def bodies(self, messages: Sequence[Message], **how: Any) -> list[dict[str, Any]]:
        """Return the bodies of the requests that `complete` would send for `n` texts, to be put
        into a file: one for all where the server writes several, else one for each. `how` is as
        there.
        """
        request, seeds = self._request_of(messages, **how)
        one = replace(request, n=1)
        requests = [replace(one, seed=seed) for seed in seeds]
        if not seeds:
            requests = [request] if self.habits.several else [one] * request.n
        return [self.habits.body(self.model, each).sent for each in requests]

    def completion(
        self, messages: Sequence[Message], status: int, body: Any, n: int = 1
    ) -> Completion:
        """Read the result of a request for `n` texts that somebody else has sent: HTTP status
        (0 = unknown) and body. They are read as `complete` reads them. An error that every request
        would meet is a failure, too.
        """
        server = self.connection
        try:
            if not status:
                told = body.get("error", body) if isinstance(body, dict) else body
                raise RequestError(UNTOLD, server.redactor.redact_line(explanation(told))[:300])
            found = server.read(body, status).choose(n)
        except RequestError as trouble:
            found = failed_completion(trouble.failure, trouble.detail)
        except TandemError as refusal:
            found = failed_completion(f"{ERROR}: HTTP {status}", str(refusal))
        return replace(found, part_read=detect_partial_read(messages, found.prompt_tokens))

    def _request_of(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = 0.0,
        extra_body: Mapping[str, Any] | None = None,
        **how: Any,
    ) -> tuple[ModelRequest, list[int]]:
        """Return the request, and the seeds of the texts if each is drawn by its own."""
        sampling = self._way.options if temperature else {}
        request = ModelRequest(
            list(messages),
            temperature=temperature,
            extra_body=extra_body or {},
            sampling=sampling,
            **how,
        )
        seeds: list[int] = []
        if request.seed is None and temperature and self._way.seeds:
            prompt = messages[-1]["content"]
            seeds = [draw(prompt, number) % 2**31 for number in range(request.n)]
        return request, seeds

    async def _complete_one(self, request: ModelRequest, patient: bool) -> Completion:
        """Return the answer to one request, tried again as long as that can help.

        A failure is a choice, too.
        """
        alive = self.check_alive if patient else None
        retries, spent = Retries(self.address, self._limits, self._backoff, alive), NOTHING_SPENT
        while True:
            n = request.n if self.habits.several else 1
            try:
                found = await self._request(request)
            except RequestError as trouble:
                spent += replace(trouble.spent, choices=())
                if adapted := self._adapt_to(request, trouble):
                    request = adapted
                elif not await retries.wait_after(trouble):
                    return failed_completion(trouble.failure, trouble.detail) + spent
            else:
                self.habits.several = self.habits.several and len(found.choices) >= n
                return found + spent

    def _adapt_to(self, request: ModelRequest, trouble: RequestError) -> ModelRequest | None:
        """Return the request in another form, if the server rejects it in this one."""
        error, body = trouble.error, trouble.body
        if fewer := fewer_tokens(error, request.max_tokens):
            self.habits.notes.append(
                "some requests are asked for fewer tokens, as it allows no more a minute"
            )
            return replace(request, max_tokens=fewer)
        if error is None or body is None or trouble.failure in (TOO_LONG, REFUSED):
            return None
        self.habits.adapt_to(body, request.extra_body, error)
        return request if self.habits.body(self.model, request).sent != body.sent else None

    async def _request(self, request: ModelRequest) -> Completion:
        """One request, in its turn. Raises RequestError, or TandemError when no other request will
        fare better.
        """
        estimate = sum(len(message["content"]) for message in request.messages) / 4
        contact = self._limits.contact
        async with self._limits.turn(self.allowed, estimate):
            sent_at = self._limits.clock.now()
            try:
                async with asyncio.timeout(self._timeout):
                    found = await self._send(request, self.habits.body(self.model, request))
            except TimeoutError:
                contact.note_loss()
                raise RequestError(TIMED_OUT, tries=TIMEOUT_TRIES) from None
            except RequestError as trouble:
                (contact.note_loss if trouble.failure in LOST else contact.note_reply)()
                raise
            contact.note_reply()
            if found.tokens:
                self._limits.correct(found.tokens - estimate)
            return replace(
                found,
                part_read=detect_partial_read(request.messages, found.prompt_tokens),
                seconds=self._limits.clock.now() - sent_at,
            )

    async def _send(self, request: ModelRequest, body: ChatBody) -> Completion:
        """Send a request once. Raises as `_request` does."""
        try:
            found = await self.connection.send(body.sent)
        except RequestError as trouble:
            trouble.body = body
            raise
        for choice in found.choices:
            if choice.failure == SERVER_ERROR:
                raise RequestError(SERVER_ERROR, choice.detail, spent=found)
            if body.shape and choice.failure == EMPTY and choice.detail == ONLY_THOUGHTS:
                shaped = ServerError(IN_ANSWER, choice.detail, SHAPED_THOUGHTS)
                raise RequestError(EMPTY, choice.detail, 1, 0.0, shaped, body, found)
        return replace(found, kept_by=body.kept_by).choose(request.n)

    def trial(self, top_logprobs: int = 0, temperature: float | None = 0.0) -> CompletionChoice:
        """Return the answer to a trifle, to see that the server answers; with `top_logprobs`
        perhaps only that it will not give them.

        Raises TandemError when it does not answer.
        """
        completion = wait_for(
            self.complete(
                _TRIFLE, patient=False, max_tokens=self._trifle_tokens, temperature=temperature,
                top_logprobs=top_logprobs, extra_body=self.extra_body,
            )
        )  # fmt: skip
        choice = completion.choices[0]
        if top_logprobs and choice.failure == CUT_OFF:
            self.habits.notes.append(
                f"its reply to a trifle ends before any text after {self._trifle_tokens} tokens, "
                f"as of a model that thinks: raise {option_ref('max_tokens')}"
            )
        if choice.detail in UNMATCHED:
            self.habits.notes.append(choice.detail)
        is_silent = choice.failure in (TIMED_OUT, NO_CONNECTION)
        is_error = choice.failure.startswith(ERROR) and not top_logprobs
        if is_silent or is_error or choice.failure == SERVER_ERROR:
            does, way = "does not answer", ": start it, or check its address" * is_silent
            if not is_silent and choice.failure != BROKEN:
                refuses = choice.detail.startswith("HTTP 4")
                does = "refuses" if refuses else "gives no answer that can be used"
            why = choice.detail or choice.failure
            raise TandemError(f"the server at {self.address} {does} ({why}){way}")
        return choice

    def samples(
        self, ways: MutableMapping[str, int] | None = None, *, is_needed: bool = True
    ) -> bool:
        """Return whether the server draws its replies: some of several to an open question must
        differ.

        The first way in which they do is kept for all that is asked later, and in `ways`. A server
        found there is not asked, unless it draws in no way and `is_needed` to. If no two replies
        came, nothing is known against it. Raises TandemError as `complete` does.
        """
        ways = {} if ways is None else ways
        key = f"{self.base_url} {self.model} {json.dumps(self.extra_body, sort_keys=True)}"
        way = ways.get(key)
        if way is None or (way == NO_WAY and is_needed):
            way = wait_for(self._find_way())
            if way is None:
                return True
            ways[key] = way
        self._way = WAYS[max(way, 0)]
        return way != NO_WAY

    async def _find_way(self) -> int | None:
        """Return the number of the first of `WAYS` in which some of several replies to an open
        question differ. NO_WAY where they never do; None where no two replies came.
        """
        for number, temperature in product(range(len(WAYS)), PROBE_TEMPERATURES):
            self._way = WAYS[number]
            completion = await self.complete(
                OPEN_QUESTION, max_tokens=PROBE_TOKENS, temperature=temperature, n=PROBES,
                extra_body=self.extra_body,
            )  # fmt: skip
            texts = [choice.text for choice in completion.choices if not choice.failure]
            if len(set(texts)) > 1:
                return number
            if number == 0 and len(texts) < 2:
                return None
        return NO_WAY

    async def check_alive(self) -> None:
        """Ask a trifle, once. Raises RequestError or TandemError when it is not answered."""
        await self._request(ModelRequest(_TRIFLE, self._trifle_tokens, extra_body=self.extra_body))
