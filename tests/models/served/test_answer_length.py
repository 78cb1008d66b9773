"""An answer without end is read so far and no further; files of results are read to theirs."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from random import Random

import httpx2
import pytest

from core.models.respondent import Options
from core.models.served import connection
from core.models.served.concurrent_requests import wait_for
from core.models.served.connection import (
    MALFORMED,
    MOST,
    MOST_PACKED,
    EndlessAnswerError,
    bound_answer,
)
from core.models.served.endpoint import Endpoint
from tests.server import Server

CHAT, FILES = "http://x/v1/chat/completions", "http://x/v1/files/1/content"


def asked(url: str, content: bytes, headers: dict[str, str] | None = None) -> bytes:
    async def parts() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 2**16):
            yield content[start : start + 2**16]

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers=headers, content=parts())

    async def get() -> bytes:
        transport = httpx2.MockTransport(answer)
        async with httpx2.AsyncClient(
            transport=transport, event_hooks={"response": [bound_answer]}
        ) as client:
            return (await client.get(url)).content

    return bytes(wait_for(get()))


def test_what_is_long_is_read_whole() -> None:
    assert asked(CHAT, b"x" * MOST) == b"x" * MOST


def test_what_is_longer_is_not() -> None:
    with pytest.raises(EndlessAnswerError, match=r"\b32 MB$"):
        asked(CHAT, b"x" * (MOST + 1))


def test_a_packed_answer_may_be_shorter() -> None:
    text = b"some words " * 10_000
    assert asked(CHAT, gzip.compress(text), {"content-encoding": "gzip"}) == text
    longer = gzip.compress(Random(0).randbytes(MOST_PACKED + 1))
    assert MOST_PACKED < len(longer) < MOST
    with pytest.raises(EndlessAnswerError, match="more than 1 MB"):
        asked(CHAT, longer, {"content-encoding": "gzip"})


def test_files_are_read_to_their_end() -> None:
    assert len(asked(FILES, b"x" * (MOST + 1))) == MOST + 1


def test_it_is_a_failure_of_that_question_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST", 2**16)
    with Server(reply=lambda prompt: "x" * 2**16 if prompt == "long" else "A") as server:
        endpoint = Endpoint("fake", Options(base_url=server.url))

        async def choices(prompt: str) -> tuple[str, str]:
            message = {"role": "user", "content": prompt}
            [choice] = (await endpoint.complete([message], max_tokens=1)).choices
            return choice.failure, choice.detail

        said = wait_for(choices("long"))
        assert said[0] == MALFORMED
        assert re.search(r"more than 0\.0625 MB$", said[1])
        assert wait_for(choices("short")) == ("", "")
