"""An endpoint: a model behind a server that speaks the OpenAI protocol, hosted or on this machine.

What goes wrong with one request is asked again as long as that can help, and is then an answer with
a reason; what will go wrong with every request (a wrong key, a model that is not there) raises
TandemError. The key comes from the environment and is taken out of every text the server sends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from core.failures import (
    CUT_OFF,
    EMPTY,
    ERROR,
    REFUSED,
    SERVER_ERROR,
    TIMED_OUT,
    TOO_LONG,
)
from core.models.permit import KeyUse, permit_every_server
from core.models.respondent import Family, Options
from core.models.served.addresses import KEY, OFFICIAL, address, checked_url, redirect_of
from core.models.served.answer_shape import AnswerShape
from core.models.served.completion import (
    Choice,
    Completion,
    Position,
    count_of,
    failed,
    logprob_of,
)
from core.models.served.concurrent_requests import wait_for
from core.models.served.contact import SILENCE, Contact
from core.models.served.key_mask import MASK, without_key
from core.models.served.rate_limits import Allowed, limits_of
from core.models.served.sampling_ways import (
    OPEN_QUESTION,
    PROBE_TEMPERATURES,
    PROBE_TOKENS,
    PROBES,
    WAYS,
)
from core.models.served.trouble import TRIES, TroubleError, explanation, retry_after
from core.records import TandemError, setting
from core.seeds import draw

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# of one that was told to come later, which is no fault; waiting 32 seconds from the seventh on
BUSY_TRIES = 20
TIMEOUT_TRIES = 3  # of one that times out, which each time takes as long as the time-out
TOKENS_A_WORD = 0.75  # fewer cannot hold a prompt
FAILURE_LENGTH = 160  # characters of a reason that quotes the server
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is asked for too much

NO_CONNECTION = f"{ERROR}: no connection"
BROKEN = f"{ERROR}: the connection broke"
MALFORMED = f"{ERROR}: malformed answer"
UNTOLD = f"{ERROR}: failed, and the result tells no HTTP status"
_IMPATIENT = {NO_CONNECTION: 1, MALFORMED: 3}  # tries of what is likely to be the wrong address

ENDS = ("stop", "eos", "eos_token", "end", "end_turn", "stop_sequence", "stop_token", "finished")
CUTS = ("length", "max_tokens", "max_length", "model_length", "model_context_window_exceeded")
REFUSALS = (
    "content_filter", "safety", "sensitive", "refusal", "recitation", "blocklist",
    "prohibited_content", "spii",
)  # fmt: skip
BREAKS = (
    "error", "abort", "aborted", "cancelled", "network_error", "server_error", "engine_error",
    "insufficient_system_resource",
)  # fmt: skip
"""How servers say why a text ended: it is whole, it was cut off, it was refused, the server broke.
Of one that ended for another reason only a stated verdict counts."""
_LOST = (NO_CONNECTION, BROKEN, TIMED_OUT)  # by the question's fault, or because the server is dead

OPENAI = Family(
    "openai",
    "MODEL",
    label="Language model behind a server",
    help="OpenAI, vLLM, Ollama, llama.cpp and the like. The texts are sent there.",
    example="gpt-4o-mini",
    choose="Choose a model: type its name as its server calls it.",
)

Message = Mapping[str, str]
DEFAULTS = Options()

_NO_ANSWER = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What is raised by a body that is no JSON, is nested too deep, or is not that of an answer."""

_TRIFLE = [
    {
        "role": "user",
        "content": "Which letter comes first in the alphabet, A or B? Answer with A or B.",
    }
]


