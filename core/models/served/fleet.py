"""A fleet: one model behind several servers, among which the questions are spread.

A question goes to the server with the fewest requests in flight. One that dies, breaks, refuses or
is silent while the others answer is left aside for a pause that grows, and its questions go to the
others; before it gets any again it has to answer a trifle as the others do. A question at which
every server fails, while each answers a trifle, fails alone. Only when none has answered for a
while, the run ends.
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
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from core.failures import ERROR, TIMED_OUT
from core.models.respondent import Options
from core.models.served.addresses import OFFICIAL
from core.models.served.chat_request import Message
from core.models.served.completion import Completion, CompletionChoice
from core.models.served.concurrent_requests import wait_for
from core.models.served.contact import SILENCE
from core.models.served.endpoint import Endpoint
from core.models.served.members import (
    ENOUGH,
    FIRST_PAUSE,
    MANY,
    FleetServer,
    Pending,
    least_loaded,
    patience,
)
from core.models.served.question import BUSY, ServedQuestion
from core.models.served.rate_limits import Clock
from core.models.served.trouble import TroubleError
from core.records import TandemError, plainly, setting, spoken

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


class SilentError(TroubleError):
    """A server gives no answer while the others do; perhaps it would have, later."""

    def __init__(self, seconds: float, missed: int) -> None:
        others = f", in which others answered {missed:,}" if missed else ""
        super().__init__(TIMED_OUT, f"silent for {seconds:.0f} seconds{others}")


class Fleet:
    """One model behind several servers; asked as an `Endpoint` is, `concurrency` and the other
    limits being those of each server. The first names the judge.

    Raises TandemError for an address that is none, or there twice.
    """

    def __init__(self, model: str, options: Options, *, clock: Clock | None = None) -> None:
        urls = [options.base_url, *options.more_urls]
        each = [replace(options, base_url=url, more_urls=()) for url in urls]
        self.members = [FleetServer(Endpoint(model, one)) for one in each]
        for member in self.members:
            member.endpoint.watch = partial(self._watched, member)
        first = self.members[0].endpoint
        self.model, self.base_url = model, first.base_url
        urls = [member.endpoint.base_url or OFFICIAL for member in self.members]
        if twice := [url for url in urls if urls.count(url) > 1]:
            raise TandemError(f"{setting('base_url')} {twice[0]!r} is there twice: leave one out")
        self.concurrency = first.concurrency * len(self.members)
        self._unlike = ""  # what the servers say differently of the model
        self._clock = clock or Clock()
        self._freed = asyncio.Event()
        self._trifle: tuple[int, float | None, bool] = 0, 0.0, False
        self._draws: bool | None = None

    @property
    def first(self) -> Endpoint:
        """The server that names the model."""
        return self.members[0].endpoint

    @property
    def address(self) -> str:
        """How people call the servers."""
        return f"{self.members[0].address} and {len(self.members) - 1} more"

    @property
    def note(self) -> str:
        """What the servers say differently of the model, and how each is asked otherwise than was
        meant.
        """
        return "; ".join(filter(None, [self._unlike, *(one.endpoint.note for one in self.members)]))

    def close(self) -> None:
        """Close all connections; the next request opens others."""
        for member in self.members:
            member.endpoint.close()

    @property
    def trouble(self) -> str:
        """How many servers answer, and who does not; '' = all do."""
        away = [
            f"{member.address} is {'away' if member.away else 'busy'} "
            f"({spoken(member.why, plainly)})"
            for member in self.members
            if member.away or member.troubles >= MANY
        ]
        there = len(self.members) - len(away)
        return f"{there} of {len(self.members)} servers answer; {', '.join(away)}" if away else ""

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """What one of the servers writes; see `Endpoint.complete`. Raises TandemError when none
        answers.
        """
        question = ServedQuestion(self._answered)
        while True:
            async with self._turn(but=question.tried) as member:
                completion = await self._asked(member, question, messages, options)
            completion = completion or await self._settled(question)
            if completion:
                return completion
            self._end_if_dead()

    async def _asked(
        self,
        member: FleetServer,
        question: ServedQuestion,
        messages: Sequence[Message],
        options: Mapping[str, Any],
    ) -> Completion | None:
        """What a server writes; None where it is to be asked again, elsewhere if that can be."""
        before, troubles, back = member.answered, member.troubles, not member.away
        question.trouble = None
        try:
            if not back:
                await self._prove(member)
                back, troubles = True, member.troubles
            completion = await member.endpoint.complete(messages, **options)
        except SilentError as silence:
            self._note_trouble(member, silence, slow=back)
            _enough.set(NEVER)  # it is not given up twice
            return None
        except TroubleError as trouble:
            if back:
                question.fails(member, trouble)
            if trouble.failure != TIMED_OUT or member.answered == before:
                self._note_trouble(member, trouble)  # else the question takes long, not the server
            return None
        except TandemError as refusal:
            self._refused(member, refusal)
            return None
        if _is_refused(completion):
            question.refused[member] = completion
            if self._may_others(question.refused):
                return None
        else:
            self._blame(question.refused)
        member.answers(completion.seconds, troubles)
        return completion

    async def _settled(self, question: ServedQuestion) -> Completion | None:
        """The failure of a question at which all servers break that are there, though they answer a
        trifle: it is to blame, and what was held against them is taken back. None = ask again.
        """
        if not question.trouble:
            return None
        failure = question.given_up
        if not failure and any(not one.away and one not in question.tried for one in self.members):
            return None
        to_blame = await self._acquit(question.failed)
        question.failed.clear()
        if failure and (to_blame or self._answered > question.since):
            return failure
        if to_blame:
            await self._pause(FIRST_PAUSE * 2**question.rounds)
            question.rounds += 1
        return None

    async def _acquit(self, failed: Collection[FleetServer]) -> bool:
        """Whether one of the servers that broke at a question answers a trifle; each that does goes
        on as if nothing had been.
        """

        async def is_well(member: FleetServer) -> bool:
            with suppress(TroubleError, TandemError):
                await self._prove(member)
                return True
            return False

        return any(await asyncio.gather(*map(is_well, failed)))

    def _may_others(self, refused: Mapping[FleetServer, Completion]) -> bool:
        """Whether a server is there that has not refused this question."""
        return any(not one.away and one not in refused for one in self.members)

    def _blame(self, refused: Mapping[FleetServer, Completion]) -> None:
        """A question that another server answers was not to blame where it was refused."""
        for member, completion in refused.items():
            detail = completion.choices[0].detail or completion.choices[0].failure
            member.fails(detail, self._clock.now())

    def trial(self, top_logprobs: int = 0, temperature: float | None = 0.0) -> CompletionChoice:
        """The answer to a trifle, which all servers are asked; see `Endpoint.trial`. One that does
        not answer is left aside.

        Raises TandemError when none does, and when some give probabilities and others do not.
        """
        choices = wait_for(self._each(lambda one: one.tried(top_logprobs, temperature)))
        if top_logprobs and len({bool(choice.failure) for choice in choices.values()}) == 2:
            # Does it refuse so many probabilities, or everything? Then it is left aside.
            wait_for(self._each(lambda one: one.tried(temperature=temperature)))
            choices = {member: choice for member, choice in choices.items() if member.proven}
        self._unlike = self._unlike or wait_for(self._differences())
        for choice in choices.values():
            if choice.failure and top_logprobs:
                return choice  # not so many: fewer are asked for next
        gives = {
            member: bool(choice.positions) and not choice.failure
            for member, choice in choices.items()
        }
        if top_logprobs:
            _agree(gives, "give probabilities", "give none")
        self._trifle = top_logprobs, temperature, any(gives.values())
        return next(iter(choices.values()))

    def samples(self) -> bool:
        """Whether the servers draw their replies; see `Endpoint.samples`. Raises TandemError when
        some do and others do not.
        """
        draws = wait_for(self._each(lambda one: one.draws()))
        _agree(draws, "draw their replies", "give the same reply each time")
        self._draws = all(draws.values())
        return self._draws

    async def _each(
        self, ask: Callable[[Endpoint], Coroutine[Any, Any, A]]
    ) -> dict[FleetServer, A]:
        """What each server says. One that says nothing is left aside, and has to prove itself when
        it comes back. Raises TandemError when none says anything.
        """

        async def timely(endpoint: Endpoint) -> A:
            with _suspicious_from(0):
                return await ask(endpoint)

        asked = [member for member in self.members if member.proven]
        each = (timely(one.endpoint) for one in asked)
        said = await asyncio.gather(*each, return_exceptions=True)
        answers: dict[FleetServer, A] = {}
        for member, answer in zip(asked, said, strict=True):
            if isinstance(answer, TroubleError):
                self._note_trouble(member, answer)
            elif isinstance(answer, TandemError):
                self._refused(member, answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                answers[member] = answer
            member.proven = member in answers
        if not answers:
            raise TandemError(f"none of the {len(self.members)} servers answers ({self._reasons})")
        return answers

    async def _prove(self, member: FleetServer) -> None:
        """Whether one that was away is back: it answers a trifle as the others did. Raises
        TroubleError or TandemError when it does not, or not as soon as may be expected: then it is
        still waited for, as it may be loading the model, but not by a question.
        """
        if member.proof is None:
            member.proof = asyncio.create_task(self._proof(member))
            member.proof.add_done_callback(_hear_out)
        proof = member.proof
        expected = patience(self.members)
        await asyncio.wait({proof}, timeout=expected)
        if not proof.done():
            raise SilentError(expected or 0.0, 0)
        if member.proof is proof:
            member.proof = None
        proof.result()

    async def _proof(self, member: FleetServer) -> None:
        _enough.set(NEVER)
        top, temperature, gives = self._trifle
        choice = await member.endpoint.tried(top, temperature)
        other = ""
        if (bool(choice.positions) and not choice.failure) != gives:
            other = "it gives no probabilities" if gives else "it gives probabilities"
        elif (
            not member.proven
            and self._draws is not None
            and await member.endpoint.draws() != self._draws
        ):
            other = "its replies are all alike" if self._draws else "it draws its replies"
        if other:
            member.leave_out(f"{other}, unlike the others", self._clock.now())
            raise TandemError(f"the server at {member.address} is left out: {member.why}")
        member.come_back()
        self._freed.set()

    @asynccontextmanager
    async def _watched(self, member: FleetServer) -> AsyncIterator[None]:
        """A request to a server, which is given up when others answer many meanwhile and it takes
        far longer than the slowest of these. Raises SilentError then.
        """
        now = asyncio.get_running_loop().time
        sent, pending = now(), Pending(now(), _enough.get(), member.grace)
        member.pending.add(pending)
        try:
            async with pending.deadline:
                pending.put_off(patience(self.members))
                yield
        except TimeoutError:
            if pending.deadline.expired():
                raise SilentError(now() - pending.since, pending.missed) from None
            raise
        finally:
            member.pending.discard(pending)
        member.latest.append(now() - sent)
        expected = patience(self.members)
        for other in self.members:
            for waiting in other.pending:
                waiting.hear(own=other is member, now=now())
                waiting.put_off(expected)

    @asynccontextmanager
    async def _turn(self, but: Container[FleetServer] = ()) -> AsyncIterator[FleetServer]:
        """A server with room for one more request, once there is one; `but` not these, unless there
        is no other.
        """
        others = [member for member in self.members if member not in but]
        while (member := least_loaded(others or self.members, self._clock.now())) is None:
            self._freed.clear()
            await self._some_time()
        member.flight += 1
        try:
            yield member
        finally:
            member.flight -= 1
            self._freed.set()

    async def _some_time(self) -> None:
        """Until a request has ended, or one that was left aside may be asked again."""
        now = self._clock.now()
        back = min((one.until for one in self.members if one.until > now), default=math.inf)
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
    def _answered(self) -> int:
        return sum(member.answered for member in self.members)

    @property
    def _reasons(self) -> str:
        return "; ".join(f"{member.address}: {member.why}" for member in self.members)

    def _note_trouble(
        self, member: FleetServer, trouble: TroubleError, *, slow: bool = False
    ) -> None:
        member.fails(
            trouble.detail or trouble.failure,
            self._clock.now(),
            wait=trouble.wait,
            busy=trouble.status == BUSY,
            slow=slow,
        )

    def _refused(self, member: FleetServer, refusal: TandemError) -> None:
        """A server that will answer nobody, as for a wrong key. Raises the refusal when all do."""
        if member.until < math.inf:
            member.fails(refusal.sentence, self._clock.now())
            member.refuses = True
        if all(one.refuses for one in self.members):
            raise refusal

    def _end_if_dead(self) -> None:
        """Raises TandemError when no server has answered for SILENCE, and for as long as one has
        asked to wait.
        """
        now = self._clock.now()
        since = [one.silent_since for one in self.members if one.silent_since is not None]
        patience = SILENCE + max(one.wait for one in self.members)
        if len(since) == len(self.members) and now - max(since) >= patience:
            raise TandemError(
                f"none of the {len(self.members)} servers answers: nothing for {patience:.0f} "
                f"seconds ({self._reasons})"
            )

    async def _differences(self) -> str:
        """What the servers say differently about the model: perhaps it is not the same."""
        there = [member for member in self.members if member.proven]
        cards = await asyncio.gather(*(one.endpoint.chat.model_card() for one in there))
        told = []
        for fact in FACTS:
            values = {
                member.address: card[fact]
                for member, card in zip(there, cards, strict=True)
                if card.get(fact) is not None
            }
            if len({str(value) for value in values.values()}) > 1:
                told.append(", ".join(f"{value} at {name}" for name, value in values.items()))
        if not told:
            return ""
        differences = self.first.chat.redactor.redact_line("; ".join(told))
        return f"the servers may not serve the same {self.model}: {differences}"[:300]


def _hear_out(proof: asyncio.Task[None]) -> None:
    """What came of a proof that nobody waits for any more is no news."""
    if not proof.cancelled():
        proof.exception()


def _is_refused(completion: Completion) -> bool:
    """Whether a server found the question itself wrong, as with HTTP 400."""
    return all(choice.failure.startswith(ERROR) for choice in completion.choices)


def _agree(says: dict[FleetServer, bool], yes: str, no: str) -> None:
    """Raises TandemError when some servers do what others do not."""
    if len(set(says.values())) == 2:
        doing, lacking = (
            ", ".join(member.address for member, value in says.items() if value is wanted)
            for wanted in (True, False)
        )
        raise TandemError(
            f"the servers are not alike: {doing} {yes} and {lacking} {no}; ask only those of one "
            "kind together"
        )


def served(model: str, options: Options, *, backoff: float = 0.5) -> Endpoint | Fleet:
    """A model behind one server or several."""
    return Fleet(model, options) if options.more_urls else Endpoint(model, options, backoff=backoff)
