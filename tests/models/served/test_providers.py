"""Providers: who is found by an address, which key is sent where, and every wording of "too long"."""

from __future__ import annotations

import pytest

from core.models.permit import KEY, KeyUse
from core.models.respondent import Options
from core.models.served import PROVIDERS, Endpoint, provider_of
from core.models.served.chat_request import SHAPE_OPTIONS
from core.models.served.providers import key_of, options_for, provider_named
from core.models.served.wordings import is_overflow, overflow_share
from core.records import TandemError
from tests import document_providers

# What each says of a prompt that is too long, where it was reported, and the share that is too much
# by its own numbers: one less the tokens that there is room for, over those of the prompt.
WORDINGS = {
    "openai": (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "10240 tokens. Please reduce the length of the messages.",
        1 - 8192 / 10240,
    ),
    "vLLM#20409": (
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens "
        "(112946 in the messages, 10000 in the completion). Please reduce the length",
        1 - 6384 / 112946,
    ),
    "vllm#33425": (
        "This model's maximum context length is 2048 tokens. However, your request has 3000 input "
        "tokens plus 45 'max_tokens'. Please reduce one or the other.",
        1 - 2003 / 3000,
    ),
    "vllm#12165": (
        "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
        1 - 4096 / 25938,
    ),
    "TGI#695": (
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 1168",
        1 - 1024 / 1168,
    ),
    "TGI#628": (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 "
        "`inputs` tokens and 1000 `max_new_tokens`",
        1 - 1048 / 1244,
    ),
    "gemini-cli#4231": (
        "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).",
        1 - 1048576 / 3475108,
    ),
    "xAI, cline#3120": (
        "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        1 - 131072 / 136973,
    ),
    "DashScope, qwen-code#98": (
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]",
        None,
    ),
    "Moonshot, kimi-cli#2011": (
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
        1 - 262144 / 269030,
    ),
    "anthropic, claude-code#5346": (
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
        "input length or `max_tokens` and try again",
        1 - 178667 / 188240,
    ),
    "anthropic, bolt.new#1748": (
        "prompt is too long: 202128 tokens > 200000 maximum",
        1 - 200000 / 202128,
    ),
    "mistral": (
        "Prompt contains 40103 tokens, too large for model with 32768 maximum context length",
        1 - 32768 / 40103,
    ),
    "deepseek": (
        "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens "
        "(62000 in the messages, 8000 in the completion).",
        1 - 57536 / 62000,
    ),
    "sglang, Qwen3#1321": (
        "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
        1 - 40960 / 61709,
    ),
    "sglang#4048": (
        "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
        1 - 59862 / 160062,
    ),
    "ollama": ("prompt too long; exceeded max context length by 1200 tokens", None),
    "lmstudio-bug-tracker#546": (
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is "
        "loaded with context length of only 32768 tokens, which is not enough.",
        1 - 32768 / 111490,
    ),
    "LM Studio, openclaude#353": (
        "The number of tokens to keep from the initial prompt is greater than the context length "
        "(n_keep: 13055>= n_ctx: 4096).",
        1 - 4096 / 13055,
    ),
    "llama.cpp#15780": (
        "the request exceeds the available context size. try increasing the context size or enable "
        "context shift (1407 tokens of 256)",
        1 - 256 / 1407,
    ),
}


def test_every_wording_of_too_long() -> None:
    for words, share in WORDINGS.values():
        assert is_overflow(words)
        found = overflow_share(f"HTTP 400: {words}")
        assert found is None if share is None else found == pytest.approx(share)


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
    for provider, url, permitted, variable in [
        ("", "https://api.mistral.ai/v1", KEY, "MISTRAL_API_KEY"),
        ("mistral", "https://api.mistral.ai/v1", KEY, "MISTRAL_API_KEY"),
        # At somebody else's address a provider's key is not sent, whoever names that provider.
        ("mistral", "http://127.0.0.1:9/v1", KEY, KEY),
        # What an owner has paired with the address is kept, and so is no key at all.
        ("", "https://api.mistral.ai/v1", "LAB_KEY", "LAB_KEY"),
        ("", "https://api.mistral.ai/v1", "", ""),
        ("openai", "https://api.openai.com/v1", KEY, KEY),
    ]:
        monkeypatch.setenv("MISTRAL_API_KEY", "mistral-key-0123456789")
        monkeypatch.setenv(KEY, "openai-key-0123456789")
        row = provider_named(provider, url)
        assert key_of(row, url, KeyUse(permitted)).variable == variable


def test_a_key_that_somebody_has_paired_with_an_address_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "mistral-key-0123456789")
    used = KeyUse(KEY, is_paired=True)
    assert key_of(provider_named("mistral"), "https://api.mistral.ai/v1", used) == used


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
