"""The client of the chat protocol, over OpenAI's library: one request, one answer.

The key comes from the environment and is taken out of every text the server sends.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...failures import EMPTY, ERROR, REFUSED, SERVER_ERROR, TIMED_OUT, TOO_LONG
from ...installation import require_packages
from ...records import TandemError, option_ref
from ..permit import KeyUse, permit_every_server
from ..respondent import Options
from .addresses import KEY, OFFICIAL, address, checked_url
from .chat_request import ChatBody, ModelRequest, chat_body, habits_of
from .chat_response import ONLY_THOUGHTS, AnswerError, read_response
from .chat_stream import BrokenStreamError, chunk_stream_class, join_chunks
from .completion import Completion, failed_completion
from .error_table import (
    IN_ANSWER,
    ServerName,
    failure_of,
    fewer_tokens,
    refuse_redirect,
)
from .key_mask import Redactor
from .option_refusals import SHAPED_THOUGHTS, adapt_options
from .providers import key_of, provider_named
from .request_errors import (
    RequestError,
    ServerError,
    explanation,
    parse_error,
    retry_after,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_CONNECTION = f"{ERROR}: no connection"
BROKEN = f"{ERROR}: the connection broke"
MALFORMED = f"{ERROR}: malformed answer"
UNTOLD = f"{ERROR}: failed, and the result tells no HTTP status"
LOST = (NO_CONNECTION, BROKEN, TIMED_OUT)  # by the question's fault, or because the server is dead
TIMEOUT_TRIES = 3  # of one that times out, which each time takes as long as the time-out
NO_ANSWER = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What is raised by a body that is no JSON, is nested too deep, or is not that of an answer."""


