"""A fleet: one model behind several servers, among which the questions are spread.

A question goes to the server with the fewest requests in flight. One that dies, breaks or refuses
is left aside for a pause that grows, and its questions go to the others; before it gets any again
it has to answer a trifle as the others do. Only when none has answered for a while, the run ends.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Container, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from core.failures import ERROR, TIMED_OUT
from core.models.respondent import Options
from core.models.served.concurrent_requests import wait_for
from core.models.served.contact import SILENCE
from core.models.served.endpoint import (
    OFFICIAL,
    Choice,
    Completion,
    Endpoint,
    Message,
    TroubleError,
)
from core.models.served.rate_limits import Clock
from core.records import TandemError, setting

FIRST_PAUSE = 1.0  # seconds; twice as long after each further trouble in a row
LONGEST_PAUSE = 60.0
MEMORY = 0.2  # of the latest answer in the mean of how long a server takes
MANY = 4  # troubles in a row from which one that is only busy is told
FACTS = ("root", "max_model_len", "meta")  # of a model, as vLLM and llama.cpp tell them

A = TypeVar("A")


@dataclass(eq=False)
class Member:
    """One server of a fleet, and how it has fared: requests in `flight`, `answered` so far, the
    `seconds` that an answer takes of late, `troubles` in a row, the last of them in words, since
    when (`failing_since`) and `until` when it is left aside for them.

    `silent_since`: since when nothing came of what it was asked, be it only busy; `wait` the
    longest it has asked for meanwhile.

    `refuses`: that was for a reason which all questions will meet, such as a wrong key; `proven`:
    it has answered a trifle as the others have.
    """

    endpoint: Endpoint
    flight: int = 0
    answered: int = 0
    seconds: float = 0.0
    troubles: int = 0
    why: str = ""
    failing_since: float | None = None
    silent_since: float | None = None
    wait: float = 0.0
    until: float = -math.inf
    refuses: bool = False
    proven: bool = True

    @property
    def address(self) -> str:
        return self.endpoint.address

    @property
    def away(self) -> bool:
        """Whether its last request was lost, and no other has been answered since."""
        return self.failing_since is not None

    def has_room(self, now: float) -> bool:
        """Whether it may be asked; one that comes back is asked by one request at first."""
        return self.until <= now and self.flight < (1 if self.away else self.endpoint.concurrency)

    def answers(self, seconds: float | None, troubles: int) -> None:
        """It has answered, after so many seconds, what it was asked after so many `troubles`: when
        there were more since, this may be the last that it could say.
        """
        self.answered += 1
        self.silent_since, self.wait = None, 0.0
        if troubles == self.troubles:
            self.troubles, self.why, self.failing_since, self.refuses = 0, "", None, False
        if seconds is not None:
            self.seconds += (seconds - self.seconds) * (MEMORY if self.seconds else 1.0)

    def fails(self, why: str, now: float, *, wait: float = 0.0, busy: bool = False) -> None:
        """It did not answer. What was in flight with the first that is lost counts as one trouble;
        one that is only `busy` is not away.
        """
        self.why, self.wait = why, max(self.wait, wait)
        if self.silent_since is None:
            self.silent_since = now
        if not busy and self.failing_since is None:
            self.failing_since = now
        if now >= self.until:
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**self.troubles)
            self.until, self.troubles = now + max(pause, wait), min(self.troubles + 1, 10)
        self.until = max(self.until, now + wait)

    def leave_out(self, why: str, now: float) -> None:
        """It is another model: it is asked nothing more."""
        self.why, self.failing_since, self.until, self.refuses = why, now, math.inf, True
        self.silent_since = now


def least_loaded(members: Sequence[Member], now: float) -> Member | None:
    """The one that is asked next: of those with room one with the fewest requests in flight; of
    several the one that takes least time, then the one that has answered least.
    """
    able = [member for member in members if member.has_room(now)]
    return min(able, key=lambda one: (one.flight, one.seconds, one.answered), default=None)


class Fleet:
    """One model behind several servers; asked as an `Endpoint` is, `concurrency` and the other
    limits being those of each server. The first names the judge.

    Raises TandemError for an address that is none, or there twice.
    """

    def __init__(self, model: str, options: Options, *, clock: Clock | None = None) -> None:
        urls = [options.base_url, *options.more_urls]
        each = [replace(options, base_url=url, more_urls=()) for url in urls]
        self.members = [Member(Endpoint(model, one, yields=True)) for one in each]
        first = self.members[0].endpoint
        self.model, self.base_url = model, first.base_url
        urls = [member.endpoint.base_url or OFFICIAL for member in self.members]
        if twice := [url for url in urls if urls.count(url) > 1]:
            raise TandemError(f"{setting('base_url')} {twice[0]!r} is there twice: leave one out")
        self.concurrency = first.concurrency * len(self.members)
        self.note = ""
        self._clock = clock or Clock()
        self._freed = asyncio.Event()
        self._trifle: tuple[int, float, bool] = 0, 0.0, False
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
    def trouble(self) -> str:
        """How many servers answer, and who does not; '' = all do."""
        away = [
            f"{member.address} is {'away' if member.away else 'busy'} ({member.why})"
            for member in self.members
            if member.away or member.troubles >= MANY
        ]
        there = len(self.members) - len(away)
        return f"{there} of {len(self.members)} servers answer; {', '.join(away)}" if away else ""

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """What one of the servers writes; see `Endpoint.complete`. Raises TandemError when none
        answers.
        """
        met, since = Counter[str](), self._answered
        refused: dict[Member, Completion] = {}  # what some say is wrong with the question
        while True:
            async with self._turn(but=refused) as member:
                before, troubles = member.answered, member.troubles
                try:
                    if member.away:
                        await self._prove(member)
                        troubles = member.troubles
                    completion = await member.endpoint.complete(messages, **options)
                except TroubleError as trouble:
                    met[trouble.failure] += 1
                    alive = member.answered > before
                    self._note_trouble(member, trouble, slow=trouble.failure == TIMED_OUT and alive)
                    if met[trouble.failure] >= trouble.tries and self._answered > since:
                        return Completion((Choice(failure=trouble.failure, detail=trouble.detail),))
                except TandemError as refusal:
                    self._refused(member, refusal)
                else:
                    if _is_refused(completion):
                        refused[member] = completion
                        if self._may_others(refused):
                            continue
                    else:
                        self._blame(refused)
                    member.answers(completion.seconds, troubles)
                    return completion
                self._end_if_dead()

    def _may_others(self, refused: Mapping[Member, Completion]) -> bool:
        """Whether a server is there that has not refused this question."""
        return any(not one.away and one not in refused for one in self.members)

    def _blame(self, refused: Mapping[Member, Completion]) -> None:
        """A question that another server answers was not to blame where it was refused."""
        for member, completion in refused.items():
            detail = completion.choices[0].detail or completion.choices[0].failure
            member.fails(detail, self._clock.now())

    def trial(self, top_logprobs: int = 0, temperature: float = 0.0) -> Choice:
        """The answer to a trifle, which all servers are asked; see `Endpoint.trial`. One that does
        not answer is left aside.

        Raises TandemError when none does, and when some give probabilities and others do not.
        """
        choices = wait_for(self._each(lambda one: one.tried(top_logprobs, temperature)))
        self.note = self.note or wait_for(self._differences())
        for choice in choices.values():
            if choice.failure and top_logprobs:
                return choice  # not so many: fewer are asked for next
        gives = {member: bool(choice.positions) for member, choice in choices.items()}
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

    async def _each(self, ask: Callable[[Endpoint], Coroutine[Any, Any, A]]) -> dict[Member, A]:
        """What each server says. One that says nothing is left aside, and has to prove itself when
        it comes back. Raises TandemError when none says anything.
        """
        asked = [member for member in self.members if member.proven]
        said = await asyncio.gather(*(ask(one.endpoint) for one in asked), return_exceptions=True)
        answers: dict[Member, A] = {}
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

    async def _prove(self, member: Member) -> None:
        """Whether one that was away is back: it answers a trifle as the others did. Raises
        TroubleError or TandemError when it does not.
        """
        top, temperature, gives = self._trifle
        choice = await member.endpoint.tried(top, temperature)
        other = ""
        if bool(choice.positions) != gives:
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
        member.proven = True
        member.answers(None, member.troubles)

    @asynccontextmanager
    async def _turn(self, but: Container[Member] = ()) -> AsyncIterator[Member]:
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

    def _note_trouble(self, member: Member, trouble: TroubleError, *, slow: bool = False) -> None:
        """A server that answers others meanwhile is not to blame for a `slow` question."""
        if not slow:
            why = trouble.detail or trouble.failure
            busy = trouble.status == 429
            member.fails(why, self._clock.now(), wait=trouble.wait, busy=busy)

    def _refused(self, member: Member, refusal: TandemError) -> None:
        """A server that will answer nobody, as for a wrong key. Raises the refusal when all do."""
        if member.until < math.inf:
            member.fails(str(refusal), self._clock.now())
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
        cards = await asyncio.gather(*(one.endpoint.model_card() for one in self.members))
        told = []
        for fact in FACTS:
            values = {
                member.address: card[fact]
                for member, card in zip(self.members, cards, strict=True)
                if card.get(fact) is not None
            }
            if len({str(value) for value in values.values()}) > 1:
                told.append(", ".join(f"{value} at {name}" for name, value in values.items()))
        if not told:
            return ""
        return f"the servers may not serve the same {self.model}: {'; '.join(told)}"[:300]


def _is_refused(completion: Completion) -> bool:
    """Whether a server found the question itself wrong, as with HTTP 400."""
    return all(choice.failure.startswith(ERROR) for choice in completion.choices)


def _agree(says: dict[Member, bool], yes: str, no: str) -> None:
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
