"""Maximum length of an answer: one without end would fill the memory of its reader.

Imported with the client, as it takes as long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from httpx2 import AsyncByteStream

from .batch_lines import PATH

MOST = 32 * 2**20  # bytes; twenty texts with the probabilities of their tokens take less than 2 MB
MOST_PACKED = 2**20  # bytes of one that comes packed, which may be a thousandth of what it holds


class EndlessAnswerError(Exception):
    """An answer was read no further."""


class _BoundedBody(AsyncByteStream):
    """The body of an answer as it comes, up to so many bytes."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for part in self._stream:
            read += len(part)
            if read > self._most:
                raise EndlessAnswerError(f"an answer of more than {self._most / 2**20:g} MB")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound_answer(response: Any) -> None:
    """Limit the length of a model's answer, as a hook of the client; files have no limit."""
    if response.request.url.path.endswith(PATH.removeprefix("/v1")):
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _BoundedBody(response.stream, MOST_PACKED if packed else MOST)
