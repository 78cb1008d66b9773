"""Words of servers by meaning: a prompt that is too long, one text that is refused, no credit, no
quota, a wrong key. All are tried on every server, as proxies hand on the words of whoever is behind
them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

TOO_LONG = (
    # OpenAI and vLLM: langchain-ai/langchain#24058, orhanerday/ChatGPT#17, AstrBotDevs/AstrBot#1,
    # vllm-project/vllm#33425 #12165 #12600, earendil-works/pi PR 5929 (it counts no further than
    # one token too many)
    r"maximum context length is <limit> tokens.{0,20} you requested <total> tokens? "
    r"\(<prompt> in (?:the messages|your prompt)[,;] <completion>",
    r"maximum context length is <limit> tokens.{0,40} messages "
    r"(?:have|resulted in) <prompt> tokens",
    r"maximum context length is <limit> tokens.{0,20} you requested (?:about )?<total> tokens",
    r"maximum context length is <limit> tokens.{0,20} you requested <completion> output tokens and "
    r"your prompt contains at least <prompt> input tokens",
    r"maximum context length is <limit> tokens.{0,20} your request has <prompt> input tokens plus "
    r"<completion> 'max_tokens'",
    r"maximum context length is <limit> tokens.{0,20} your request has <prompt> input tokens",
    r"prompt \(total length <prompt>\) is too long to fit into the model "
    r"\(context length <limit>\)",
    r"prompt (?:length of |\(length )<prompt>\)? is longer than the maximum "
    r"model length of <limit>",
    # OpenRouter
    r"endpoint's maximum context length is <limit> tokens.{0,20} you "
    r"requested about <total> tokens "
    r"\(<prompt> of text input[^)]*?<completion> in the output",
    # Anthropic: docker/docker-agent#569, anthropics/claude-code#5346, stackblitz/bolt.new#1748
    r"exceed context limit: <prompt> \+ <completion> > <limit>",
    r"prompt is too long: <prompt> tokens > <limit>",
    # google-gemini/gemini-cli#4231; docs.mistral.ai/resources/known-limitations; cline/cline#3120
    r"input token count \(<prompt>\) exceeds the maximum number of tokens allowed \(<limit>\)",
    r"prompt contains <prompt> tokens.{0,40}too large for model with "
    r"<limit> maximum context length",
    r"maximum prompt length is <limit> but the request contains <prompt> tokens",
    # QwenLM/qwen-code#98, langgenius/dify#32221 (Volcano Engine)
    r"range of input length should be \[\d+, ?<limit>\]",
    r"input length <prompt> exceeds the maximum length <limit>",
    # MoonshotAI/kimi-cli#2011, MoonshotAI/MoonshotAI-Cookbook#18
    r"exceeded model token limit: <limit> \(requested: <total>\)",
    r"exceeded model token limit",
    r"model max length exceeded, max length: ?<limit>",
    # SGLang: QwenLM/Qwen3#1321, sgl-project/sglang#4048
    r"input \(<prompt> tokens\) is longer than the model'?s context length \(<limit> tokens\)",
    r"input length \(<prompt> tokens\) exceeds the maximum allowed length \(<limit> tokens\)",
    # huggingface/text-generation-inference#628 #695
    r"`inputs` tokens \+ `max_new_tokens` must be <= <limit>\. Given: <prompt> `inputs` tokens and "
    r"<completion>",
    r"`inputs` must have less than <limit> tokens\. Given: <prompt>",
    # Ollama, as the tests of many clients have it
    r"prompt too long; exceeded (?:max )?context length by <over> tokens",
    r"input length exceeds (?:the |maximum )*context length",
    # lmstudio-ai/lmstudio-bug-tracker#546, Gitlawb/openclaude#353
    r"trying to keep the first <prompt> tokens.{0,120}context length of only <limit> tokens",
    r"n_keep: ?<prompt> ?>= ?n_ctx: ?<limit>",
    # ggml-org/llama.cpp#15780; the numbers stand beside the message, and are put behind it
    r"exceeds the available context size.*\(<prompt> tokens of <limit>\)",
    r"request \(<prompt> tokens\) exceeds the available context size \(<limit> tokens\)",
    r"exceeds the available context size",
    # PrimeIntellect-ai/prime-agent PR 2086 (LiteLLM), earendil-works/pi#4943 (Poolside)
    r"maximum context length of <limit> tokens.{0,20} requested a total of <total> tokens: "
    r"<prompt> tokens from the input messages and <completion> tokens",
    r"input length <prompt> exceeds the maximum allowed input length of <limit>",
    # microsoft/copilot-intellij-feedback#94, 0xBakeer/inference-atlas PR 186
    r"prompt token count of <prompt> exceeds the limit of <limit>",
    r"prompt too long: <prompt> tokens exceeds \w+ <limit>",
    # NVIDIA/TensorRT-LLM#9277, triton-inference-server/tensorrtllm_backend#565
    r"prompt length \(<prompt>(?:\.0)?\).{0,40} exceed max_num_tokens \(<limit>",
    r"prompt length \(<prompt>\) exceeds maximum \w+ length \(<limit>",
    # autohandai/code-cli#338 (Groq), vanderschaarlab/climb#1 (OpenAI): of a minute
    r"Limit <limit>, Requested <total>",
    # Z.ai's code 1261, and anybody's
    r"超长|too many tokens",
    r"context[_ ](?:length|window|size)[_ ]exceeded",
    r"\b(?:prompt|inputs?|messages?|request|total tokens)\b.{0,40}\bexceeds? (?:the )?"
    r"(?:\w+ ){0,2}?(?:max|limit)",
    r"context (?:length|window|size|limit)",
    r"(?:prompt|input)\b.{0,40}\btoo (?:long|large)",
    r"inputs? tokens",
)
"""With `<limit>`, `<prompt>`, `<completion>`, `<total>` (of both) and `<over>` where these numbers
are told.
"""

REFUSED = (
    # OpenAI; Azure: compl-ai/compl-ai#20, BerriAI/litellm#16231; OpenRouter; Gemini
    r"content_policy_violation|usage policy|ResponsibleAIPolicyViolation|requires moderation"
    r"|flagged_input|PROHIBITED_CONTENT|blockReason|\bSAFETY\b"
    # DashScope: camel-ai/owl#432, QwenLM/qwen-code#3145
    r"|data_?inspection_?failed"
    # deepseek-ai/DeepSeek-V2#30, langchain4j/langchain4j#1079 (Zhipu), MiniMax-AI/cli PR 256
    r"|content exists risk|code-(?:1301|1026|1027)\b|new_sensitive|敏感|违规|不安全"
    r"|content[_ -]?filter|content[_ -](?:management )?policy|\bflagged\b"
    r"|(?:input|prompt|content|text|output)\b[^.]{0,40}\bblocked"
    r"|(?:inappropriate|unsafe|harmful|sensitive|prohibited|disallowed)\b[^.]{0,30}"
    r"\b(?:content|text|words|information|material|topic)"
    r"|content\b[^.]{0,30}\b(?:inappropriate|unsafe|harmful|not allowed|prohibited)|\bNSFW\b"
    r"|violat\w+ (?:\w+ ){0,2}(?:terms|polic|guideline)|banned (?:term|word)|high risk\b"
    r"|safety (?:system|check|filter|reason|polic|setting|guideline)|SAFETY_CHECK"
    r"|usage (?:guideline|polic)|moderation|jailbreak"
    r"|\A(?!.*(?:not authorized|request failed)).*guardrail"
)
# OpenAI, Moonshot (MoonshotAI/Kimi-K2#5), Anthropic, xAI, DashScope, Zhipu, Fireworks ...
NO_CREDIT = (
    r"insufficient[_ -](?:account[_ -])?(?:quota|balance|credits?|funds)|exceeded_current_quota"
    r"|(?:balance|credits?|funds) (?:(?:is|are|have|has) )?"
    r"(?:insufficient|too low|depleted|exhausted|run out|used up)"
    r"|(?:out of|no|not enough|have any|all available) credits?\b|need.{0,10} more credits|no quota"
    r"|billing[_ ]hard[_ ]limit|billing_not_active|payment[_ ](?:method[_ ])?required"
    r"|spend(?:ing)?[_ -]limit|key limit exceeded|free tier\b.{0,40}\bexhausted"
    r"|budget[_ ](?:limit|(?:has been )?exceeded)|exceeded (?:\w+ )?budget"
    r"|arrear|overdue|account is in good standing|欠费|(?:余额|额度)不足"
)
# A quota that is not renewed within the run, whatever wait the same body tells (inspect_ai#5526)
NO_QUOTA = (
    r"(?:per[_ -]?|/ ?)(?:day|week|month)|\b(?:daily|weekly|monthly)\b|\b[RT]PD\b"
    r"|\blimit: 0(?![\d.])"
)
OF_KEY = (
    r"key|token|credential|auth|permission|access|forbidden|allowed|denied|countr|region|territor"
    r"|locat|organi[sz]ation|project|team|account|subscription|suspended|not active|\bip\b"
)
# Keys that some refuse with 400 (xAI, Gemini), and accounts
NO_KEY = (
    r"(?:incorrect|invalid|expired)[_ ]api[_ -]?key|api[_ -]?key[_ ](?:is )?(?:not valid|invalid"
    r"|expired)|organi[sz]ation has been disabled|location is not supported"
)
RATE = r"rate[_ -]?limit|too[_ ]?many[_ ]?requests|throttl|slow down"
OVER_A_MINUTE = r"\bLimit ([\d,]+), Requested ([\d,]+)"
"""More tokens at once than a minute has: "(TPM): Limit 700, Requested 900", with nothing "Used"."""

_OVERFLOWS = sorted(
    (
        re.compile(re.sub(r"<(\w+)>", r"(?P<\1>[\\d,]+)", words), re.IGNORECASE | re.DOTALL)
        for words in TOO_LONG
    ),
    key=lambda pattern: -pattern.groups,  # those with most numbers say most
)
_REFUSALS = re.compile(REFUSED, re.IGNORECASE)


def is_overflow(text: str) -> bool:
    """Return whether a server says that a prompt is too long."""
    return any(pattern.search(text) for pattern in _OVERFLOWS)


def overflow_share(text: str) -> float | None:
    """Return the share of the prompt that is too much, as a server tells it in numbers; None where
    it tells no numbers, or such as cannot be.
    """
    for pattern in _OVERFLOWS:
        match = pattern.search(text)
        if match and pattern.groups:
            told = match.groupdict().items()
            return _share({name: int(number.replace(",", "") or 0) for name, number in told}, text)
    return None


def _share(told: Mapping[str, int], text: str) -> float | None:
    limit, completion = told.get("limit", 0), told.get("completion", 0)
    prompt = told.get("prompt") or told.get("total", 0) - completion
    excess = prompt + completion - limit
    if not limit or prompt <= 0 or excess <= 0 or (excess == 1 and "at least" in text):
        return None
    return min(1.0, 1.0 - (limit - completion) / prompt)


def refuses_text(text: str) -> bool:
    """Return whether a server says that it refuses this one text."""
    return bool(_REFUSALS.search(text))
