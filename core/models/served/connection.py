"""A connection to one server by OpenAI's library: one body is sent, and one document comes back.

The library has the pool, the time-outs and the streams. Retries are the endpoint's, as one request
that is to wait means all, and each try counts in the limits of a minute.

The key comes from the environment and is taken out of every text the server sends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from ...failures import TIMED_OUT
from ...installation import require_packages
from ...records import TandemError, option_ref
from ..options import KEY, KeyUse, Options, permit_every_server
from .chat_response import join_chunks, read_response
from .completion import Completion
from .key_mask import Redactor
from .providers import (
    OFFICIAL,
    address,
    checked_url,
    key_of,
    provider_named,
    read_key,
    redirect_host,
)
from .server_errors import (
    BROKEN,
    MALFORMED,
    NO_CONNECTION,
    TIMEOUT_TRIES,
    RequestError,
    ServerError,
    ServerName,
    failure_of,
    parse_error,
    retry_after,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")

CHAT = "/chat/completions"
NO_ANSWER = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What is raised by a body that is no JSON, is nested too deep, or is not that of an answer."""
MOST = 32 * 2**20
"""Bytes of an answer: one without end would fill the memory. Twenty texts with the probabilities of
their tokens take less than 2 MB.
"""
MOST_PACKED = 2**20  # bytes of one that comes packed, which may be a thousandth of what it holds


_loops: list[asyncio.AbstractEventLoop] = []
_starting = threading.Lock()


