"""Why a request came to nothing, as a server tells it, and whether asking again may help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

# of a request that meets the same trouble each time, waiting 0.5, 1, 2, 4, 8, 16 seconds in between
TRIES = 7


@dataclass(eq=False)
class TroubleError(Exception):
    """Why a request came to nothing, how often it may be tried in all, and how long the server asks
    to wait.
    """

    failure: str
    detail: str = ""
    tries: int = TRIES
    wait: float = 0.0
    status: int = 0

    @property
    def of_server(self) -> bool:
        """Whether another server of the same model might answer the same question."""
        return self.tries > 1


def explanation(body: Any) -> str:
    """What a server says to be wrong: OpenAI's form, FastAPI's, Ollama's, or plain text."""
    if isinstance(body, dict):
        told = next((body[name] for name in ("message", "detail", "error") if body.get(name)), "")
        return explanation(told)
    if isinstance(body, list):
        each = [one.get("msg") if isinstance(one, dict) else one for one in body]
        return "; ".join(str(one) for one in each if one)
    return str(body or "")


def retry_after(headers: Mapping[str, str], now: float) -> float:
    """The seconds a server asks to wait: Retry-After as seconds or as a date, or retry-after-ms; 0
    when it does not.

    `now` is the time of day in seconds since 1970.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        if re.fullmatch(r"\s*\d{1,12}(\.\d*)?\s*", headers.get(name, "")):
            return float(headers[name]) / unit
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0