class ChatClient:
    """A model of one server, asked by the chat protocol; see `ModelClient`."""

    def __init__(self, model: str, options: Options) -> None:
        require_packages("servers", "asking a server", "openai")
        self.model, self.base_url = model, checked_url(options.base_url)
        self.provider = provider_named(options.provider, self.base_url)
        self.habits = habits_of(self.provider, stream=options.stream)
        self._api_version = options.api_version
        self._permit = options.permit or permit_every_server
        self._timeout = options.timeout
        self._used = KeyUse()  # until it is asked
        self.sdks: dict[str, AsyncOpenAI] = {}
        self.redactor = Redactor(self._keys)

    @property
    def address(self) -> str:
        """Return the address by which people know the server."""
        return address(self.base_url or OFFICIAL)

    @property
    def note(self) -> str:
        """Describe how requests to the server differ from those meant; '' = they do not."""
        told = "; ".join(dict.fromkeys(filter(None, self.habits.notes)))
        return f"of the server at {self.address}: {told}" if told else ""

    def body(self, request: ModelRequest) -> ChatBody:
        """Return the request as this server takes it."""
        return chat_body(self.model, request, self.provider, self.habits)

    def adapt_to(self, request: ModelRequest, trouble: RequestError) -> ModelRequest | None:
        """Return the request to be put in another way, if the server rejects it in this form."""
        if fewer := fewer_tokens(trouble.error, request.max_tokens):
            self.habits.notes.append(
                "some requests are asked for fewer tokens, as it allows no more a minute"
            )
            return replace(request, max_tokens=fewer)
        is_about_text = trouble.failure in (TOO_LONG, REFUSED)
        if trouble.error is None or trouble.body is None or is_about_text:
            return None
        adapt_options(self.habits, trouble.body, request.extra_body, trouble.error)
        return request if self.body(request).sent != trouble.body.sent else None

    async def complete(self, request: ModelRequest) -> Completion:
        """Return the answer to one request.

        Raises RequestError, or TandemError when no other request will fare better.
        """
        body = self.body(request)
        try:
            found = read_response(await self._send(body.sent), self.redactor)
        except RequestError as trouble:
            trouble.body = body
            raise
        except AnswerError as inside:
            failure = self.failure_of(inside.error)
            failure.body = body
            raise failure from None
        except NO_ANSWER as error:
            raise RequestError(
                MALFORMED, self.redactor.redact_line(describe_malformed_answer(error))[:300]
            ) from None
        for choice in found.choices:
            if choice.failure == SERVER_ERROR:
                raise RequestError(SERVER_ERROR, choice.detail, spent=found)
            if body.shape and choice.failure == EMPTY and choice.detail == ONLY_THOUGHTS:
                shaped = ServerError(IN_ANSWER, choice.detail, SHAPED_THOUGHTS)
                raise RequestError(EMPTY, choice.detail, 1, 0.0, IN_ANSWER, shaped, body, found)
        return replace(found, kept_by=body.kept_by).choose(request.n)

    def read_result(self, status: int, body: Any) -> Completion:
        """Read the result of a request that somebody else has sent: HTTP status (0 = unknown)
        and body. An error that every request would meet is a failure, too.
        """
        redact = self.redactor.redact_line
        if not status:
            told = body.get("error", body) if isinstance(body, dict) else body
            return failed_completion(UNTOLD, redact(explanation(told))[:300])
        try:
            if not 200 <= status < 300:
                raise AnswerError(parse_error(status, body))
            return read_response(body, self.redactor)
        except AnswerError as inside:
            try:
                trouble = self.failure_of(inside.error)
            except TandemError as refusal:
                return failed_completion(f"{ERROR}: HTTP {status}", str(refusal))
            return failed_completion(trouble.failure, trouble.detail)
        except NO_ANSWER as error:
            return failed_completion(MALFORMED, redact(describe_malformed_answer(error))[:300])

    async def _send(self, sent: Mapping[str, Any]) -> Any:
        """Return the document that answers a body.

        Raises RequestError, TandemError, or what `NO_ANSWER` has for what is no JSON.
        """
        import openai

        from .answer_length import EndlessAnswerError

        try:
            if sent.get("stream"):
                return await join_chunks(self._chunks(sent))
            response = await self._post(sent)
            return parse_document(response.text)
        except BrokenStreamError as error:
            raise RequestError(BROKEN, str(error)) from None
        except (TimeoutError, openai.APITimeoutError):
            raise RequestError(TIMED_OUT, tries=TIMEOUT_TRIES) from None
        except openai.APIStatusError as error:
            raise self.status_failure(error) from None
        except EndlessAnswerError as error:
            raise RequestError(MALFORMED, str(error)) from None
        except openai.APIConnectionError as error:
            lost = type(error.__cause__).__name__
            failure = NO_CONNECTION if lost.startswith("Connect") else BROKEN
            told = self.redactor.redact_line(f"{lost}: {error.__cause__}")
            raise RequestError(failure, told) from None

    async def _post(self, sent: Mapping[str, Any]) -> Any:
        from httpx2 import Response

        return await self.sdk.post("/chat/completions", cast_to=Response, body=dict(sent))

    async def _chunks(self, sent: Mapping[str, Any]) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the chunks of a streamed answer, and {} for "[DONE]"."""
        import openai
        from openai.types.chat import ChatCompletionChunk

        stream = await self.sdk.post(
            "/chat/completions",
            cast_to=ChatCompletionChunk,
            body=dict(sent),
            stream=True,
            stream_cls=chunk_stream_class(),
        )
        async with stream:
            try:
                async for chunk in stream:
                    yield chunk.to_dict(warnings=False)
                if stream.is_done:
                    yield {}
            except openai.APIError as error:
                if type(error) is not openai.APIError:
                    raise
                yield {"error": error.body or {"message": error.message}}

    def failure_of(self, error: Any) -> RequestError:
        """Return the failure that an error of the server means. Raises TandemError for one that
        ends it all.
        """
        return failure_of(self.server_name, error, self.redactor.redact_line(error.message))

    def status_failure(self, error: Any) -> RequestError:
        """Return the failure that an HTTP status means. Raises TandemError for one that every
        request would meet.
        """
        self.refuse_redirect(error)
        try:
            body = error.response.json()
        except (ValueError, RecursionError):
            body = error.response.text
        wait = retry_after(error.response.headers, time.time())
        return self.failure_of(parse_error(error.status_code, body, wait))

    def refuse_redirect(self, error: Any) -> None:
        """Refuse an HTTP status that redirects to a different address. Raises TandemError."""
        location = self.redactor.redact(error.response.headers.get("location", ""))
        refuse_redirect(self.server_name, error.status_code, location)

    @property
    def server_name(self) -> ServerName:
        """The server as people know it."""
        variable = self._used.variable
        return ServerName(self.address, self.model, variable, bool(_environment(variable)))

    @property
    def sdk(self) -> AsyncOpenAI:
        """OpenAI's client, with the key that the server is sent now. All requests leave by it.
        Raises TandemError where the server may not be asked, or not any more.
        """
        key = self.key
        if key not in self.sdks:
            self.sdks[key] = self._connect(key)
        return self.sdks[key]

    async def close(self) -> None:
        """Close all connections; the next request opens others."""
        while self.sdks:
            _, sdk = self.sdks.popitem()
            await sdk.close()

    def _connect(self, key: str) -> AsyncOpenAI:
        import openai

        from .answer_length import bound_answer

        # They may tell addresses and bodies, at levels that someone has set for a whole program.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        headers: dict[str, Any] = {}
        if self.base_url:
            # OPENAI_ORG_ID and OPENAI_PROJECT_ID are for OpenAI only.
            headers = dict.fromkeys(("OpenAI-Organization", "OpenAI-Project"), openai.omit)
        if self.provider.key_header and key:
            headers[self.provider.key_header] = key
        return openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=self.base_url or OFFICIAL,
            timeout=self._timeout,
            max_retries=0,  # here it is waited for all requests together
            default_headers=headers,
            default_query={"api-version": self._api_version} if self._api_version else None,
            # Texts go to the server that was named, and to none that it names.
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False, event_hooks={"response": [bound_answer]}
            ),
        )

    @property
    def key(self) -> str:
        """The key that the server is sent.

        Raises TandemError if a key is needed and missing, and if the server may not be asked.
        """
        url = self.base_url or OFFICIAL
        self._used = key_of(self.provider, url, self._permit(url))
        variable = self._used.variable
        key = _environment(variable)
        if not key and not self.base_url:
            raise TandemError(
                f"{variable or KEY} is not set: export the key, or name another server with "
                f"{option_ref('base_url')}"
            )
        if not re.fullmatch(r"[!-~]*", key):
            raise TandemError(f"{variable} does not hold a key: it has characters no key has")
        return key

    def _keys(self) -> Iterator[str]:
        yield from map(_environment, {KEY, self._used.variable, *self._used.other_variables})


def parse_document(text: str) -> Any:
    """Parse the JSON of an answer. Raises ValueError or RecursionError for anything else."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        if text.lstrip().startswith(("{", "[")):
            raise
        raise no_document(text) from None


def no_document(text: str) -> ValueError:
    """Build the error for an answer that is not JSON."""
    return ValueError(f"no JSON: {' '.join(text[:100].split())}")


def _environment(variable: str) -> str:
    return os.environ.get(variable, "").strip() if variable else ""


def describe_malformed_answer(error: Exception) -> str:
    """Describe what is odd about an answer, in words that are not Python's."""
    if isinstance(error, json.JSONDecodeError):
        return "no JSON"
    if isinstance(error, (TypeError, AttributeError, LookupError, RecursionError)):
        return "JSON, but not that of an answer"
    if "integer string conversion" in str(error):
        return "JSON with a number of too many digits"
    return str(error)