class Endpoint:
    """A model of a server: `complete` asks it. Its limits, `concurrency` requests at a time, `rpm`
    and `tpm` a minute, hold for all endpoints of that model and server in this process together.

    `base_url` is where the server listens, '' the official one. One with a `watch` has others
    beside it: trouble that is the server's, not the question's, raises TroubleError at once,
    for one of these to be asked. Raises TandemError for an address, a key or a limit that cannot
    be. What asks a server that the options do not permit raises it, too, and nothing is sent.
    """

    note = trouble = ""  # of one server there is nothing to tell that its answers do not
    watch: Callable[[], AbstractAsyncContextManager[Any]] | None = None
    """What is entered around each request from when it leaves, and may raise TroubleError."""

    def __init__(
        self,
        model: str,
        options: Options = DEFAULTS,
        *,
        backoff: float = 0.5,
    ) -> None:
        self.model, self.base_url = model, checked_url(options.base_url)
        self._permit = options.permit or permit_every_server
        self._clients: dict[str, AsyncOpenAI] = {}
        self._used = KeyUse()  # until it is asked
        self.concurrency, self._timeout, self._backoff = (
            options.concurrency,
            options.timeout,
            backoff,
        )
        if not options.timeout > 0:
            raise TandemError(
                f"{setting('timeout')} is {options.timeout:g}; a request takes more than 0 seconds"
            )
        self._allowed = Allowed(options.concurrency, options.rpm, options.tpm)
        self._limits = limits_of(self.base_url, model)
        self._several = True  # whether the server writes several texts to one request
        self._seeds = True  # whether it takes a seed
        self._way = WAYS[0]  # in which it draws its replies
        # The official server has given the option another name; the others keep to the old one.
        self._length_option = "max_tokens" if self.base_url else "max_completion_tokens"

    @property
    def first(self) -> Endpoint:
        """The server that names the model."""
        return self

    @property
    def address(self) -> str:
        """How people call the server."""
        return address(self.base_url or OFFICIAL)

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
        """`n` texts, in one request where the server writes several, else in as many as needed.

        With `top_logprobs` the probabilities of that many tokens at each position, where the server
        gives them. With a `temperature` they are drawn in the way that `samples` has found. Not
        `patient`: what looks like the wrong address is not waited for. Raises TandemError when no
        request can be answered.
        """
        options, seeds = self._options(
            messages, max_tokens, temperature or 0.0, n, top_logprobs, seed
        )
        options |= {"stop": list(stop)} if stop else {}
        if extra_body:
            options["extra_body"] = {**options.get("extra_body", {}), **extra_body}
        began = self._limits.clock.now()
        found = await self._written(options, n, seeds, patient)
        if found.seconds is None:
            return found
        elapsed = self._limits.clock.now() - began
        return replace(found, waited=max(0.0, elapsed - found.seconds))

    def bodies(
        self, messages: Sequence[Message], *, n: int = 1, **how: Any
    ) -> list[dict[str, Any]]:
        """The bodies of the requests that `complete` would send for `n` texts, to be put into a
        file: one for all where the server writes several, else one for each. `how` is as there.
        """
        given = {"temperature": 0.0, "top_logprobs": 0, "seed": None} | how
        for name in ("stop", "extra_body", "shape"):
            given.pop(name, None)
        options, seeds = self._options(messages, n=n, **given)
        if seeds:
            puts = [self._put({**options, "seed": seed}, 1) for seed in seeds]
        elif self._several:
            puts = [self._put(options, n)]
        else:
            puts = [self._put(options, 1)] * n
        return [
            {"model": self.model, **sent, **extra}
            for sent in puts
            for extra in [sent.pop("extra_body", {})]
        ]

    def completion(self, messages: Sequence[Message], status: int, body: Any) -> Completion:
        """What came back for a request that somebody else has sent: HTTP status, 0 where none is
        known, and body, read as `complete` reads them.
        """
        from openai.types.chat import ChatCompletion

        if 200 <= status < 300:
            try:
                found = self._read(ChatCompletion.construct(**body))
            except _NO_ANSWER as error:
                return failed(MALFORMED, self.told(_odd(error))[:300])
            return replace(found, part_read=_part_read(messages, found.prompt_tokens))
        told = body.get("error", body) if isinstance(body, dict) else body
        if not status:
            return failed(UNTOLD, self.told(explanation(told))[:300])
        names = {"code": None, "type": None} | (told if isinstance(told, dict) else {})
        answer = SimpleNamespace(
            status_code=status,
            body=told,
            message=explanation(told) or f"HTTP {status}",
            code=names["code"],
            type=names["type"],
            response=SimpleNamespace(headers={}),
        )
        try:
            trouble = self._trouble(answer)
        except TandemError as refusal:
            return failed(f"{ERROR}: HTTP {status}", str(refusal))
        return failed(trouble.failure, trouble.detail)

    def _options(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        temperature: float,
        n: int,
        top_logprobs: int,
        seed: int | None,
    ) -> tuple[dict[str, Any], list[int]]:
        """What is asked for, and the seeds of the texts where each is drawn by its own."""
        options: dict[str, Any] = {
            "messages": list(messages),
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        if top_logprobs:
            options |= {"logprobs": True, "top_logprobs": top_logprobs}
        if temperature:
            options |= self._way.options
        seeds: list[int] = []
        if seed is not None:
            options["seed"] = seed
        elif temperature and self._way.seeds:
            seeds = [draw(messages[-1]["content"], number) % 2**31 for number in range(n)]
        return options, seeds

    async def _written(
        self, options: Mapping[str, Any], n: int, seeds: Sequence[int], patient: bool
    ) -> Completion:
        """`n` texts, each with its own of the `seeds` where there are any."""
        if seeds:
            own = ({**options, "seed": seed} for seed in seeds)
            return sum(
                await asyncio.gather(*(self._asked(one, 1, patient) for one in own)), Completion(())
            )
        found = await self._asked(options, n, patient)
        missing = n - len(found.choices)
        if missing > 0:
            more = await asyncio.gather(*(self._asked(options, 1, patient) for _ in range(missing)))
            found = sum(more, found)
        return found

    def trial(self, top_logprobs: int = 0, temperature: float = 0.0) -> Choice:
        """The answer to a trifle, to see that the server answers; with `top_logprobs` perhaps only
        that it will not give them.

        Raises TandemError when it does not answer.
        """
        return wait_for(self.tried(top_logprobs, temperature))

    async def tried(self, top_logprobs: int = 0, temperature: float = 0.0) -> Choice:
        """The same, where an event loop runs."""
        completion = await self.complete(
            _TRIFLE,
            max_tokens=16,
            temperature=temperature,
            top_logprobs=top_logprobs,
            patient=False,
        )
        choice = completion.choices[0]
        if choice.failure in (TIMED_OUT, NO_CONNECTION) or (
            choice.failure.startswith(ERROR) and not top_logprobs
        ):
            does = "does not answer"
            if choice.failure not in (TIMED_OUT, NO_CONNECTION, BROKEN):
                refuses = choice.detail.startswith("HTTP 4")
                does = "refuses" if refuses else "gives no answer that can be used"
            raise TandemError(
                f"the server at {self.address} {does} ({choice.detail or choice.failure})"
            )
        return choice

    def samples(self) -> bool:
        """Whether the server draws its replies: of several to an open question some must differ.

        The first way in which they do is kept for all that is asked later. Where no two replies
        came, nothing is known against it. Raises TandemError as `complete` does.
        """
        return wait_for(self.draws())

    async def draws(self) -> bool:
        """The same, where an event loop runs."""
        for way, heat in product(WAYS, PROBE_TEMPERATURES):
            self._way = way
            completion = await self.complete(
                OPEN_QUESTION, max_tokens=PROBE_TOKENS, temperature=heat, n=PROBES
            )
            texts = [choice.text for choice in completion.choices if not choice.failure]
            if len(set(texts)) > 1 or (way == WAYS[0] and len(texts) < 2):
                return True
        self._way = WAYS[0]
        return False

    async def _asked(self, options: Mapping[str, Any], n: int, patient: bool) -> Completion:
        """The answer to one request, tried again as long as that can help. A failure is a choice,
        too.
        """
        met = Counter[str]()
        replies: int | None = None  # of the server, when this request was first lost in a row
        while True:
            sent = self._put(options, n)
            try:
                found = await self._request(sent)
            except TroubleError as trouble:
                if self._adapted(trouble, sent):
                    continue
                if self.watch and trouble.of_server:
                    self._limits.hold(self._limits.clock.now() + trouble.wait)
                    raise
                met[trouble.failure] += 1
                tries = trouble.tries if patient else _IMPATIENT.get(trouble.failure, trouble.tries)
                lost = patient and trouble.failure in _LOST
                replies = (self._contact.replies if replies is None else replies) if lost else None
                if met[trouble.failure] >= tries and (
                    replies is None or await self._alive(replies, trouble)
                ):
                    return Completion((Choice(failure=trouble.failure, detail=trouble.detail),))
                self._limits.hold(self._limits.clock.now() + trouble.wait)
                await self._limits.clock.sleep(
                    self._backoff * 2 ** min(met.total() - 1, 6) * random.uniform(0.75, 1.25)
                )
            else:
                self._several = self._several and len(found.choices) >= sent.get("n", 1)
                return found

    async def model_card(self) -> dict[str, Any]:
        """What the server says about the model in its list of models; nothing where it does not
        say.
        """
        import openai

        try:
            async with asyncio.timeout(self._timeout):
                listed = await self.client.models.list()
            [card] = [card for card in listed.data if card.id == self.model]
        except (TimeoutError, openai.OpenAIError, *_NO_ANSWER):
            return {}
        return card.to_dict()

    async def _alive(self, replies: int, trouble: TroubleError) -> bool:
        """Whether the server has replied to anybody since it had sent so many `replies`, or does to
        a trifle: then it is the question that gets no answer.

        Raises TandemError when it has been silent for long enough to be dead.
        """
        if self._contact.replies == replies:
            with suppress(TroubleError):
                await self._request(self._put({"messages": _TRIFLE, "max_tokens": 16}, 1))
        if self._contact.dead:
            raise TandemError(
                f"the server at {self.address} cannot be reached: no reply for {SILENCE:.0f} "
                f"seconds ({trouble.detail or trouble.failure})"
            )
        return self._contact.replies > replies

    @property
    def _contact(self) -> Contact:
        return self._limits.contact

    def _put(self, options: Mapping[str, Any], n: int) -> dict[str, Any]:
        """The options as this server understands them."""
        sent = {
            self._length_option if name == "max_tokens" else name: value
            for name, value in options.items()
        }
        if not self._seeds:
            sent.pop("seed", None)
        return sent | ({"n": n} if n > 1 and self._several else {})

    def _adapted(self, trouble: TroubleError, sent: Mapping[str, Any]) -> bool:
        """Whether the server does not know one of the options and it can be put in another way."""
        if trouble.status not in (400, 422) or trouble.failure == TOO_LONG:
            return False
        if "max_tokens" in sent and "max_completion_tokens" in trouble.detail:
            self._length_option = "max_completion_tokens"
            return True
        if "seed" in sent and "seed" in trouble.detail:
            self._seeds = False
            return True
        if "n" in sent:
            self._several = False
            return True
        return False

    async def _request(self, sent: Mapping[str, Any]) -> Completion:
        """One request. Raises TroubleError, or TandemError when no other request will fare
        better."""
        import openai

        from core.models.served.answer_length import EndlessAnswerError

        estimate = sum(len(message["content"]) for message in sent["messages"]) / 4
        async with self._limits.turn(self._allowed, estimate):
            sent_at = self._limits.clock.now()
            try:
                async with asyncio.timeout(self._timeout), (self.watch or nullcontext)():
                    response = await self.client.chat.completions.create(model=self.model, **sent)
                self._contact.heard()
                found = self._read(response)
                if found.tokens:
                    self._limits.correct(found.tokens - estimate)
                for choice in found.choices:
                    if choice.failure == SERVER_ERROR:
                        raise TroubleError(SERVER_ERROR, choice.detail)
                return replace(
                    found,
                    part_read=_part_read(sent["messages"], found.prompt_tokens),
                    seconds=self._limits.clock.now() - sent_at,
                )
            except (TimeoutError, openai.APITimeoutError):
                self._contact.lost()
                raise TroubleError(TIMED_OUT, tries=TIMEOUT_TRIES) from None
            except openai.APIStatusError as error:
                self._contact.heard()
                raise self._trouble(error) from None
            except EndlessAnswerError as error:
                self._contact.heard()
                raise TroubleError(MALFORMED, str(error)) from None
            except openai.APIConnectionError as error:
                self._contact.lost()
                lost = type(error.__cause__).__name__
                failure = NO_CONNECTION if lost.startswith("Connect") else BROKEN
                raise TroubleError(failure, self.told(f"{lost}: {error.__cause__}")) from None
            # A body that is no JSON, or not that of an answer.
            except (openai.APIError, *_NO_ANSWER) as error:
                raise TroubleError(MALFORMED, self.told(_odd(error))[:300]) from None

    @property
    def client(self) -> AsyncOpenAI:
        """The client, with the key that the server is sent now. All requests leave by it. Raises
        TandemError where the server may not be asked, or not any more.
        """
        key = self._key
        if key not in self._clients:
            self._clients[key] = self._connect(key)
        return self._clients[key]

    def _connect(self, key: str) -> AsyncOpenAI:
        import openai

        from core.models.served.answer_length import bounded

        # They may tell addresses and bodies, at levels that someone has set for a whole program.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # OPENAI_ORG_ID and OPENAI_PROJECT_ID are for OpenAI, whatever they say of the account.
        named = ("OpenAI-Organization", "OpenAI-Project") if self.base_url else ()
        without: Any = dict.fromkeys(named, openai.omit)
        return openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=self.base_url or OFFICIAL,
            timeout=self._timeout,
            max_retries=0,  # here it is waited for all requests together
            default_headers=without,
            # Texts go to the server that was named, and to none that it names.
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False, event_hooks={"response": [bounded]}
            ),
        )

    @property
    def _key(self) -> str:
        self._used = self._permit(self.base_url or OFFICIAL)
        variable = self._used.variable
        key = _environment(variable)
        if not key and not self.base_url:
            raise TandemError(
                f"{variable or KEY} is not set: export the key, or name another server with "
                f"{setting('base_url')}"
            )
        if not re.fullmatch(r"[!-~]*", key):
            raise TandemError(f"what {variable} holds is no key: it has characters no key has")
        return key

    def _read(self, response: Any) -> Completion:
        """Raises ValueError, TypeError, AttributeError or LookupError for what is no answer of the
        protocol.
        """
        if isinstance(response, str):
            raise ValueError(f"no JSON: {' '.join(response[:100].split())}")
        broken = getattr(response, "error", None)
        if not response.choices:
            raise ValueError(f"no choices: {broken}")
        choices = tuple(self._choice(choice) for choice in response.choices)
        if broken:
            why = self.told(explanation(broken) or broken)[:300]
            choices = tuple(Choice(one.text, SERVER_ERROR, detail=why) for one in choices)
        usage = response.usage
        read, written = (
            count_of(getattr(usage, name, 0)) for name in ("prompt_tokens", "completion_tokens")
        )
        return Completion(choices, read, written)

    def _choice(self, choice: Any) -> Choice:
        message = choice.message
        refusal = getattr(message, "refusal", None)
        text = self.cleaned(message.content if isinstance(message.content, str) else "")
        reason = choice.finish_reason
        ended = str(reason or "").casefold()
        if refusal or ended in REFUSALS:
            return Choice(text, REFUSED, detail=self.told(refusal or reason))
        broken = getattr(choice, "error", None)
        if broken or ended in BREAKS:
            why = explanation(broken) or f"finish_reason {reason}"
            return Choice(text, SERVER_ERROR, detail=self.told(why)[:300])
        is_cut = bool(ended) and ended not in ENDS
        if not text.strip():
            failure = CUT_OFF if is_cut and ended in CUTS else EMPTY
            return Choice(text, failure, detail=self.told(reason), is_cut=is_cut)
        given = (choice.logprobs and choice.logprobs.content) or ()
        positions = tuple(
            Position(
                position.token,
                tuple((other.token, logprob_of(other)) for other in position.top_logprobs),
            )
            for position in given
            if position.top_logprobs
        )
        told = self.told(f"finish_reason {reason}") if is_cut and ended not in CUTS else ""
        whole = positions if len(positions) == len(given) else ()
        return Choice(text, positions=whole, detail=told, is_cut=is_cut)

    def _trouble(self, error: Any) -> TroubleError:
        """What an HTTP status means. Raises TandemError for one that every request would meet."""
        status, body = error.status_code, error.body
        told = explanation(body) or error.message
        if isinstance(body, dict) and body.get(
            "n_ctx"
        ):  # llama.cpp names the numbers beside its message
            told = f"{told} ({body.get('n_prompt_tokens')} tokens of {body['n_ctx']})"
        message = self.told(told)[:300]
        kind = f"{error.code} {error.type}"
        detail = f"HTTP {status}: {message}"
        variable = self._used.variable
        if status == 401 and not _environment(variable):
            way_out = f"export it as {variable}" if variable else _PAIR
            raise TandemError(
                f"the server at {self.address} wants a key ({detail}): {way_out}"
            ) from None
        if status in (401, 403):
            sent = f"the key in {variable}" if variable else "what comes without a key"
            raise TandemError(f"the server at {self.address} refuses {sent} ({detail})") from None
        if status == 402 or "insufficient_quota" in kind:
            raise TandemError(
                f"the account at {self.address} has no credit left ({detail})"
            ) from None
        self.refuse_redirect(error)
        if status == 404:
            raise TandemError(
                f"the server at {self.address} has no model {self.model!r}, or its address is "
                "another, "
                f"such as one ending in /v1 ({detail})"
            ) from None
        if "content_filter" in kind or "content_policy" in kind:
            return TroubleError(REFUSED, detail, tries=1)
        if status in (400, 413, 422) and _TOO_LONG.search(f"{kind} {message}"):
            return TroubleError(TOO_LONG, detail, tries=1, status=status)
        wait = retry_after(error.response.headers, time.time())
        if wait > LONGEST_WAIT:
            raise TandemError(
                f"the server at {self.address} asks to wait {wait:,.0f} seconds ({detail})"
            ) from None
        if status == 429:
            tries = BUSY_TRIES
        elif status in (408, 409, 425) or status >= 500:
            tries = TRIES
        else:  # the request is wrong: the reason is what the server says about it
            failure = f"{ERROR}: {detail}"[:FAILURE_LENGTH]
            return TroubleError(failure, detail, tries=1, status=status)
        return TroubleError(f"{ERROR}: HTTP {status}", detail, tries, wait, status)

    def refuse_redirect(self, error: Any) -> None:
        """Raises TandemError for an HTTP status that names another address to ask."""
        if 300 <= error.status_code < 400:
            raise TandemError(
                f"the server at {self.address} redirects to "
                f"{self.cleaned(redirect_of(error.response))}: texts go to no other address than "
                f"{setting('base_url')} names"
            ) from None

    def cleaned(self, text: str) -> str:
        """A text of the server's without its key, which it may have repeated in some form, without
        those of other servers, and without halves of characters, which cannot be stored.
        """
        text = _HALVES.sub("\ufffd", text)
        for variable in {KEY, self._used.variable, *self._used.others}:
            text = without_key(text, _environment(variable))
        return _KEY_LIKE.sub(MASK, text)

    def told(self, what: object) -> str:
        """What a server says to be wrong, in one line that a terminal can show."""
        text = self.cleaned(str(what))
        return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _environment(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _odd(error: Exception) -> str:
    """What is odd about an answer, in words that are not Python's."""
    if isinstance(error, json.JSONDecodeError):
        return "no JSON"
    if isinstance(error, (TypeError, AttributeError, LookupError, RecursionError)):
        return "JSON, but not that of an answer"
    if "integer string conversion" in str(error):
        return "JSON with a number of too many digits"
    return str(error)


_PAIR = "list it with the variable that has the key (`servers add NAME URL --key-variable NAME`)"
_TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|inputs? tokens|(prompt|input)\b.{0,40}\btoo long",
    re.IGNORECASE,
)
_HALVES = re.compile(r"[\ud800-\udfff]")  # of surrogate pairs
_KEY_LIKE = re.compile(r"\bsk-[\w*-]{8,}")


def _part_read(messages: Sequence[Message], tokens: int) -> int:
    """The tokens a server says it has read, where they cannot hold the prompt: it has cut it
    without a word. Else 0.

    A word between white space takes a token or more, and the chat template some besides; only
    tokenizers that join words take fewer, by no more than a sixth in English. 0 tokens are a server
    that does not count.
    """
    words = sum(len(message["content"].split()) for message in messages)
    return tokens if 0 < tokens < TOKENS_A_WORD * words else 0
