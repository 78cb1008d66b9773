"""What errors of servers mean: bodies of every form, as they were reported."""

import pytest

from core.failures import FAILURES
from core.models.respondent import Options
from core.models.served import Endpoint
from core.models.served.server_errors import (
    BUSY_TRIES,
    LONGEST_WAIT,
    TRIES,
    ServerName,
    failure_of,
    fewer_tokens,
    parse_error,
)
from core.models.served.wordings import overflow_share
from core.records import TandemError
from tests.models.served.error_wordings import WORDINGS

SERVER = ServerName("host:1", "m", "OPENAI_API_KEY", has_key=True)


def meaning(status, body):
    error = parse_error(status, body)
    return failure_of(SERVER, error, error.message)


FLAGGED = {
    # openrouter.ai/docs/errors
    "code": 403,
    "message": "model requires moderation on provider. Your input was flagged",
    "metadata": {
        "reasons": ["violence"],
        "flagged_input": "kill ...",
        "provider_name": "provider",
        "model_slug": "m",
    },
}


def test_of_one_question() -> None:
    for status, body, failure, tries in [
        (403, {"error": FLAGGED}, "refused", 1),
        # compl-ai/compl-ai#20
        (400, {"error": {"message": "The response was filtered due to the prompt triggering Azure "
                         "OpenAI's content management policy.", "code": "content_filter",
                         "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, "refused", 1),
        # camel-ai/owl#432
        (400, {"error": {"code": "data_inspection_failed", "message": "Input data may contain "
                         "inappropriate content."}}, "refused", 1),
        # QwenLM/qwen-code#3145
        (400, {"error": {"message": "<400> InternalError.Algo.DataInspectionFailed: Input text"}},
         "refused", 1),
        # google-gemini/gemini-cli: a list around the error
        (400, [{"error": {"code": 400, "message": "The input token count (9) exceeds the maximum "
                          "number of tokens allowed (5).", "status": "INVALID_ARGUMENT"}}],
         "too-long", 1),
        # ggml-org/llama.cpp#15780, before and after it was HTTP 400
        (500, {"error": {"code": 500, "message": "the request exceeds the available context size",
                         "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 5}},
         "too-long", 1),
        (422, {"error": "Input validation error: `inputs` must have less than 5 tokens. Given: 9",
               "error_type": "validation"}, "too-long", 1),
        # A router's words, with those of the provider behind it
        (400, {"error": {"code": 400, "message": "Provider returned error", "metadata": {
            "provider_name": "x", "raw": '{"error": {"message": "prompt is too long: 9 tokens > 5 '
                                         'maximum"}}'}}}, "too-long", 1),
        (404, {"error": {"code": 404, "message": "Provider returned error",
                         "metadata": {"provider_name": "x", "raw": "gone"}}}, "error: HTTP 404",
         TRIES),
        (429, {"error": {"message": "slow down"}}, "error: HTTP 429", BUSY_TRIES),
        (502, "<html><head><title>502 Bad Gateway</title></head><body>nginx", "error: HTTP 502",
         TRIES),
        (400, "Bad Request", "error: HTTP 400: Bad Request", 1),
        (400, b"<h1>Bad</h1> request", "error: HTTP 400: Bad request", 1),
        (400, {"object": "error", "message": {"detail": [{"loc": ["body", "x"], "msg": "Extra"}]}},
         "error: HTTP 400: Extra", 1),
        (400, None, "error: HTTP 400: HTTP 400", 1),
    ]:  # fmt: skip
        trouble = meaning(status, body)
        assert (trouble.failure, trouble.tries) == (failure, tries)
        assert failure in FAILURES or failure.startswith("error: ")


def test_of_every_question() -> None:
    for status, body, says in [
        (403, {"error": {"message": "Country not supported"}}, r"refuses .*OPENAI_API_KEY \(HTTP 403"),
        (401, {"error": {"message": "Incorrect API key"}}, r"refuses .*OPENAI_API_KEY \(HTTP 401"),
        (402, {"error": {"message": "Insufficient Balance"}}, r"credit .*\(HTTP 402"),
        (429, {"error": {"message": "quota", "code": "insufficient_quota"}}, r"credit .*\(HTTP 429"),
        # MoonshotAI/Kimi-K2#5
        (403, {"error": {"message": "is not active", "type": "exceeded_current_quota_error"}},
         r"credit .*\(HTTP 403"),
        (404, {"error": {"message": "No endpoints found for m", "code": 404}}, r"no model 'm'.*\(HTTP 404"),
        (404, "<title>Not Found</title>", r"\baddress .*/v1 \(HTTP 404: Not Found\)"),
    ]:  # fmt: skip
        with pytest.raises(TandemError, match=says):
            meaning(status, body)


SENTENCES = {"no credit": r"has no credit left", "no quota": r"the quota .*used up",
             "key": r"refuses|wants a key"}  # fmt: skip


def test_as_public_issues_quote_them(subtests: pytest.Subtests) -> None:
    for wording in WORDINGS:
        with subtests.test(source=wording.source):
            if wording.status == 200:
                endpoint = Endpoint("m", Options(base_url="http://127.0.0.1:9/v1"))
                found = endpoint.completion([], 200, wording.body).choices[0]
                assert found.failure == wording.means
            elif wording.means in SENTENCES or wording.seconds > LONGEST_WAIT:
                sentence = SENTENCES.get(wording.means, rf"wait {wording.seconds:,.0f} seconds")
                with pytest.raises(TandemError, match=sentence):
                    meaning(wording.status, wording.body)
            else:
                trouble = meaning(wording.status, wording.body)
                assert trouble.wait == pytest.approx(wording.seconds)
                assert trouble.tries == (BUSY_TRIES if wording.means == "wait" else 1)
                broken = f"error: HTTP {wording.status}"
                failure = {"refused": "refused", "too long": "too-long"}.get(wording.means, broken)
                assert trouble.failure.startswith(failure)
                assert overflow_share(trouble.detail) == (
                    None if wording.share is None else pytest.approx(wording.share)
                )


def test_fewer_tokens_are_asked_for_where_they_fit_a_minute() -> None:
    """1,024 asked and 200 too many leave 824; 30 are too few for a reply that gives reasons."""
    error = parse_error(413, {"error": {"message": "(TPM): Limit 700, Requested 900"}})
    assert [fewer_tokens(error, asked) for asked in (1024, 264, 230, 200)] == [824, 64, None, None]
    assert fewer_tokens(None, 1024) is None
