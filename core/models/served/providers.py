"""Providers: whose server it is, where it listens, which key it is sent, and how it differs from
OpenAI's protocol. Any other server is the generic one, which is learnt by its refusals
(`chat_request`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...records import TandemError, option_ref
from ..options import KEY, KeyUse

OFFICIAL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Provider:
    """A provider of models behind a server.

    `base_url` '' has no address of its own: it is to be given. `hosts` are ends of host names by
    which it is recognised. `key_variable` '' needs no key. `length_option` is how the most tokens
    are asked for, `seed_option` the seed ('' = it takes none), `several` whether it writes several
    texts to one request, `top_logprobs` the most likeliest tokens it gives (0 = none), `shapes` the
    ways in which it keeps the shape of an answer (`SHAPE_OPTIONS`), the best first. `key_header` is
    the header of the key where it is another than the usual one.
    """

    name: str
    label: str
    base_url: str = ""
    hosts: tuple[str, ...] = ()
    key_variable: str = ""
    key_header: str = ""
    length_option: str = "max_tokens"
    seed_option: str = "seed"
    several: bool = True
    top_logprobs: int = 20
    shapes: tuple[str, ...] = ("json_schema",)


GENERIC = Provider("", "Another server of the OpenAI protocol")
ROWS = (
    # platform.openai.com/docs/api-reference/chat: max_completion_tokens replaces max_tokens
    Provider(
        "openai", "OpenAI", OFFICIAL, ("api.openai.com",), KEY,
        length_option="max_completion_tokens",
    ),
    # learn.microsoft.com/azure/foundry/openai/api-version-lifecycle: …/openai/v1 needs no
    # api-version; older addresses do
    Provider(
        "azure", "Azure OpenAI", "",
        (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"),
        "AZURE_OPENAI_API_KEY", "api-key", "max_completion_tokens",
    ),
    Provider(
        "openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ("openrouter.ai",),
        "OPENROUTER_API_KEY",
    ),
    # platform.claude.com/docs/en/api/openai-sdk: n must be 1; logprobs, seed and response_format
    # are ignored
    Provider(
        "anthropic", "Anthropic", "https://api.anthropic.com/v1", ("api.anthropic.com",),
        "ANTHROPIC_API_KEY", seed_option="", several=False, top_logprobs=0, shapes=(),
    ),
    # ai.google.dev/gemini-api/docs/openai; logprobs are left to its refusal of some models'
    # (mscraftsman/generative-ai#135)
    Provider(
        "gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai",
        ("generativelanguage.googleapis.com",), "GEMINI_API_KEY",
    ),
    # docs.mistral.ai/api; other names are refused with 422 (editor-code-assistant/eca#231)
    Provider(
        "mistral", "Mistral", "https://api.mistral.ai/v1", ("api.mistral.ai",), "MISTRAL_API_KEY",
        seed_option="random_seed",
    ),
    # api-docs.deepseek.com/api/create-chat-completion: no n and no seed (as tidyllm has it),
    # response_format text or json_object
    Provider(
        "deepseek", "DeepSeek", "https://api.deepseek.com/v1", ("api.deepseek.com",),
        "DEEPSEEK_API_KEY", seed_option="", several=False, shapes=(),
    ),
    # docs.x.ai/docs/api-reference; top_logprobs 0 to 8, as langchain-xai has it
    Provider(
        "xai", "xAI", "https://api.x.ai/v1", ("api.x.ai",), "XAI_API_KEY", top_logprobs=8,
    ),
    # help.aliyun.com/zh/model-studio: OpenAI-compatible mode
    Provider(
        "dashscope", "Alibaba DashScope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com"), "DASHSCOPE_API_KEY",
    ),
    # platform.moonshot.ai/docs/api/chat
    Provider(
        "moonshot", "Moonshot Kimi", "https://api.moonshot.ai/v1",
        ("api.moonshot.ai", "api.moonshot.cn"), "MOONSHOT_API_KEY",
    ),
    # docs.vllm.ai/en/latest/features/structured_outputs: guided_* went in v0.12.0
    Provider(
        "vllm", "vLLM", "http://localhost:8000/v1",
        shapes=("json_schema", "vllm-choice"),
    ),
    # docs.sglang.io/advanced_features/structured_outputs: one of json_schema, regex, ebnf
    Provider(
        "sglang", "SGLang", "http://localhost:30000/v1",
        shapes=("json_schema", "sglang-choice"),
    ),
    # huggingface/text-generation-inference#3058: response_format {type, value}
    Provider(
        "tgi", "Text Generation Inference", "http://localhost:8080/v1",
        shapes=("tgi-schema", "tgi-choice"),
    ),
    # docs.ollama.com/api/openai-compatibility: no n
    Provider("ollama", "Ollama", "http://localhost:11434/v1", several=False),
    # lmstudio.ai/docs/advanced/structured-output: json_schema only
    Provider("lmstudio", "LM Studio", "http://localhost:1234/v1"),
    # github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    Provider(
        "llamacpp", "llama.cpp", "http://localhost:8080/v1",
        shapes=("json_schema", "llamacpp-choice"),
    ),
)  # fmt: skip
PROVIDERS: Mapping[str, Provider] = {row.name: row for row in ROWS}
"""By the name that `provider` takes; each fact after a public page or report."""


def provider_of(url: str) -> Provider:
    """Return the provider of an address's host ('' = the official one), else the generic one."""
    host = (urlsplit(url or OFFICIAL).hostname or "").casefold()
    for row in ROWS:
        # A dot before it: notopenrouter.ai is somebody else.
        if f".{host}".endswith(tuple(f".{own.lstrip('.')}" for own in row.hosts)):
            return row
    return GENERIC


