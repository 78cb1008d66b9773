"""The table of providers, each fact after a public page or report."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.permit import KEY
from core.models.served.addresses import OFFICIAL

NUMBER = r"([\d,]+)"


@dataclass(frozen=True)
class Overflow:
    """A wording of "too long". `pattern` finds it; its groups are the numbers that it tells, named
    by `numbers`: the `limit`, the `prompt`, the `completion` asked for, the `total` of both, or by
    how many tokens it is `over`.
    """

    pattern: str
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Provider:
    """A provider of models behind a server.

    `base_url` '' has no address of its own: it is to be given. `hosts` are ends of host names by
    which it is recognised. `key_variable` '' needs no key. `length_option` is how the most tokens
    are asked for, `seed_option` the seed ('' = it takes none), `several` whether it writes several
    texts to one request, `top_logprobs` the most likeliest tokens it gives (0 = none), `shapes` the
    ways in which it keeps the shape of an answer (`SHAPE_OPTIONS`), the best first. `key_header` is
    the header of the key where it is another than the usual one. `overflows` are its wordings of
    "too long", and `refusals` patterns of the words with which it refuses one text.
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
    overflows: tuple[Overflow, ...] = ()
    refusals: tuple[str, ...] = ()


GENERIC = Provider(
    "",
    "Another server of the OpenAI protocol",
    overflows=(
        Overflow(r"context[_ ](?:length|window|size)[_ ]exceeded"),
        # PrimeIntellect-ai/prime-agent PR 2086 (LiteLLM)
        Overflow(
            rf"maximum context length of {NUMBER} tokens.{{0,20}} requested a total of {NUMBER} "
            rf"tokens: {NUMBER} tokens from the input messages and {NUMBER} tokens",
            ("limit", "total", "prompt", "completion"),
        ),
        # earendil-works/pi#4943 (Poolside)
        Overflow(
            rf"input length {NUMBER} exceeds the maximum allowed input length of {NUMBER}",
            ("prompt", "limit"),
        ),
        # microsoft/copilot-intellij-feedback#94
        Overflow(
            rf"prompt token count of {NUMBER} exceeds the limit of {NUMBER}", ("prompt", "limit")
        ),
        # 0xBakeer/inference-atlas PR 186
        Overflow(rf"prompt too long: {NUMBER} tokens exceeds \w+ {NUMBER}", ("prompt", "limit")),
        # NVIDIA/TensorRT-LLM#9277, triton-inference-server/tensorrtllm_backend#565
        Overflow(
            rf"prompt length \({NUMBER}(?:\.0)?\).{{0,40}} exceed max_num_tokens \({NUMBER}",
            ("prompt", "limit"),
        ),
        Overflow(
            rf"prompt length \({NUMBER}\) exceeds maximum \w+ length \({NUMBER}",
            ("prompt", "limit"),
        ),
        # autohandai/code-cli#338 (Groq), vanderschaarlab/climb#1 (OpenAI): of a minute
        Overflow(rf"Limit {NUMBER}, Requested {NUMBER}", ("limit", "total")),
        # Z.ai's code 1261
        Overflow(r"(?:prompt|input|request)\b.{0,20}exceeds? (?:the )?max"),
        Overflow(r"context (?:length|window|size|limit)"),
        Overflow(r"(?:prompt|input)\b.{0,40}\btoo long"),
        Overflow(r"inputs? tokens"),
    ),
    refusals=(
        r"content[_ -]?filter",
        r"content[_ -](?:management )?policy",
        r"\bflagged\b",
        r"(?:input|prompt|content|text|output)\b[^.]{0,40}\bblocked",
        r"(?:inappropriate|unsafe|harmful|sensitive|prohibited|disallowed)\b[^.]{0,30}"
        r"\b(?:content|text|words|information|material|topic)",
        r"content\b[^.]{0,30}\b(?:inappropriate|unsafe|harmful|not allowed|prohibited)",
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
            Overflow(
                rf"maximum context length is {NUMBER} tokens.{{0,20}} you requested {NUMBER} "
                rf"tokens? \({NUMBER} in (?:the messages|your prompt)[,;] {NUMBER}",
                ("limit", "total", "prompt", "completion"),
            ),
            Overflow(
                rf"maximum context length is {NUMBER} tokens.{{0,40}} messages "
                rf"(?:have|resulted in) {NUMBER} tokens",
                ("limit", "prompt"),
            ),
            Overflow(
                rf"maximum context length is {NUMBER} tokens.{{0,20}} you requested "
                rf"(?:about )?{NUMBER} tokens",
                ("limit", "total"),
            ),
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
            Overflow(
                rf"endpoint's maximum context length is {NUMBER} tokens.{{0,20}} you requested "
                rf"about {NUMBER} tokens \({NUMBER} of text input[^)]*?{NUMBER} in the output",
                ("limit", "total", "prompt", "completion"),
            ),
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
            Overflow(
                rf"exceed context limit: {NUMBER} \+ {NUMBER} > {NUMBER}",
                ("prompt", "completion", "limit"),
            ),
            # stackblitz/bolt.new#1748
            Overflow(rf"prompt is too long: {NUMBER} tokens > {NUMBER}", ("prompt", "limit")),
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
            Overflow(
                rf"input token count \({NUMBER}\) exceeds the maximum number of tokens allowed "
                rf"\({NUMBER}\)",
                ("prompt", "limit"),
            ),
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
            Overflow(
                rf"prompt contains {NUMBER} tokens.{{0,40}}too large for model with {NUMBER} "
                r"maximum context length",
                ("prompt", "limit"),
            ),
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
            Overflow(
                rf"maximum prompt length is {NUMBER} but the request contains {NUMBER} tokens",
                ("limit", "prompt"),
            ),
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
            Overflow(rf"range of input length should be \[\d+, ?{NUMBER}\]", ("limit",)),
            # langgenius/dify#32221 (Volcano Engine's words)
            Overflow(
                rf"input length {NUMBER} exceeds the maximum length {NUMBER}", ("prompt", "limit")
            ),
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
            Overflow(
                rf"exceeded model token limit: {NUMBER} \(requested: {NUMBER}\)",
                ("limit", "total"),
            ),
            Overflow(r"exceeded model token limit"),
            # MoonshotAI/MoonshotAI-Cookbook#18
            Overflow(rf"model max length exceeded, max length: ?{NUMBER}", ("limit",)),
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
            Overflow(
                rf"maximum context length is {NUMBER} tokens.{{0,20}} you requested {NUMBER} "
                rf"output tokens and your prompt contains at least {NUMBER} input tokens",
                ("limit", "completion", "prompt"),
            ),
            # vllm-project/vllm#33425
            Overflow(
                rf"maximum context length is {NUMBER} tokens.{{0,20}} your request has {NUMBER} "
                rf"input tokens plus {NUMBER} 'max_tokens'",
                ("limit", "prompt", "completion"),
            ),
            Overflow(
                rf"maximum context length is {NUMBER} tokens.{{0,20}} your request has {NUMBER} "
                r"input tokens",
                ("limit", "prompt"),
            ),
            # vllm-project/vllm#12165
            Overflow(
                rf"prompt \(total length {NUMBER}\) is too long to fit into the model \(context "
                rf"length {NUMBER}\)",
                ("prompt", "limit"),
            ),
            # vllm-project/vllm#12600
            Overflow(
                rf"prompt (?:length of |\(length ){NUMBER}\)? is longer than the maximum model "
                rf"length of {NUMBER}",
                ("prompt", "limit"),
            ),
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
            Overflow(
                rf"input \({NUMBER} tokens\) is longer than the model'?s context length "
                rf"\({NUMBER} tokens\)",
                ("prompt", "limit"),
            ),
            # sgl-project/sglang#4048
            Overflow(
                rf"input length \({NUMBER} tokens\) exceeds the maximum allowed length "
                rf"\({NUMBER} tokens\)",
                ("prompt", "limit"),
            ),
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
            Overflow(
                rf"`inputs` tokens \+ `max_new_tokens` must be <= {NUMBER}\. Given: {NUMBER} "
                rf"`inputs` tokens and {NUMBER}",
                ("limit", "prompt", "completion"),
            ),
            # huggingface/text-generation-inference#695
            Overflow(
                rf"`inputs` must have less than {NUMBER} tokens\. Given: {NUMBER}",
                ("limit", "prompt"),
            ),
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
            Overflow(
                rf"prompt too long; exceeded (?:max )?context length by {NUMBER} tokens", ("over",)
            ),
            Overflow(r"input length exceeds (?:the |maximum )*context length"),
        ),
    ),
    Provider(
        # lmstudio.ai/docs/advanced/structured-output; json_schema only, no json_object
        "lmstudio",
        "LM Studio",
        "http://localhost:1234/v1",
        overflows=(
            # lmstudio-ai/lmstudio-bug-tracker#546
            Overflow(
                rf"trying to keep the first {NUMBER} tokens.{{0,120}}context length of only "
                rf"{NUMBER} tokens",
                ("prompt", "limit"),
            ),
            # Gitlawb/openclaude#353
            Overflow(rf"n_keep: ?{NUMBER} ?>= ?n_ctx: ?{NUMBER}", ("prompt", "limit")),
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
            Overflow(
                rf"exceeds the available context size.*\({NUMBER} tokens of {NUMBER}\)",
                ("prompt", "limit"),
            ),
            Overflow(
                rf"request \({NUMBER} tokens\) exceeds the available context size "
                rf"\({NUMBER} tokens\)",
                ("prompt", "limit"),
            ),
            Overflow(r"exceeds the available context size"),
        ),
    ),
)
