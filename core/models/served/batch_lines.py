"""Lines of batch files: requests as OpenAI's Batch API and `vllm run-batch` read them, results as
they write them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
"""Limits of one file (platform.openai.com/docs/guides/batch)."""

PATH = "/v1/chat/completions"
UNASKED = ("batch_expired", "batch_cancelled")
"""Codes of a request that was never put to the model."""

UNKNOWN = 0
"""The HTTP status of a request that failed without a status."""


@dataclass(frozen=True)
class BatchLineResult:
    """Result of a request in a batch: HTTP `status`, or UNKNOWN, and `body`. `unasked`: it was
    not put to the model before the batch ended.
    """

    custom_id: str
    status: int = UNKNOWN
    body: Any = None
    unasked: bool = False


def request_line(custom_id: str, body: Mapping[str, Any]) -> str:
    """Write one request as a line, with its line break."""
    request = {"custom_id": custom_id, "method": "POST", "url": PATH, "body": body}
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")) + "\n"


def read_result(line: str) -> BatchLineResult | None:
    """Read one line of an output or error file; None for a line that is no result.

    Some versions of vLLM write the completion where the protocol has its envelope; both are read,
    and so are errors inside and beside the response.
    """
    try:
        told = json.loads(line)
        custom_id = told["custom_id"]
        response, error = told.get("response"), told.get("error")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    if not isinstance(custom_id, str):
        return None
    if isinstance(response, dict):
        if "choices" in response:
            return BatchLineResult(custom_id, 200, response)
        status = response.get("status_code")
        if not (isinstance(status, int) and 100 <= status < 600):  # True is 1
            status = UNKNOWN
        body = response.get("body") or error or response.get("message")
        return BatchLineResult(custom_id, status, body)
    if isinstance(error, dict) and error.get("code") in UNASKED:
        return BatchLineResult(custom_id, unasked=True)
    return BatchLineResult(custom_id, UNKNOWN, error) if error else None