def provider_named(name: str, url: str = "") -> Provider:
    """Return the provider of a name; without one that of the address.

    Raises TandemError for a name that nobody has.
    """
    if not name:
        return provider_of(url)
    if name not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise TandemError(f"{option_ref('provider')} {name!r} is unknown; there are {known}")
    return PROVIDERS[name]


def options_for(name: str, base_url: str = "") -> dict[str, str]:
    """Return the options that a provider implies: its address, unless one is given.

    Raises TandemError for a provider without an address of its own if none is given.
    """
    url = base_url or provider_named(name).base_url
    if name and not url:
        raise TandemError(
            f"{option_ref('provider')} {name} has no address of its own: give "
            f"{option_ref('base_url')} with yours, such as https://NAME.openai.azure.com/openai/v1"
        )
    return {"base_url": url} if url else {}


def key_of(provider: Provider, url: str, used: KeyUse) -> KeyUse:
    """Return which key a server is sent. It is that of its provider at the provider's own host,
    if it is set and nobody has paired another with the address. Otherwise it is the permitted
    key.
    """
    own = provider.key_variable
    at_home = bool(own) and provider_of(url).name == provider.name
    if used.is_paired or used.variable != KEY or not at_home or own == KEY:
        return used
    if not read_key(own) and read_key(KEY):
        return used
    return KeyUse(own, (*used.other_variables, KEY))


def read_key(variable: str) -> str:
    """Return the key in a variable of the environment; '' for none."""
    return os.environ.get(variable, "").strip() if variable else ""


def address(url: str) -> str:
    """Return a server as people call it: host, port, and the path where it is not the usual one."""
    parts = urlsplit(url)
    return parts.netloc + parts.path.rstrip("/").removesuffix("/v1")


def checked_url(base_url: str, called: str = "") -> str:
    """Return the address without a slash at its end, '' for the official one.

    Raises TandemError for one that cannot be; `called` is what the sentence calls it (default: the
    setting).
    """
    called = called or option_ref("base_url")
    url = base_url.strip().rstrip("/")
    if not base_url.strip() or url == OFFICIAL:
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.username or parts.password or parts.query or parts.fragment:
        # The value is left out: it would be in the terminal, and in all logs of the terminal.
        raise TandemError(f"{called} has more than an address in it: the key belongs into {KEY}")
    is_plain = url.isprintable() and " " not in url  # else it leads elsewhere than it looks
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not is_plain:
        raise TandemError(
            f"{called} {base_url!r} is not an address of a server; one is http://localhost:8000/v1"
        )
    return url


def redirect_host(location: str) -> str:
    """Return the host that an answer redirects to, without the rest of the address."""
    try:
        parts = urlsplit(location)
        if not parts.hostname:
            return "another address there"
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return "another address"
