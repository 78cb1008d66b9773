"""Batches: files of requests that a server answers in its own time, cheaper. Their lines are as
OpenAI's Batch API and `vllm run-batch` have them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...records import TandemError, option_ref
from .connection import CHAT, wait_for
from .endpoint import Endpoint
from .server_errors import explanation

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
"""Limits of one file (platform.openai.com/docs/guides/batch)."""

PATH = f"/v1{CHAT}"
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


TRANSFER_SECONDS = 600.0  # for a file of 200 MB
ENDED = ("completed", "failed", "expired", "cancelled")


@dataclass(frozen=True)
class BatchProgress:
    """Progress of a batch: its state as the server calls it, and how many of its requests are
    answered. Also the server's complaint about the file, and the files with results.
    """

    state: str
    completed: int
    total: int
    error: str
    files: tuple[str, ...]

    @property
    def has_ended(self) -> bool:
        """True if the state of the batch is final."""
        return self.state in ENDED


class GoneError(TandemError):
    """The server has no such batch or file, or not for this key, or it can be changed no more."""


class BatchService:
    """The files and batches of a server. Every call raises TandemError when it does not do it,
    GoneError when it does not have it.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._connection = endpoint.connection

    def submit(self, file: Path, about: str) -> str:
        """Upload a file of requests to be answered, and return the batch's name at the server."""
        way_out = (
            f"write a file with {option_ref('requests')} and read it with "
            f"{option_ref('results')} instead"
        )
        with self._translate_errors("takes no batch", way_out):
            client = self._connection.sdk.with_options(timeout=TRANSFER_SECONDS)
            uploaded = wait_for(client.files.create(file=file, purpose="batch"))
            batch = wait_for(
                client.batches.create(
                    input_file_id=uploaded.id,
                    endpoint=PATH,  # type: ignore[arg-type]
                    completion_window="24h",  # the only one there is
                    metadata={"tandem": about},
                )
            )
        return str(batch.id)

    def progress(self, name: str) -> BatchProgress:
        """Return the progress of a batch."""
        with self._translate_errors(f"does not tell of batch {name}"):
            batch = wait_for(self._connection.sdk.batches.retrieve(name))
            counts = batch.request_counts
            done, total = (counts.completed, counts.total) if counts else (0, 0)
            if not (isinstance(done, int) and isinstance(total, int)):
                raise TypeError(f"no numbers of requests: {done!r} of {total!r}"[:100])
            wrong = [str(error.message) for error in (batch.errors and batch.errors.data) or ()]
            files = filter(None, (batch.output_file_id, batch.error_file_id))
            return BatchProgress(
                self._connection.redactor.redact_line(batch.status)[:100],
                done,
                total,
                self._connection.redactor.redact_line("; ".join(wrong))[:300],
                tuple(map(str, files)),
            )

    def lines(self, file: str) -> Iterator[str]:
        """Yield the lines of a file of results."""
        with self._translate_errors(f"does not give file {file}"):
            client = self._connection.sdk.with_options(timeout=TRANSFER_SECONDS)
            content: Any = wait_for(client.files.content(file))
            # Not `splitlines`: JSON may hold other ends of lines (U+2028) as they are.
            yield from content.text.split("\n")

    def cancel(self, name: str) -> None:
        """Have it stop; what it has answered by then may still be collected."""
        with self._translate_errors(f"does not stop batch {name}"):
            wait_for(self._connection.sdk.batches.cancel(name))

    @contextmanager
    def _translate_errors(self, what: str, way_out: str = "") -> Iterator[None]:
        import openai

        try:
            yield
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, openai.APIStatusError):
                self._connection.refuse_redirect(error)
            status = getattr(error, "status_code", 0)
            why = explanation(getattr(error, "body", None)) if status else ""
            said = f"HTTP {status}: {why}" if why else str(error)
            said = self._connection.redactor.redact_line(said)[:200]
            told = f"the server at {self._connection.address} {what} ({said})"
            gone = openai.NotFoundError, openai.ConflictError, openai.PermissionDeniedError
            if isinstance(error, gone) and not way_out:
                raise GoneError(told) from None
            raise TandemError(f"{told}: {way_out}" if way_out else told) from None
