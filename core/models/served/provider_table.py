"""The table of providers, each fact after a public page or report."""

from __future__ import annotations

from dataclasses import dataclass

from ..permit import KEY
from .addresses import OFFICIAL


@dataclass(frozen=True)
class Provider:
    """A provider of models behind a server.

    `base_url` '' has no address of its own: it is to be given. `hosts` are ends of host names by
    which it is recognised. `key_variable` '' needs no key. `length_option` is how the most tokens
    are asked for, `seed_option` the seed ('' = it takes none), `several` whether it writes several
    texts to one request, `top_logprobs` the most likeliest tokens it gives (0 = none), `shapes` the
    ways in which it keeps the shape of an answer (`SHAPE_OPTIONS`), the best first. `key_header` is
    the header of the key where it is another than the usual one. `overflows` are its wordings of
    "too long", with `<limit>`, `<prompt>`, `<completion>`, `<total>` (of both) and `<over>` where
    it tells these numbers, and `refusals` patterns of the words with which it refuses one text.
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
    overflows: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()


GENERIC = Provider(
    "",
    "Another server of the OpenAI protocol",
    overflows=(
        r"context[_ ](?:length|window|size)[_ ]exceeded",
        # PrimeIntellect-ai/prime-agent PR 2086 (LiteLLM)
        r"maximum context length of <limit> tokens.{0,20} requested a total of <total> tokens: "
        r"<prompt> tokens from the input messages and <completion> tokens",
        # earendil-works/pi#4943 (Poolside)
        r"input length <prompt> exceeds the maximum allowed input length of <limit>",
        # microsoft/copilot-intellij-feedback#94
        r"prompt token count of <prompt> exceeds the limit of <limit>",
        # 0xBakeer/inference-atlas PR 186
        r"prompt too long: <prompt> tokens exceeds \w+ <limit>",
        # NVIDIA/TensorRT-LLM#9277, triton-inference-server/tensorrtllm_backend#565
        r"prompt length \(<prompt>(?:\.0)?\).{0,40} exceed max_num_tokens \(<limit>",
        r"prompt length \(<prompt>\) exceeds maximum \w+ length \(<limit>",
        # autohandai/code-cli#338 (Groq), vanderschaarlab/climb#1 (OpenAI): of a minute
        r"Limit <limit>, Requested <total>",
        # Z.ai's code 1261
        r"超长|too many tokens",
        r"\b(?:prompt|inputs?|messages?|request|total tokens)\b.{0,40}\bexceeds? (?:the )?"
        r"(?:\w+ ){0,2}?(?:max|limit)",
        r"context (?:length|window|size|limit)",
        r"(?:prompt|input)\b.{0,40}\btoo (?:long|large)",
        r"inputs? tokens",
    ),
    refusals=(
        r"content[_ -]?filter",
        r"content[_ -](?:management )?policy",
        r"\bflagged\b",
        r"(?:input|prompt|content|text|output)\b[^.]{0,40}\bblocked",
        r"(?:inappropriate|unsafe|harmful|sensitive|prohibited|disallowed)\b[^.]{0,30}"
        r"\b(?:content|text|words|information|material|topic)",
        r"content\b[^.]{0,30}\b(?:inappropriate|unsafe|harmful|not allowed|prohibited)|\bNSFW\b",
        r"violat\w+ (?:\w+ ){0,2}(?:terms|polic|guideline)|banned (?:term|word)|high risk\b",
        r"safety (?:system|check|filter|reason|polic|setting|guideline)|SAFETY_CHECK",
        r"usage (?:guideline|polic)|moderation|jailbreak",
        r"\A(?!.*(?:not authorized|request failed)).*guardrail",
        r"敏感|违规|不安全",
        # deepseek-ai/DeepSeek-V2#30, langchain4j/langchain4j#1079 (Zhipu), MiniMax-AI/cli PR 256
        r"content exists risk|code-(?:1301|1026|1027)\b|new_sensitive",
    ),
)
"""Provider of servers outside the table; the last wordings that are tried."""

ROWS = (
    Provider(
        # platform.openai.com/docs/api-reference/chat: max_completion_tokens replaces max_tokens,
        # top_logprobs 0 to 20, response_format json_schema.
        "openai",
        "OpenAI",
        OFFICIAL,
        ("api.openai.com",),
        KEY,
        length_option="max_completion_tokens",
        overflows=(
            # langchain-ai/langchain#24058, orhanerday/ChatGPT#17, AstrBotDevs/AstrBot#1
            r"maximum context length is <limit> tokens.{0,20} you requested <total> tokens? "
            r"\(<prompt> in (?:the messages|your prompt)[,;] <completion>",
            r"maximum context length is <limit> tokens.{0,40} messages (?:have|resulted in) "
            r"<prompt> tokens",
            r"maximum context length is <limit> tokens.{0,20} you requested (?:about )?<total> "
            r"tokens",
        ),
        refusals=(r"content_policy_violation", r"usage policy"),
    ),
    Provider(
        # learn.microsoft.com/azure/foundry/openai/api-version-lifecycle: …/openai/v1 needs no
        # api-version; older addresses do. The key goes in a header of its own.
        "azure",
        "Azure OpenAI",
        "",
        (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"),
        "AZURE_OPENAI_API_KEY",
        key_header="api-key",
        length_option="max_completion_tokens",
        # compl-ai/compl-ai#20, BerriAI/litellm#16231
        refusals=(r"content_filter", r"ResponsibleAIPolicyViolation"),
    ),
    Provider(
        # openrouter.ai/docs/errors: 403 with metadata.reasons and flagged_input is one text.
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        ("openrouter.ai",),
        "OPENROUTER_API_KEY",
        overflows=(
            r"endpoint's maximum context length is <limit> tokens.{0,20} you requested about "
            r"<total> tokens \(<prompt> of text input[^)]*?<completion> in the output",
        ),
        refusals=(r"requires moderation", r"flagged_input"),
    ),
    Provider(
        # platform.claude.com/docs/en/api/openai-sdk: n must be 1; logprobs, seed and
        # response_format are ignored.
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        ("api.anthropic.com",),
        "ANTHROPIC_API_KEY",
        seed_option="",
        several=False,
        top_logprobs=0,
        shapes=(),
        overflows=(
            # docker/docker-agent#569, anthropics/claude-code#5346
            r"exceed context limit: <prompt> \+ <completion> > <limit>",
            # stackblitz/bolt.new#1748
            r"prompt is too long: <prompt> tokens > <limit>",
        ),
    ),
    Provider(
        # ai.google.dev/gemini-api/docs/openai; logprobs "not enabled" on some models
        # (mscraftsman/generative-ai#135), so they are left to its refusal.
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("generativelanguage.googleapis.com",),
        "GEMINI_API_KEY",
        overflows=(
            # google-gemini/gemini-cli#4231
            r"input token count \(<prompt>\) exceeds the maximum number of tokens allowed "
            r"\(<limit>\)",
        ),
        refusals=(r"PROHIBITED_CONTENT", r"blockReason", r"\bSAFETY\b"),
    ),
    Provider(
        # docs.mistral.ai/api: random_seed instead of seed; other names are refused with 422
        # (editor-code-assistant/eca#231).
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        ("api.mistral.ai",),
        "MISTRAL_API_KEY",
        seed_option="random_seed",
        overflows=(
            # docs.mistral.ai/resources/known-limitations
            r"prompt contains <prompt> tokens.{0,40}too large for model with <limit> maximum "
            r"context length",
        ),
    ),
    Provider(
        # api-docs.deepseek.com/api/create-chat-completion: top_logprobs 0 to 20, no n and no seed
        # (as tidyllm's deepseek_chat has it), response_format text or json_object; its "too long"
        # is worded as OpenAI's.
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        ("api.deepseek.com",),
        "DEEPSEEK_API_KEY",
        seed_option="",
        several=False,
        shapes=(),
    ),
    Provider(
        # docs.x.ai/docs/api-reference; top_logprobs 0 to 8, as langchain-xai has it
        "xai",
        "xAI",
        "https://api.x.ai/v1",
        ("api.x.ai",),
        "XAI_API_KEY",
        top_logprobs=8,
        overflows=(
            # cline/cline#3120
            r"maximum prompt length is <limit> but the request contains <prompt> tokens",
        ),
    ),
    Provider(
        # help.aliyun.com/zh/model-studio: OpenAI-compatible mode; some models only stream
        # (infiniflow/ragflow#5912), which is learnt by their refusal.
        "dashscope",
        "Alibaba DashScope",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com"),
        "DASHSCOPE_API_KEY",
        overflows=(
            # QwenLM/qwen-code#98
            r"range of input length should be \[\d+, ?<limit>\]",
            # langgenius/dify#32221 (Volcano Engine's words)
            r"input length <prompt> exceeds the maximum length <limit>",
        ),
        # camel-ai/owl#432, QwenLM/qwen-code#3145
        refusals=(r"data_?inspection_?failed",),
    ),
    Provider(
        # platform.moonshot.ai/docs/api/chat
        "moonshot",
        "Moonshot Kimi",
        "https://api.moonshot.ai/v1",
        ("api.moonshot.ai", "api.moonshot.cn"),
        "MOONSHOT_API_KEY",
        overflows=(
            # MoonshotAI/kimi-cli#2011
            r"exceeded model token limit: <limit> \(requested: <total>\)",
            r"exceeded model token limit",
            # MoonshotAI/MoonshotAI-Cookbook#18
            r"model max length exceeded, max length: ?<limit>",
        ),
    ),
    Provider(
        # docs.vllm.ai/en/latest/features/structured_outputs: guided_* went in v0.12.0; logprobs up
        # to --max-logprobs, 20 by default.
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        shapes=("json_schema", "vllm-choice", "vllm-grammar"),
        overflows=(
            # earendil-works/pi PR 5929: it counts no further than one token too many
            r"maximum context length is <limit> tokens.{0,20} you requested <completion> output "
            r"tokens and your prompt contains at least <prompt> input tokens",
            # vllm-project/vllm#33425
            r"maximum context length is <limit> tokens.{0,20} your request has <prompt> input "
            r"tokens plus <completion> 'max_tokens'",
            r"maximum context length is <limit> tokens.{0,20} your request has <prompt> input "
            r"tokens",
            # vllm-project/vllm#12165
            r"prompt \(total length <prompt>\) is too long to fit into the model \(context "
            r"length <limit>\)",
            # vllm-project/vllm#12600
            r"prompt (?:length of |\(length )<prompt>\)? is longer than the maximum model "
            r"length of <limit>",
        ),
    ),
    Provider(
        # docs.sglang.io/advanced_features/structured_outputs: one of json_schema, regex, ebnf
        "sglang",
        "SGLang",
        "http://localhost:30000/v1",
        shapes=("json_schema", "sglang-choice", "sglang-grammar"),
        overflows=(
            # QwenLM/Qwen3#1321
            r"input \(<prompt> tokens\) is longer than the model'?s context length \(<limit> "
            r"tokens\)",
            # sgl-project/sglang#4048
            r"input length \(<prompt> tokens\) exceeds the maximum allowed length \(<limit> "
            r"tokens\)",
        ),
    ),
    Provider(
        # huggingface/text-generation-inference#3058: response_format {type, value}
        "tgi",
        "Text Generation Inference",
        "http://localhost:8080/v1",
        shapes=("tgi-schema", "tgi-choice"),
        overflows=(
            # huggingface/text-generation-inference#628
            r"`inputs` tokens \+ `max_new_tokens` must be <= <limit>\. Given: <prompt> `inputs` "
            r"tokens and <completion>",
            # huggingface/text-generation-inference#695
            r"`inputs` must have less than <limit> tokens\. Given: <prompt>",
        ),
    ),
    Provider(
        # docs.ollama.com/api/openai-compatibility: response_format, seed, stop, logprobs; no n.
        # Long prompts are mostly cut without a word (ollama/ollama#17944).
        "ollama",
        "Ollama",
        "http://localhost:11434/v1",
        several=False,
        overflows=(
            # Its newer words, as the tests of many clients have them
            r"prompt too long; exceeded (?:max )?context length by <over> tokens",
            r"input length exceeds (?:the |maximum )*context length",
        ),
    ),
    Provider(
        # lmstudio.ai/docs/advanced/structured-output; json_schema only, no json_object
        "lmstudio",
        "LM Studio",
        "http://localhost:1234/v1",
        overflows=(
            # lmstudio-ai/lmstudio-bug-tracker#546
            r"trying to keep the first <prompt> tokens.{0,120}context length of only <limit> "
            r"tokens",
            # Gitlawb/openclaude#353
            r"n_keep: ?<prompt> ?>= ?n_ctx: ?<limit>",
        ),
    ),
    Provider(
        # github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md: response_format,
        # grammar (GBNF), logprobs with bytes
        "llamacpp",
        "llama.cpp",
        "http://localhost:8080/v1",
        shapes=("json_schema", "llamacpp-grammar", "llamacpp-choice"),
        overflows=(
            # ggml-org/llama.cpp#15780; the numbers stand beside the message, and are put behind it
            r"exceeds the available context size.*\(<prompt> tokens of <limit>\)",
            r"request \(<prompt> tokens\) exceeds the available context size \(<limit> tokens\)",
            r"exceeds the available context size",
        ),
    ),
)
