"""Batches at a server: files of requests that it answers in its own time, cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...records import TandemError, option_ref
from .batch_lines import PATH
from .concurrent_requests import wait_for
from .endpoint import Endpoint
from .request_errors import explanation

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
        self._endpoint = endpoint

    def submit(self, file: Path, about: str) -> str:
        """Upload a file of requests to be answered, and return the batch's name at the server."""
        way_out = (
            f"write a file with {option_ref('requests')} and read it with "
            f"{option_ref('results')} instead"
        )
        with self._translate_errors("takes no batch", way_out):
            client = self._endpoint.client.with_options(timeout=TRANSFER_SECONDS)
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
            batch = wait_for(self._endpoint.client.batches.retrieve(name))
            wrong = [str(error.message) for error in (batch.errors and batch.errors.data) or ()]
            files = filter(None, (batch.output_file_id, batch.error_file_id))
            return BatchProgress(
                self._endpoint.chat.redactor.redact_line(batch.status)[:100],
                *_count_requests(batch.request_counts),
                self._endpoint.chat.redactor.redact_line("; ".join(wrong))[:300],
                tuple(map(str, files)),
            )

    def lines(self, file: str) -> Iterator[str]:
        """Yield the lines of a file of results."""
        with self._translate_errors(f"does not give file {file}"):
            client = self._endpoint.client.with_options(timeout=TRANSFER_SECONDS)
            content: Any = wait_for(client.files.content(file))
            yield from content.text.splitlines()

    def cancel(self, name: str) -> None:
        """Have it stop; what it has answered by then may still be collected."""
        with self._translate_errors(f"does not stop batch {name}"):
            wait_for(self._endpoint.client.batches.cancel(name))

    @contextmanager
    def _translate_errors(self, what: str, way_out: str = "") -> Iterator[None]:
        import openai

        try:
            yield
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, openai.APIStatusError):
                self._endpoint.chat.refuse_redirect(error)
            said = self._endpoint.chat.redactor.redact_line(_describe_error(error))[:200]
            told = f"the server at {self._endpoint.address} {what} ({said})"
            gone = openai.NotFoundError, openai.ConflictError, openai.PermissionDeniedError
            if isinstance(error, gone) and not way_out:
                raise GoneError(told) from None
            raise TandemError(f"{told}: {way_out}" if way_out else told) from None


def _describe_error(error: Exception) -> str:
    """Describe an error in one line: "HTTP 401: Incorrect API key", or the client's own words."""
    status = getattr(error, "status_code", 0)
    told = explanation(getattr(error, "body", None)) if status else ""
    return f"HTTP {status}: {told}" if told else str(error)


def _count_requests(counts: Any) -> tuple[int, int]:
    """Return how many requests are answered, of how many. Raises TypeError if they are not
    numbers.
    """
    done, total = (counts.completed, counts.total) if counts else (0, 0)
    if not (isinstance(done, int) and isinstance(total, int)):
        raise TypeError(f"no numbers of requests: {done!r} of {total!r}"[:100])
    return done, total
