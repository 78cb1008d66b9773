"""Wordings of servers' errors as public issues quote them, each in the class that it belongs to."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Wording(NamedTuple):
    """An error of a server: where it is quoted, its HTTP status, what the body says, its `means`:
    "refused" (this text), "no credit", "no quota", "wait" (with `seconds`, 0 = untold), "too long"
    (with the `share` of the prompt that is too much, where the numbers tell it), "key", or "broken".
    """

    source: str
    status: int
    body: Any
    means: str
    seconds: float = 0.0
    share: float | None = None


def _error(message: str, code: str = "", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "code": code, **more}}


def _gemini(message: str, quota: str, delay: str = "") -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = [{"@type": "QuotaFailure", "violations": [{"quotaId": quota}]}]
    details += [{"@type": "RetryInfo", "retryDelay": delay}] if delay else []
    error = {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}
    return [{"error": error}]


_EXCEEDED = (
    "You exceeded your current quota, please check your plan and billing details. For more "
    "information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."
)
_TEAM = (
    "Your team 1 has either used all available credits or reached its monthly spending limit. To "
    "continue making API requests, please purchase more credits or raise your spending limit."
)
_GROQ = (
    "Rate limit reached for model `m` in organization `o` service tier `on_demand` on tokens per "
)
_AZURE = (
    "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-02-01 "
    "have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after {} "
    "seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further "
    "increase the default rate limit."
)
_PAGE = "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head></html>"

_TOO_LONG = (
    ("openai", 1 - 8192 / 10240, "This model's maximum context length is 8192 tokens. However, "
     "your messages resulted in 10240 tokens. Please reduce the length of the messages."),
    ("vLLM#20409", 1 - 6384 / 112946, "This model's maximum context length is 16384 tokens. "
     "However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). "
     "Please reduce the length"),
    ("vllm#33425", 1 - 2003 / 3000, "This model's maximum context length is 2048 tokens. "
     "However, your request has 3000 input tokens plus 45 'max_tokens'. Please reduce one or "
     "the other."),
    ("vllm#12165", 1 - 4096 / 25938, "The prompt (total length 25938) is too long to fit into "
     "the model (context length 4096)."),
    ("TGI#695", 1 - 1024 / 1168, "Input validation error: `inputs` must have less than 1024 "
     "tokens. Given: 1168"),
    ("TGI#628", 1 - 1048 / 1244, "Input validation error: `inputs` tokens + `max_new_tokens` "
     "must be <= 2048. Given: 1244 `inputs` tokens and 1000 `max_new_tokens`"),
    ("gemini-cli#4231", 1 - 1048576 / 3475108, "The input token count (3475108) exceeds the "
     "maximum number of tokens allowed (1048576)."),
    ("xAI, cline#3120", 1 - 131072 / 136973, "This model's maximum prompt length is 131072 but "
     "the request contains 136973 tokens."),
    ("DashScope, qwen-code#98", None, "<400> InternalError.Algo.InvalidParameter: Range of input "
     "length should be [1, 204800]"),
    ("Moonshot, kimi-cli#2011", 1 - 262144 / 269030, "Invalid request: Your request exceeded "
     "model token limit: 262144 (requested: 269030)"),
    ("anthropic, claude-code#5346", 1 - 178667 / 188240, "input length and `max_tokens` exceed "
     "context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try "
     "again"),
    ("anthropic, bolt.new#1748", 1 - 200000 / 202128, "prompt is too long: 202128 tokens > "
     "200000 maximum"),
    ("mistral", 1 - 32768 / 40103, "Prompt contains 40103 tokens, too large for model with 32768 "
     "maximum context length"),
    ("deepseek", 1 - 57536 / 62000, "This model's maximum context length is 65536 tokens. "
     "However, you requested 70000 tokens (62000 in the messages, 8000 in the completion)."),
    ("sglang, Qwen3#1321", 1 - 40960 / 61709, "The input (61709 tokens) is longer than the "
     "model's context length (40960 tokens)."),
    ("sglang#4048", 1 - 59862 / 160062, "Input length (160062 tokens) exceeds the maximum "
     "allowed length (59862 tokens)."),
    ("ollama", None, "prompt too long; exceeded max context length by 1200 tokens"),
    ("lmstudio-bug-tracker#546", 1 - 32768 / 111490, "Trying to keep the first 111490 tokens "
     "when context the overflows. However, the model is loaded with context length of only "
     "32768 tokens, which is not enough."),
    ("LM Studio, openclaude#353", 1 - 4096 / 13055, "The number of tokens to keep from the "
     "initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)."),
    ("llama.cpp#15780", 1 - 256 / 1407, "the request exceeds the available context size. try "
     "increasing the context size or enable context shift (1407 tokens of 256)"),
)  # fmt: skip
"""Where each is quoted, the share of the prompt that is too much by its own numbers, the words."""

WORDINGS = (
    # One text is refused
    Wording("UKGovernmentBEIS/inspect_ai PR 2267", 403, {
        "code": "The caller does not have permission to execute the specified operation",
        "error": "Content violates usage guidelines. Team: t, API key ID: k, Model: grok-4-0709, "
        "Failed check: SAFETY_CHECK_TYPE_BIO"}, "refused"),
    Wording("theopenco/llmgateway PR 1785", 403, {
        "code": "permission", "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_CSAM"}, "refused"),
    Wording("deepseek-ai/DeepSeek-V2#30", 400, {"detail": "Content Exists Risk"}, "refused"),
    Wording("666ghj/BettaFish#108", 400, _error(
        "Content Exists Risk", "invalid_request_error", type="invalid_request_error"), "refused"),
    Wording("langchain4j/langchain4j#1079", 400, _error(
        "系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语，感谢您的配合。", "1301"),
        "refused"),
    Wording("esengine/DeepSeek-Reasonix PR 6824", 422, {
        "base_resp": {"status_code": 1026, "status_msg": "input new_sensitive"}}, "refused"),
    Wording("MiniMax-AI/cli PR 256", 200, {
        "base_resp": {"status_code": 1027, "status_msg": "output new_sensitive"}}, "refused"),
    Wording("Samueli924/chaoxing#539", 400, _error(
        "Input data may contain inappropriate content.", "data_inspection_failed"), "refused"),
    Wording("BerriAI/litellm PR 38721", 400, _error(
        "Content blocked: keyword 'kumquat' detected", "400"), "refused"),
    Wording("BerriAI/litellm PR 38869", 400, _error("Violated OpenAI moderation policy"), "refused"),
    Wording("BerriAI/litellm PR 24507", 500, _error(
        "Guardrail raised an exception, Guardrail: g, Message: pii detected"), "refused"),
    Wording("MobileLLM/ChainStream#43", 400, _error(
        "Your input image may contain content that is not allowed by our safety system."), "refused"),
    Wording("moonshot", 400, _error("The request was rejected because it was considered high risk"), "refused"),
    Wording("siliconflow", 403, {"code": 20015, "message": "Your request contains content that "
            "violates the terms of service."}, "refused"),
    Wording("cloudflare workers-ai", 403, {"errors": [{
        "message": "AiError: Input prompt contains NSFW content"}]}, "refused"),
    # No credit
    Wording("openrouter, limit of a key", 403, _error(
        "Key limit exceeded. Manage it using https://openrouter.ai/settings/keys"), "no credit"),
    Wording("litellm, budget", 400, _error(
        "Budget has been exceeded! Current cost: 10.5, Max budget: 10.0", type="budget_exceeded"),
        "no credit"),
    Wording("litellm, user's budget", 429, _error(
        "ExceededBudget: User has exceeded their budget. Current spend: 12"), "no credit"),
    Wording("x.ai, a new team", 403, {"error": "Your newly created team doesn't have any credits or licenses yet."}, "no credit"),
    Wording("dashscope, free tier", 403, _error(
        "The free tier of the model has been exhausted. If you wish to continue access the model on "
        "a paid basis, please disable the free tier only mode", "AllocationQuota.FreeTierOnly"),
        "no credit"),
    Wording("anthropics/claude-code#4684", 400, {"type": "error", "error": {
        "type": "invalid_request_error", "message": "Your credit balance is too low to access the "
        "Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}, "no credit"),
    Wording("dfinke/PowerShellAI#127", 400, _error(
        "Billing hard limit has been reached", "billing_hard_limit_reached"), "no credit"),
    Wording("hsliuping/TradingAgents-CN#170", 400, _error(
        "Access denied, please make sure your account is in good standing.", "Arrearage"),
        "no credit"),
    Wording("RooCodeInc/Roo-Code#12309", 403, _error(
        "Access denied due to overdue account"), "no credit"),
    Wording("pollinations/pollinations#12136", 412, _error(
        "Account p is suspended, possibly due to reaching the monthly spending limit or failure to "
        "pay past invoices. Please go to https://fireworks.ai/account/billing for more "
        "information.", "PRECONDITION_FAILED"), "no credit"),
    Wording("dyad-sh/dyad#3626", 429, _error(
        "Your prepayment credits are depleted. Please go to AI Studio at "
        "https://ai.studio/projects to manage your project and billing."), "no credit"),
    Wording("continuedev/continue#10373", 429, _TEAM, "no credit"),
    Wording("Anantys-oss/koan#2412", 403, {"code": "permission-denied", "error": _TEAM}, "no credit"),
    Wording("Wei-Shaw/sub2api#4069", 403, {"error": "You have run out of credits or need a Grok "
            "subscription. Add credits at https://grok.com/?_s=usage"}, "no credit"),
    Wording("Wei-Shaw/sub2api#890", 403, {
        "code": "INSUFFICIENT_BALANCE", "message": "Insufficient account balance"}, "no credit"),
    Wording("TiaraBasori/OpenCode2API#5", 401, {
        "message": "Insufficient balance. Manage your billing here: https://opencode.ai",
        "type": "CreditsError"}, "no credit"),
    Wording("FoundationAgents/OpenManus#438", 403, {
        "code": 30011, "message": "The selected model requires paid balance. Your paid balance is "
        "insufficient. Please top up and try again.", "data": None}, "no credit"),
    Wording("modelscope/modelscope#1691", 429, _error(
        "insufficient balance (1008)", type="insufficient_balance_error"), "no credit"),
    Wording("anthropics/claude-code#9201", 429, {"type": "error", "error": {
        "type": "1113", "message": "Insufficient balance or no resource package. Please recharge."}},
        "no credit"),
    Wording("langgenius/dify#5850", 429, _error("您的账户已欠费，请充值后重试。", "1113"), "no credit"),
    Wording("continuedev/continue#11823", 429, "余额不足或无可用资源包,请充值。", "no credit"),
    Wording("QuantumNous/new-api#6929", 403, _error("用户额度不足, 剩余额度: ＄-0.000002"), "no credit"),
    Wording("666ghj/BettaFish#286", 402, _error("Insufficient Balance"), "no credit"),
    Wording("can1357/oh-my-pi#9569", 402, _error(
        "This request requires more credits, or fewer max_tokens. You requested up to 65536 "
        "tokens, but can only afford 5000"), "no credit"),
    Wording("OpenHands/OpenHands#998", 429, _error(
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota"), "no credit"),
    # No quota
    Wording("anthropic, limits set by oneself", 400, {"type": "error", "error": {
        "type": "invalid_request_error", "message": "You have reached your specified API usage "
        "limits. You will regain access on 2026-12-01 at 00:00 UTC."}}, "no quota"),
    Wording("cohere, trial", 429, {"message": "You are using a Trial key, which is limited to 1000 "
            "API calls / month."}, "no quota"),
    Wording("zhipu 1308", 429, _error("已达到 5 小时的使用上限。", "1308"), "no quota"),
    Wording("UKGovernmentBEIS/inspect_ai#5526", 429, _gemini(
        f"{_EXCEEDED}\n* Quota exceeded for metric: generate_content_free_tier_requests, limit: 20\n"
        "Please retry in 34.074824224s.", "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
        "34s"), "no quota"),
    Wording("google-gemini/gemini-cli#4656", 429, _error(json.dumps(_gemini(
        _EXCEEDED, "GenerateContentInputTokensPerModelPerDay-FreeTier")[0])), "no quota"),
    Wording("google-gemini/gemini-cli#10513", 429, _error(
        "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro "
        "Requests per day per user per tier' of service 'cloudcode-pa.googleapis.com'."), "no quota"),
    Wording("googleapis/python-genai#1427", 429, _error(_EXCEEDED), "no quota"),
    Wording("UKGovernmentBEIS/inspect_ai PR 3215", 429, _error(
        f"{_EXCEEDED}\n* Quota exceeded for metric: m, limit: 0, model: g\nPlease retry in 8s."),
        "no quota"),
    Wording("Gitlawb/openclaude#936", 429, {"error": {
        "message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free "
        "model requests per day", "code": 429, "metadata": {"headers": {
            "X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0"}}}}, "no quota"),
    Wording("continuedev/continue#10920", 429, _error(
        f"{_GROQ}day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in "
        "9m38.016s."), "no quota"),
    # Wait
    Wording("dashscope, tokens a minute", 429, _error(
        "Throttling: Requests throttled due to an account quota: Allocated quota exceeded, please "
        "increase your quota limit.", "insufficient_quota"), "wait"),
    Wording("a proxy's 400", 400, _error("rate limit exceeded", "RateLimitExceeded"), "wait"),
    Wording("a proxy's 403", 403, "Rate limit exceeded", "wait"),
    Wording("RooCodeInc/Roo-Code#3883", 429, _gemini(
        _EXCEEDED, "GenerateContentInputTokensPerModelPerMinute-FreeTier", "26s"), "wait", 26),
    Wording("llmsresearch/paperbanana#10", 429, _gemini(
        _EXCEEDED, "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "59s"), "wait", 59),
    Wording("ago19800/HomeMind#29", 429, _error(
        f"{_GROQ}minute (TPM): Limit 12000, Used 4437, Requested 9854. Please try again in "
        "11.455s. Need more tokens? Upgrade to Dev Tier today at "
        "https://console.groq.com/settings/billing", "rate_limit_exceeded"), "wait", 11.455),
    Wording("microsoft/sample-app-aoai-chatGPT#406", 429, _error(_AZURE.format(9)), "wait", 9),
    Wording("DmitryKatson/bc-code-interpreter#2", 429, _error(
        f"{_AZURE.format(60)} For Free Account customers, upgrade to Pay as you Go here: "
        "https://aka.ms/429TrialUpgrade."), "wait", 60),
    Wording("alex-wolf-ps/dbchatprov2#2", 429, _error(_AZURE.format(86400)), "wait", 86400),
    Wording("pollinations/pollinations#6260", 429, _error(
        "The system is currently experiencing high demand and cannot process your request. Your "
        "request exceeds the maximum usage size allowed during peak load. Please retry after 20 seconds."), "wait", 20),
    Wording("google/generative-ai-docs#236", 429, _error(
        "Resource has been exhausted (e.g. check quota)."), "wait"),
    Wording("ltmoerdani/opencode-copilot-chat#221", 429, _error(
        "[rate_limit_exceeded] Rate limit exceeded. Please retry after a brief wait."), "wait"),
    # Too long, or more than a minute allows
    Wording("earendil-works/pi#4943", 400, _error(
        "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."),
        "too long", share=1 - 131040 / 131393),
    Wording("earendil-works/pi PR 5929", 400, _error(
        "This model's maximum context length is 262144 tokens. However, you requested 0 output "
        "tokens and your prompt contains at least 262145 input tokens, for a total of at least "
        "262145 tokens. Please reduce the length of the input prompt or the number of requested "
        "output tokens. (parameter=input_tokens, value=262145)"), "too long"),
    Wording("microsoft/copilot-intellij-feedback#94", 400, _error(
        "prompt token count of 138898 exceeds the limit of 64000",
        "model_max_prompt_tokens_exceeded"), "too long", share=1 - 64000 / 138898),
    Wording("cline/cline#2115", 413, _error(
        "Request body too large for gpt-4o model. Max size: 8000 tokens.", "tokens_limit_reached"),
        "too long"),
    Wording("anthropics/anthropic-sdk-python#938", 413, {"error": {
        "type": "request_too_large", "message": "Request exceeds the maximum size"}}, "too long"),
    Wording("anthropics/claude-code#6380", 413, {"error": {
        "type": "invalid_request_error", "message": "Request size exceeds model context window"}},
        "too long"),
    Wording("NVIDIA/TensorRT-LLM#9277", 400, _error(
        "The sum of prompt length (9351.0), query length (0) should not exceed max_num_tokens "
        "(8192)"), "too long", share=1 - 8192 / 9351),
    Wording("triton-inference-server/tensorrtllm_backend#565", 400, _error(
        "Prompt length (200) exceeds maximum input length (1)"), "too long", share=0.995),
    Wording("PrimeIntellect-ai/prime-agent PR 2086", 400, _error(
        "litellm.BadRequestError: OpenAIException - Requested token count exceeds the model's "
        "maximum context length of 262144 tokens. You requested a total of 270128 tokens: 261936 "
        "tokens from the input messages and 8192 tokens for the completion."), "too long",
        share=1 - (262144 - 8192) / 261936),
    Wording("0xBakeer/inference-atlas PR 186", 400, _error(
        "Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room for output tokens)"),
        "too long", share=1 - 2048 / 5152),
    Wording("autohandai/code-cli#338", 413, _error(
        "Request too large for model `openai/gpt-oss-20b` in organization `o` service tier "
        "`on_demand` on tokens per minute (TPM): Limit 8000, Requested 34031, please reduce your "
        "message size and try again.", "rate_limit_exceeded"), "too long", share=1 - 8000 / 34031),
    Wording("vanderschaarlab/climb#1", 429, _error(
        "Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, "
        "Requested 30601. The input or output tokens must be reduced in order to run "
        "successfully.", "rate_limit_exceeded"), "too long", share=1 - 30000 / 30601),
    Wording("cohere", 400, {"message": "too many tokens: size limit exceeded by 1200 tokens. Try "
            "using shorter or fewer inputs"}, "too long"),
    Wording("volcengine", 400, _error(
        "Total tokens of image and text exceed max message tokens"), "too long"),
    Wording("zhipu 1261", 400, _error("Prompt 超长", "1261"), "too long"),
    Wording("ollama, HTTP 500", 500, _error("input length exceeds context length"), "too long"),
    *(Wording(source, 400, _error(words), "too long", share=share) for source, share, words in _TOO_LONG),
    # A firewall's page, and what is about the key
    Wording("lobehub/lobehub#2147", 403, _PAGE, "broken"),
    Wording("JohnnyZ93/oai-compatible-copilot#287", 403, "<!doctype html> <html><head><title>Access "
            "denied | t.app used Cloudflare to restrict access</title></head></html>", "broken"),
    Wording("gemini, a wrong key", 400, [{"error": {"code": 400, "status": "INVALID_ARGUMENT",
            "message": "API key not valid. Please pass a valid API key."}}], "key"),
    Wording("x.ai, a wrong key", 400, {"code": "Client specified an invalid argument",
            "error": "Incorrect API key provided: xx."}, "key"),
    Wording("gemini, a country", 400, [{"error": {"code": 400, "message": "User location is "
            "not supported for the API use."}}], "key"),
    Wording("under names nobody knows", 400, {"Fault": {"why": "bad prompt"}}, "broken"),
    Wording("enricoros/big-AGI#352", 403, _error("Project has no access"), "key"),
    Wording("BerriAI/litellm PR 38553", 403, _error(
        "Bedrock guardrail request failed: not authorized to perform bedrock:ApplyGuardrail"), "key"),
)  # fmt: skip