def request_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of requests, which ends with the process. It has a thread of its own:
    a run or a page needs to know nothing of asyncio.
    """
    with _starting:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(
                target=_loops[0].run_forever, name="tandem-requests", daemon=True
            ).start()
        return _loops[0]


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine on the loop of requests."""
    future = asyncio.run_coroutine_threadsafe(coroutine, request_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


class ServerConnection:
    """A connection to a model of one server. Raises TandemError for an address or a provider that
    cannot be.
    """

    def __init__(self, model: str, options: Options) -> None:
        require_packages("servers", "asking a server", "openai")
        self.model, self.base_url = model, checked_url(options.base_url)
        self.provider = provider_named(options.provider, self.base_url)
        self._api_version, self._timeout = options.api_version, options.timeout
        self._permit = options.permit or permit_every_server
        self._used = KeyUse()  # until it is asked
        self.sdks: dict[str, AsyncOpenAI] = {}
        self.redactor = Redactor(self._keys)

    @property
    def address(self) -> str:
        """Return the address by which people know the server."""
        return address(self.base_url or OFFICIAL)

    async def send(self, body: Mapping[str, Any]) -> Completion:
        """Return what answers a body.

        Raises RequestError, or TandemError when no other request will fare better.
        """
        import openai
        from httpx2 import Response

        try:
            if body.get("stream"):
                return self.read(await join_chunks(self._stream_chunks(body)))
            response = await self.sdk.post(CHAT, cast_to=Response, body=dict(body))
            return self.read(_parse_document(response.text))
        except (TimeoutError, openai.APITimeoutError):
            raise RequestError(TIMED_OUT, tries=TIMEOUT_TRIES) from None
        except openai.APIStatusError as error:
            self.refuse_redirect(error)
            try:
                told = error.response.json()
            except (ValueError, RecursionError):
                told = error.response.text
            wait = retry_after(error.response.headers, time.time())
            raise self._failure_of(parse_error(error.status_code, told, wait)) from None
        except openai.APIConnectionError as error:
            lost = type(error.__cause__).__name__
            failure = NO_CONNECTION if lost.startswith("Connect") else BROKEN
            said = self.redactor.redact_line(f"{lost}: {error.__cause__}")
            raise RequestError(failure, said) from None
        except NO_ANSWER as error:
            raise RequestError(MALFORMED, self._describe_malformed(error)) from None

    def read(self, document: Any, status: int = 200) -> Completion:
        """Return the texts of an answer with this HTTP status. Raises as `send` does."""
        if not 200 <= status < 300:
            raise self._failure_of(parse_error(status, document))
        try:
            return read_response(document, self.redactor)
        except ServerError as error:
            raise self._failure_of(error) from None
        except NO_ANSWER as error:
            raise RequestError(MALFORMED, self._describe_malformed(error)) from None

    async def _stream_chunks(self, body: Mapping[str, Any]) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the chunks of a streamed answer, and {} for "[DONE]"."""
        import openai
        from openai.types.chat import ChatCompletionChunk

        stream = await self.sdk.post(
            CHAT, cast_to=ChatCompletionChunk, body=dict(body), stream=True,
            stream_cls=_chunk_stream_class(),
        )  # fmt: skip
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

    def _describe_malformed(self, error: Exception) -> str:
        """Describe what is odd about an answer, in words that are not Python's."""
        said = str(error)
        if isinstance(error, json.JSONDecodeError):
            said = "no JSON"
        elif not isinstance(error, ValueError):
            said = "JSON, but not that of an answer"
        elif "integer string conversion" in said:
            said = "JSON with a number of too many digits"
        return self.redactor.redact_line(said)[:300]

    def _failure_of(self, error: ServerError) -> RequestError:
        variable = self._used.variable
        name = ServerName(self.address, self.model, variable, bool(read_key(variable)))
        return failure_of(name, error, self.redactor.redact_line(error.message))

    def refuse_redirect(self, error: Any) -> None:
        """Refuse an HTTP status that redirects to a different address. Raises TandemError."""
        if 300 <= error.status_code < 400:
            location = self.redactor.redact(error.response.headers.get("location", ""))
            raise TandemError(
                f"the server at {self.address} redirects to {redirect_host(location)}: texts go to "
                f"no other address than {option_ref('base_url')} names"
            )

    @property
    def sdk(self) -> AsyncOpenAI:
        """OpenAI's client, with the key that the server is sent now. All requests leave by it.
        Raises TandemError where the server may not be asked, or not any more.
        """
        key = self.key
        if key not in self.sdks:
            self.sdks[key] = self._connect(key)
        return self.sdks[key]

    def _connect(self, key: str) -> AsyncOpenAI:
        import openai

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
            max_retries=0,
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
        key = read_key(self._used.variable)
        if not key and not self.base_url:
            raise TandemError(
                f"{self._used.variable or KEY} is not set: export the key, or name another server "
                f"with {option_ref('base_url')}"
            )
        if not re.fullmatch(r"[!-~]*", key):
            raise TandemError(
                f"{self._used.variable} does not hold a key: it has characters no key has"
            )
        return key

    def _keys(self) -> Iterator[str]:
        yield from map(read_key, {KEY, self._used.variable, *self._used.other_variables})

    async def close(self) -> None:
        """Close all connections; the next request opens others."""
        while self.sdks:
            _, sdk = self.sdks.popitem()
            await sdk.close()


def _parse_document(text: str) -> Any:
    """Parse the JSON of an answer. Raises ValueError or RecursionError for anything else."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        if text.lstrip().startswith(("{", "[")):
            raise
        raise ValueError(f"no JSON: {' '.join(text[:100].split())}") from None


@cache
def _chunk_stream_class() -> Any:
    """Return OpenAI's stream of chunks with `is_done`: whether "[DONE]" has come."""
    import openai
    from openai.types.chat import ChatCompletionChunk

    class ChunkStream(openai.AsyncStream[ChatCompletionChunk]):
        is_done = False

        async def _iter_events(self) -> AsyncIterator[Any]:
            async for event in super()._iter_events():
                self.is_done = self.is_done or event.data.startswith("[DONE]")
                yield event

    return ChunkStream


async def bound_answer(response: Any) -> None:
    """Limit the length of a model's answer, as a hook of the client; files have no limit. What
    reads on raises RequestError.
    """
    if response.request.url.path.endswith(CHAT):
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _bounded_body(response.stream, MOST_PACKED if packed else MOST)


def _bounded_body(stream: Any, most: int) -> Any:
    """Return the body of an answer as it comes, up to so many bytes."""
    from httpx2 import AsyncByteStream

    class BoundedBody(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in stream:
                read += len(part)
                if read > most:
                    raise RequestError(MALFORMED, f"an answer of more than {most / 2**20:g} MB")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return BoundedBody()
