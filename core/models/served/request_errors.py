"""Reasons why a request came to nothing, as a server tells them, and whether asking again may
help.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any

from .completion import Completion

# of a request that meets the same trouble each time, waiting 0.5, 1, 2, 4, 8, 16 seconds in between
TRIES = 7
INNER = ("error", "message", "detail", "details", "violations", "metadata", "base_resp")
NOTHING_SPENT = Completion(())


@dataclass(eq=False)
class RequestError(Exception):
    """Reason why a request came to nothing, how often it may be tried in all, and how long the
    server asks to wait. `error` is what the server said, if anything; `body` is the request that
    it is about; `spent` is an answer of no use that has tokens all the same.
    """

    failure: str
    detail: str = ""
    tries: int = TRIES
    wait: float = 0.0
    status: int = 0
    error: ServerError | None = None
    body: Any = None
    spent: Completion = NOTHING_SPENT


@dataclass(frozen=True)
class ServerError:
    """Error that a server reports: an HTTP `status` (0 = none is known), its `message`, and its
    names for the error (`kinds`). Also the `options` of the request that it names, the fields of
    its `metadata`, and the seconds that it asks to `wait`. `is_page`: it came as HTML, which a
    firewall or a proxy sends and no model.
    """

    status: int
    message: str
    kinds: str = ""
    options: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    wait: float = 0.0
    is_page: bool = False

    @property
    def words(self) -> str:
        """All that it says, for patterns to be found in; addresses say nothing."""
        words = f"{self.kinds} {' '.join(self.options)} {self.message}"
        return re.sub(r"https?://\S+", "", words)


def parse_error(status: int, body: Any, wait: float = 0.0) -> ServerError:
    """Parse the error in a body: an object, a list of them (Gemini), a text, or a page."""
    parts = list(_objects(body))
    kinds = [
        f"code-{part[name]}" if str(part[name]).isdigit() else str(part[name])
        for part in parts
        for name in ("code", "type", "error_type", "status", "status_code", "reason", "quotaId")
        if isinstance(part.get(name), (str, int))
    ]
    inner = [part["innererror"] for part in parts if isinstance(part.get("innererror"), dict)]
    kinds += [str(each["code"]) for each in inner if "code" in each]
    metadata = [part["metadata"] for part in parts if isinstance(part.get("metadata"), dict)]
    raw = [explanation(each["raw"]) for each in metadata if each.get("raw")]
    sizes = [f"({part.get('n_prompt_tokens')} tokens of {part['n_ctx']})" for part in parts
             if part.get("n_ctx")]  # fmt: skip
    message = ": ".join(filter(None, [explanation(body), *raw])) or _render_unknown(body)
    return ServerError(
        status,
        " ".join([message or f"HTTP {status}", *sizes]),
        " ".join(dict.fromkeys(kinds)),
        tuple(_named_options(parts)),
        tuple(name for each in metadata for name in each if each[name]),
        wait or max((_told_wait(part) for part in parts), default=0.0) or read_wait(message),
        _is_page(body),
    )


def _render_unknown(body: Any) -> str:
    """Return a body that says what is wrong under names nobody knows, as it is."""
    return json.dumps(body, ensure_ascii=False) if body and isinstance(body, dict) else ""


def _objects(body: Any, depth: int = 8) -> Iterator[dict[str, Any]]:
    """Yield an object and those in it that say more of the error."""
    if isinstance(body, list) and depth:
        for each in body:
            yield from _objects(each, depth - 1)
    elif isinstance(body, dict):
        yield body
        for name in INNER:
            if depth and isinstance(body.get(name), (dict, list)):
                yield from _objects(body[name], depth - 1)


def _is_page(body: Any) -> bool:
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return isinstance(text, str) and text.lstrip().startswith("<")


def _told_wait(part: Mapping[str, Any]) -> float:
    """Return the seconds to wait that a field tells: `"retryDelay": "36s"`."""
    for name in ("retryDelay", "retry_after", "retry_after_seconds"):
        told = str(part.get(name) or "")
        if wait := _seconds(f"{told}s" if told.replace(".", "", 1).isdigit() else told):
            return wait
    return 0.0


def read_wait(message: str) -> float:
    """Return the seconds to wait of "Please try again in 9m38.016s" and the like, else 0."""
    match = _WAIT.search(message)
    return _seconds(match[1]) if match else 0.0


def _seconds(duration: str) -> float:
    parts = re.findall(_DURATION, duration, re.IGNORECASE)
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in parts)


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = r"(\d{1,12}(?:\.\d{1,9})?)\s{0,3}(ms|s|m|h|d)(?:ec|econd|in|inute|our|ay|r)?s?(?![a-z])"
_WAIT = re.compile(
    r"(?:try again|retry|wait|resets?)\b(?:\W+[a-z]+){0,3}?\W+"
    rf"((?:{_DURATION}[\s,]*(?:and\s)?)+)",
    re.IGNORECASE,
)


def _named_options(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        if isinstance(part.get("param"), str):
            yield from re.findall(r"\w+", part["param"])
        if isinstance(part.get("loc"), list):  # pydantic's, as of vLLM and Mistral
            yield from (name for name in part["loc"] if isinstance(name, str) and name != "body")


def explanation(body: Any, depth: int = 6) -> str:
    """Return what a server says is wrong: OpenAI's form, FastAPI's, Ollama's, or plain text."""
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, str):
        return _page_text(body) if _is_page(body) else _json_text(body, depth)
    if not depth:
        return str(body or "")
    if isinstance(body, dict):
        names = ("message", "detail", "error", "msg", "raw", "errors", "base_resp", "status_msg",
                 "error_msg")  # fmt: skip
        told = next((body[name] for name in names if body.get(name)), "")
        return explanation(told, depth - 1)
    if isinstance(body, list):
        return "; ".join(filter(None, (explanation(one, depth - 1) for one in body)))
    return str(body or "")


def _json_text(text: str, depth: int) -> str:
    """Return a text; where it is the JSON of an object, what that says."""
    if depth and text.lstrip().startswith("{"):
        try:
            return explanation(json.loads(text), depth - 1) or text
        except (ValueError, RecursionError):
            return text
    return text


def _page_text(page: str) -> str:
    """Return the title of a page, else its words without tags."""
    title = re.search(r"<title[^<>]*>([^<>]*)</title>", page, re.IGNORECASE)
    words = title[1] if title else re.sub(r"<[^<>]*>", " ", page)
    return " ".join(unescape(words).split()) or "a page without words"


def retry_after(headers: Mapping[str, str], now: float) -> float:
    """Return the seconds a server asks to wait: Retry-After as seconds or as a date, or
    retry-after-ms; 0 when it does not.

    `now` is the time of day in seconds since 1970.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        if re.fullmatch(r"\s*\d{1,12}(\.\d*)?\s*", headers.get(name, "")):
            return float(headers[name]) / unit
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0
