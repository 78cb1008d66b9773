"""A pool of servers of one model, among which questions are spread.

A question goes to the server with the fewest requests in flight. One that dies, breaks, refuses or
is silent while the others answer is left aside for a pause that grows, and its questions go to the
others; before it gets any again it has to answer a health check as the others do. A question at
which every server fails, while each answers a health check, fails alone. Only when none has
answered for a while, the run ends.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Container,
    Coroutine,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ...failures import ERROR, TIMED_OUT
from ...records import TandemError, option_ref, plain_name, render_options
from ..respondent import Options
from .addresses import OFFICIAL
from .chat_request import Message
from .completion import Completion, CompletionChoice
from .concurrent_requests import wait_for
from .contact import SILENCE
from .endpoint import Endpoint
from .question import BUSY, ServedQuestion
from .rate_limits import Clock
from .request_errors import RequestError
from .server_state import (
    ENOUGH,
    FIRST_PAUSE,
    MANY,
    PendingRequest,
    ServerState,
    SilentError,
    choose_least_loaded,
    estimate_patience,
)

FACTS = ("root", "max_model_len", "meta")  # of a model, as vLLM and llama.cpp tell them
NEVER = math.inf

A = TypeVar("A")

_enough: ContextVar[float] = ContextVar("_enough", default=ENOUGH)
"""How many answers of others make what is asked now suspicious while it has none."""


@contextmanager
def _suspicious_from(answers: float) -> Iterator[None]:
    token = _enough.set(answers)
    try:
        yield
    finally:
        _enough.reset(token)


class ServerPool:
    """One model behind several servers, asked as an `Endpoint` is.

    `concurrency` and the other limits are those of each server. The first names the judge. Raises
    TandemError for an invalid address, and for one given twice.
    """

    def __init__(self, model: str, options: Options, *, clock: Clock | None = None) -> None:
        urls = [options.base_url, *options.more_urls]
        each = [replace(options, base_url=url, more_urls=()) for url in urls]
        self.servers = [ServerState(Endpoint(model, one)) for one in each]
        for server in self.servers:
            server.endpoint.watch = partial(self._watch, server)
        first = self.servers[0].endpoint
        self.model, self.base_url = model, first.base_url
        urls = [server.endpoint.base_url or OFFICIAL for server in self.servers]
        if twice := [url for url in urls if urls.count(url) > 1]:
            raise TandemError(
                f"{option_ref('base_url')} {twice[0]!r} is there twice: leave one out"
            )
        self.concurrency = first.concurrency * len(self.servers)
        self._alarm = ""  # what the servers say differently of the model
        self._clock = clock or Clock()
        self._freed = asyncio.Event()
        self._expected: tuple[int, float | None, bool] = 0, 0.0, False
        self._draws: bool | None = None

    @property
    def primary(self) -> Endpoint:
        """The server that names the model."""
        return self.servers[0].endpoint

    @property
    def address(self) -> str:
        """Return the name of the servers for people: the address of the first, and how many
        more.
        """
        return f"{self.servers[0].address} and {len(self.servers) - 1} more"

    @property
    def note(self) -> str:
        """Describe how the servers differ about the model, and how each is asked otherwise than
        was meant.
        """
        return "; ".join(filter(None, [self._alarm, *(one.endpoint.note for one in self.servers)]))

    def close(self) -> None:
        """Close all connections; the next request opens others."""
        for server in self.servers:
            server.endpoint.close()

    @property
    def trouble(self) -> str:
        """Describe how many servers answer, and which do not; '' = all do."""
        away = [
            f"{server.address} is {'away' if server.is_away else 'busy'} "
            f"({render_options(server.why, plain_name)})"
            for server in self.servers
            if server.is_away or server.troubles >= MANY
        ]
        there = len(self.servers) - len(away)
        return f"{there} of {len(self.servers)} servers answer; {', '.join(away)}" if away else ""

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """Return what one of the servers writes; see `Endpoint.complete`. Raises TandemError
        when none answers.
        """
        question = ServedQuestion(self._n_answered)
        while True:
            async with self._reserve_server(but=question.tried_servers) as server:
                completion = await self._ask(server, question, messages, options)
            completion = completion or await self._settle(question)
            if completion:
                return completion
            self._end_if_dead()

    async def _ask(
        self,
        server: ServerState,
        question: ServedQuestion,
        messages: Sequence[Message],
        options: Mapping[str, Any],
    ) -> Completion | None:
        """Return what a server writes; None if the question is to be asked again, elsewhere if
        possible.
        """
        before, troubles, back = server.answered, server.troubles, not server.is_away
        question.trouble = None
        try:
            if not back:
                await self._check_health(server)
                back, troubles = True, server.troubles
            completion = await server.endpoint.complete(messages, **options)
        except SilentError as silence:
            self._note_trouble(server, silence, slow=back)
            _enough.set(NEVER)  # it is not given up twice
            return None
        except RequestError as trouble:
            if back:
                question.record_failure(server, trouble)
            if trouble.failure != TIMED_OUT or server.answered == before:
                self._note_trouble(server, trouble)  # else the question takes long, not the server
            return None
        except TandemError as refusal:
            self._note_refusal(server, refusal)
            return None
        if _is_refused(completion):
            question.refused[server] = completion
            if self._may_others(question.refused):
                return None
        else:
            self._blame(question.refused)
        server.note_answer(completion.seconds, troubles)
        return completion

    async def _settle(self, question: ServedQuestion) -> Completion | None:
        """Return the failure of a question at which all servers break that are there, though they
        answer a health check: it is to blame, and what was held against them is taken back. None =
        ask again.
        """
        if not question.trouble:
            return None
        failure = question.given_up
        if not failure and any(
            not one.is_away and one not in question.tried_servers for one in self.servers
        ):
            return None
        to_blame = await self._acquit(question.failed)
        question.failed.clear()
        if failure and (to_blame or self._n_answered > question.since):
            return failure
        if to_blame:
            await self._pause(FIRST_PAUSE * 2**question.rounds)
            question.rounds += 1
        return None

    async def _acquit(self, failed: Collection[ServerState]) -> bool:
        """Return whether one of the servers that broke at a question answers a health check.
        Each that does goes on as if nothing had been.
        """

        async def is_well(server: ServerState) -> bool:
            with suppress(RequestError, TandemError):
                await self._check_health(server)
                return True
            return False

        return any(await asyncio.gather(*map(is_well, failed)))

    def _may_others(self, refused: Mapping[ServerState, Completion]) -> bool:
        """Return whether a server is there that has not refused this question."""
        return any(not one.is_away and one not in refused for one in self.servers)

    def _blame(self, refused: Mapping[ServerState, Completion]) -> None:
        """A question that another server answers was not to blame where it was refused."""
        for server, completion in refused.items():
            detail = completion.choices[0].detail or completion.choices[0].failure
            server.note_failure(detail, self._clock.now())

    def trial(self, top_logprobs: int = 0, temperature: float | None = 0.0) -> CompletionChoice:
        """Return the answer to a health check, which all servers are asked; see `Endpoint.trial`.

        One that does not answer is left aside.

        Raises TandemError when none does, and when some give probabilities and others do not.
        """
        choices = wait_for(self._ask_each(lambda one: one.check_health(top_logprobs, temperature)))
        if top_logprobs and len({bool(choice.failure) for choice in choices.values()}) == 2:
            # Does it refuse so many probabilities, or everything? Then it is left aside.
            wait_for(self._ask_each(lambda one: one.check_health(temperature=temperature)))
            choices = {server: choice for server, choice in choices.items() if server.is_healthy}
        self._alarm = self._alarm or wait_for(self._compare_model_cards())
        for choice in choices.values():
            if choice.failure and top_logprobs:
                return choice  # not so many: fewer are asked for next
        gives = {
            server: bool(choice.positions) and not choice.failure
            for server, choice in choices.items()
        }
        if top_logprobs:
            _check_alike(gives, "give probabilities", "give none")
        self._expected = top_logprobs, temperature, any(gives.values())
        return next(iter(choices.values()))

    def samples(
        self, ways: MutableMapping[str, int] | None = None, *, is_needed: bool = True
    ) -> bool:
        """Return whether the servers draw their replies; see `Endpoint.samples`. Raises
        TandemError when some do and others do not.
        """
        ways = {} if ways is None else ways
        draws = wait_for(self._ask_each(lambda one: one.draws(ways, is_needed=is_needed)))
        _check_alike(draws, "draw their replies", "give the same reply each time")
        self._draws = all(draws.values())
        return self._draws

    async def _ask_each(
        self, ask: Callable[[Endpoint], Coroutine[Any, Any, A]]
    ) -> dict[ServerState, A]:
        """Return the answer of each server. A silent server is left aside, and has to prove
        itself when it comes back. Raises TandemError when none says anything.
        """

        async def ask_in_time(endpoint: Endpoint) -> A:
            with _suspicious_from(0):
                return await ask(endpoint)

        asked = [server for server in self.servers if server.is_healthy]
        each = (ask_in_time(one.endpoint) for one in asked)
        said = await asyncio.gather(*each, return_exceptions=True)
        answers: dict[ServerState, A] = {}
        for server, answer in zip(asked, said, strict=True):
            if isinstance(answer, RequestError):
                self._note_trouble(server, answer)
            elif isinstance(answer, TandemError):
                self._note_refusal(server, answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                answers[server] = answer
            server.is_healthy = server in answers
        if not answers:
            raise TandemError(f"none of the {len(self.servers)} servers answers ({self._reasons})")
        return answers

    async def _check_health(self, server: ServerState) -> None:
        """Check that a server that was away is back: it answers a health check as the others
        did. Raises RequestError or TandemError when it does not, or not as soon as expected. In
        the latter case the check is still waited for, as the server may be loading the model,
        but not by a question.
        """
        if server.health_check is None:
            server.health_check = asyncio.create_task(self._run_health_check(server))
            server.health_check.add_done_callback(_drop_result)
        proof = server.health_check
        expected = estimate_patience(self.servers)
        await asyncio.wait({proof}, timeout=expected)
        if not proof.done():
            raise SilentError(expected or 0.0, 0)
        if server.health_check is proof:
            server.health_check = None
        proof.result()

    async def _run_health_check(self, server: ServerState) -> None:
        _enough.set(NEVER)
        top, temperature, gives = self._expected
        choice = await server.endpoint.check_health(top, temperature)
        other = ""
        if (bool(choice.positions) and not choice.failure) != gives:
            other = "it gives no probabilities" if gives else "it gives probabilities"
        elif (
            not server.is_healthy
            and self._draws is not None
            and await server.endpoint.draws({}) != self._draws
        ):
            other = "its replies are all alike" if self._draws else "it draws its replies"
        if other:
            server.leave_out(f"{other}, unlike the others", self._clock.now())
            raise TandemError(f"the server at {server.address} is left out: {server.why}")
        server.come_back()
        self._freed.set()

    @asynccontextmanager
    async def _watch(self, server: ServerState) -> AsyncIterator[None]:
        """A request to a server, which is given up when others answer many meanwhile and it takes
        far longer than the slowest of these. Raises SilentError then.
        """
        now = asyncio.get_running_loop().time
        sent, pending = now(), PendingRequest(now(), _enough.get(), server.grace)
        server.pending.add(pending)
        try:
            async with pending.deadline:
                pending.put_off(estimate_patience(self.servers))
                yield
        except TimeoutError:
            if pending.deadline.expired():
                raise SilentError(now() - pending.since, pending.missed) from None
            raise
        finally:
            server.pending.discard(pending)
        server.latest.append(now() - sent)
        expected = estimate_patience(self.servers)
        for other in self.servers:
            for waiting in other.pending:
                waiting.record_answer(own=other is server, now=now())
                waiting.put_off(expected)

    @asynccontextmanager
    async def _reserve_server(self, but: Container[ServerState] = ()) -> AsyncIterator[ServerState]:
        """A server with room for one more request, once there is one; `but` not these, unless there
        is no other.
        """
        others = [server for server in self.servers if server not in but]
        while (server := choose_least_loaded(others or self.servers, self._clock.now())) is None:
            self._freed.clear()
            await self._wait_for_server()
        server.flight += 1
        try:
            yield server
        finally:
            server.flight -= 1
            self._freed.set()

    async def _wait_for_server(self) -> None:
        """Until a request has ended, or one that was left aside may be asked again."""
        now = self._clock.now()
        back = min((one.until for one in self.servers if one.until > now), default=math.inf)
        freed = asyncio.create_task(self._freed.wait())
        waiting: set[asyncio.Task[Any]] = {freed}
        if back < math.inf:
            waiting.add(asyncio.create_task(self._pause(back - now)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    async def _pause(self, seconds: float) -> None:
        await self._clock.sleep(seconds)

    @property
    def _n_answered(self) -> int:
        return sum(server.answered for server in self.servers)

    @property
    def _reasons(self) -> str:
        return "; ".join(f"{server.address}: {server.why}" for server in self.servers)

    def _note_trouble(
        self, server: ServerState, trouble: RequestError, *, slow: bool = False
    ) -> None:
        server.note_failure(
            trouble.detail or trouble.failure,
            self._clock.now(),
            wait=trouble.wait,
            busy=trouble.status == BUSY,
            slow=slow,
        )

    def _note_refusal(self, server: ServerState, refusal: TandemError) -> None:
        """A server that will answer nobody, as for a wrong key. Raises the refusal when all do."""
        if server.until < math.inf:
            server.note_failure(refusal.sentence, self._clock.now())
            server.refuses = True
        if all(one.refuses for one in self.servers):
            raise refusal

    def _end_if_dead(self) -> None:
        """Check that a server has answered within SILENCE plus the longest wait one asked for.

        Raises TandemError otherwise.
        """
        now = self._clock.now()
        since = [one.silent_since for one in self.servers if one.silent_since is not None]
        patience = SILENCE + max(one.wait for one in self.servers)
        if len(since) == len(self.servers) and now - max(since) >= patience:
            raise TandemError(
                f"none of the {len(self.servers)} servers answers: nothing for {patience:.0f} "
                f"seconds ({self._reasons})"
            )

    async def _compare_model_cards(self) -> str:
        """Describe how the servers differ about the model: perhaps it is not the same."""
        there = [server for server in self.servers if server.is_healthy]
        cards = await asyncio.gather(*(one.endpoint.chat.model_card() for one in there))
        told = []
        for fact in FACTS:
            values = {
                server.address: card[fact]
                for server, card in zip(there, cards, strict=True)
                if card.get(fact) is not None
            }
            if len({str(value) for value in values.values()}) > 1:
                told.append(", ".join(f"{value} at {name}" for name, value in values.items()))
        if not told:
            return ""
        differences = self.primary.chat.redactor.redact_line("; ".join(told))
        return f"the servers may not serve the same {self.model}: {differences}"[:300]


def _drop_result(health_check: asyncio.Task[None]) -> None:
    """Read the result of a health check that nobody waits for, so that asyncio is quiet."""
    if not health_check.cancelled():
        health_check.exception()


def _is_refused(completion: Completion) -> bool:
    """Return whether a server found the question itself wrong, as with HTTP 400."""
    return all(choice.failure.startswith(ERROR) for choice in completion.choices)


def _check_alike(says: dict[ServerState, bool], yes: str, no: str) -> None:
    """Check that all servers say the same. Raises TandemError with their addresses otherwise."""
    if len(set(says.values())) == 2:
        doing, lacking = (
            ", ".join(server.address for server, value in says.items() if value is wanted)
            for wanted in (True, False)
        )
        raise TandemError(
            f"the servers are not alike: {doing} {yes} and {lacking} {no}; ask only those of one "
            "kind together"
        )


def make_endpoint(model: str, options: Options, *, backoff: float = 0.5) -> Endpoint | ServerPool:
    """Return a model behind one server or several."""
    if options.more_urls:
        return ServerPool(model, options)
    return Endpoint(model, options, backoff=backoff)
