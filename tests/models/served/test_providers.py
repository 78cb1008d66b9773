"""Providers: who is found by an address, and which key is sent where."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from itertools import product
from random import Random

import httpx2
import pytest

from core.models import KEY, KeyUse
from core.models.respondent import Options
from core.models.served import PROVIDERS, Endpoint, connection, provider_of
from core.models.served.chat_request import OPEN_QUESTION, PROBES, SHAPE_OPTIONS
from core.models.served.connection import MALFORMED, MOST, MOST_PACKED, bound_answer, wait_for
from core.models.served.providers import checked_url, key_of, options_for, provider_named
from core.models.served.server_errors import RequestError
from core.models.served.wordings import is_overflow, overflow_share
from core.records import TandemError
from tests import document_providers
from tests.server import Server


def test_what_is_no_such_wording() -> None:
    for words in ["no such role", "'temperature' is too hot", "max_tokens is 5"]:
        assert not is_overflow(words)
        assert overflow_share(words) is None


def test_who_is_found_by_an_address() -> None:
    for name, row in PROVIDERS.items():
        assert name == row.name
        assert set(row.shapes) <= set(SHAPE_OPTIONS)
        for host in row.hosts:
            assert (
                provider_of(f"https://x{host}" if host[0] == "." else f"https://{host}/v1") == row
            )
    assert provider_of("").name == "openai"
    for elsewhere in ("http://localhost:8000/v1", "https://api.openai.com.example.org/v1",
                      "https://notopenrouter.ai/api/v1", "https://xapi.openai.com/v1"):  # fmt: skip
        assert provider_of(elsewhere).name == ""


def test_the_address_of_a_provider_unless_another_is_given() -> None:
    assert options_for("ollama") == {"base_url": "http://localhost:11434/v1"}
    assert options_for("ollama", "http://gpu:1/v1") == {"base_url": "http://gpu:1/v1"}
    with pytest.raises(
        TandemError, match=r"^provider azure .*\baddress\b.*base url\b.*\.openai\.azure\.com"
    ):
        options_for("azure")
    with pytest.raises(TandemError, match=r"'openia'.*\bopenai, azure, "):
        provider_named("openia")


def test_which_key_is_sent_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "mistral-key-0123456789")
    monkeypatch.setenv(KEY, "openai-key-0123456789")
    mistral, paired = "https://api.mistral.ai/v1", KeyUse(KEY, is_paired=True)
    for provider, url, permitted, variable in [
        ("", mistral, KeyUse(KEY), "MISTRAL_API_KEY"),
        ("mistral", mistral, KeyUse(KEY), "MISTRAL_API_KEY"),
        # At somebody else's address a provider's key is not sent, whoever names that provider.
        ("mistral", "http://127.0.0.1:9/v1", KeyUse(KEY), KEY),
        # What an owner has paired with the address is kept, and so is no key at all.
        ("", mistral, KeyUse("LAB_KEY"), "LAB_KEY"),
        ("", mistral, KeyUse(""), ""),
        ("openai", "https://api.openai.com/v1", KeyUse(KEY), KEY),
        ("mistral", mistral, paired, KEY),
    ]:
        used = key_of(provider_named(provider, url), url, permitted)
        assert used.variable == variable
        assert used == paired or permitted != paired


def test_azure_gets_its_key_and_its_version_as_it_wants_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "azure-key-0123456789")
    url = "https://lab.openai.azure.com/openai/deployments/judge"
    sdk = Endpoint("m", Options(base_url=url, api_version="2024-10-21")).connection.sdk
    assert sdk.default_headers["api-key"] == "azure-key-0123456789"
    assert sdk.default_query == {"api-version": "2024-10-21"}


def test_the_table_of_the_docs_is_that_of_the_program() -> None:
    page = document_providers.PAGE.read_text(encoding="utf-8")
    assert document_providers.documented(page) == page


# ---- Which addresses of servers can be asked, and what they are called


class TestAddress:
    def test_is_kept_as_people_call_it(self) -> None:
        for url, kept, address in [
            ("", "", "api.openai.com"),
            ("https://api.openai.com/v1/", "", "api.openai.com"),
            ("http://localhost:11434/v1", "http://localhost:11434/v1", "localhost:11434"),
            ("http://10.0.0.7:8000/v1/", "http://10.0.0.7:8000/v1", "10.0.0.7:8000"),
            ("https://host/api/v1", "https://host/api/v1", "host/api"),
            ("http://[::1]:8080", "http://[::1]:8080", "[::1]:8080"),
        ]:
            endpoint = Endpoint("m", Options(base_url=url))
            assert (endpoint.base_url, endpoint.address) == (kept, address)

    def test_one_that_is_none_is_refused(self) -> None:
        for url in [
            "localhost:8000", "ftp://host/v1", "http://", "http://host:99999/v1", "http://host:0", "///",
            "http://[x", "http://\u200bhost/v1", "http://ho st/v1", "http://gpu 1:8000/v1",
            "http://gpu-1:8000/v1\nhttp://gpu-2:8000/v1",
        ]:  # fmt: skip
            said = rf"^base url {re.escape(ascii(url))} .*\baddress\b.* http://localhost:8000/v1$"
            with pytest.raises(TandemError, match=said):
                checked_url(url)

    def test_one_with_a_secret_in_it_is_refused_without_repeating_it(self) -> None:
        says = r"^base url .*\baddress\b.*OPENAI_API_KEY$"
        for place in ["me:secret@host/v1", "host/v1?api-key=secret", "h/#secret"]:
            with pytest.raises(TandemError, match=says) as error:
                checked_url(f"http://{place}")
            assert "secret" not in str(error.value)


# ---- Servers that draw their replies when they are asked to in their own way, and one that never
# does


def endpoint_of(server):
    return Endpoint("fake", Options(base_url=server.url, timeout=5.0), backoff=0.001)


def texts(endpoint, temperature, n=4, prompt="Which one?"):
    asked = endpoint.complete(
        [{"role": "user", "content": prompt}], max_tokens=9, temperature=temperature, n=n
    )
    return [choice.text for choice in wait_for(asked).choices]


def test_each_is_asked_in_the_way_in_which_it_draws() -> None:
    for draws_by, several in product(
        ["temperature", "seed", "do_sample", "generation_config"], [True, False]
    ):
        with Server(draws_by=draws_by, several=several) as server:
            endpoint = endpoint_of(server)
            assert endpoint.samples()
            prompt = OPEN_QUESTION[0]["content"]
            assert len(set(texts(endpoint, 0.7, prompt=prompt))) > 1
            # The same question has the same seeds, so that a run that is repeated hears the same.
            assert not (draws_by == "seed" and texts(endpoint, 0.7) != texts(endpoint, 0.7))
            server.forget()
            texts(endpoint, 0.0)
            assert not any({"seed", "do_sample", "generation_config"} & set(r) for r in server.seen)


def test_the_usual_way_costs_one_request_where_the_server_writes_several() -> None:
    """Models that think first spend the few tokens of the question on that: where nothing is
    written, nothing is known against it.
    """
    with Server() as server:
        assert endpoint_of(server).samples()
        assert [request["n"] for request in server.seen] == [PROBES]
    for reply in ["", "refusal"]:
        with Server(open_reply=reply) as server:
            assert endpoint_of(server).samples()


def test_one_that_never_draws_is_found_out() -> None:
    with Server(draws_by="") as server:
        endpoint = endpoint_of(server)
        assert not endpoint.samples()
        server.forget()
        texts(endpoint, 0.7)
        assert set(server.seen[0]) == {"model", "messages", "temperature", "max_tokens", "n"}
    for refused in [["do_sample"], ["seed", "do_sample", "generation_config"]]:
        with Server(draws_by="generation_config", refuses=refused) as server:
            assert endpoint_of(server).samples() == (len(refused) == 1), "it is no way of drawing"


# ---- An answer without end is read so far and no further; files of results are read to theirs


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


def test_what_is_long_is_read_whole_and_what_is_longer_is_not() -> None:
    assert asked(CHAT, b"x" * MOST) == b"x" * MOST
    assert len(asked(FILES, b"x" * (MOST + 1))) == MOST + 1
    packed, text = {"content-encoding": "gzip"}, b"some words " * 10_000
    assert asked(CHAT, gzip.compress(text), packed) == text
    longer = gzip.compress(Random(0).randbytes(MOST_PACKED + 1))
    assert MOST_PACKED < len(longer) < MOST
    for body, headers, most in ((b"x" * (MOST + 1), None, 32), (longer, packed, 1)):
        with pytest.raises(RequestError, match=rf"\b{most} MB\b"):
            asked(CHAT, body, headers)


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
