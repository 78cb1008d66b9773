"""Errors of servers: parsed from bodies of every form, and one table of what they mean."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any, NamedTuple, NoReturn

from ...failures import ERROR, REFUSED, SERVER_ERROR, TIMED_OUT, TOO_LONG
from ...records import TandemError
from . import wordings
from .completion import Completion

NO_CONNECTION = f"{ERROR}: no connection"
BROKEN = f"{ERROR}: the connection broke"
MALFORMED = f"{ERROR}: malformed answer"
LOST = (NO_CONNECTION, BROKEN, TIMED_OUT)  # by the question's fault, or because the server is dead
TRIES = 7
"""Tries of a request that meets the same trouble each time, after 0.5, 1, 2, 4, 8, 16 seconds."""
BUSY_TRIES = 20
"""Tries of a request that is asked to come later; waiting 32 seconds from the seventh on."""
TIMEOUT_TRIES = 3  # of one that times out, which each time takes as long as the time-out
FAILURE_LENGTH = 160  # characters of a reason that quotes the server
DETAIL_LENGTH = 300
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is asked for too much
FEWEST_TOKENS = 64  # with fewer, a reply is likely to be cut before its verdict
IN_ANSWER = 200
"""The status of an error that comes inside an answer."""
NOTHING_SPENT = Completion(())


@dataclass(eq=False)
class ServerError(Exception):
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

    def says(self, pattern: str) -> bool:
        """Return whether a pattern is among its words."""
        return bool(re.search(pattern, self.words, re.IGNORECASE))


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
    error: ServerError | None = None
    body: Any = None
    spent: Completion = NOTHING_SPENT


@dataclass(frozen=True)
class ServerName:
    """Name of a server for people: its address, the model, the variable of its key, and whether
    that holds one.
    """

    address: str
    model: str
    variable: str
    has_key: bool


class ErrorRow(NamedTuple):
    """Meaning of the errors with one of these `statuses` whose words have the pattern (`says`), and
    that `holds`.
    """

    statuses: Container[int]
    meaning: str
    says: str = ""
    holds: Callable[[ServerError], bool] = lambda error: True

    def is_about(self, error: ServerError) -> bool:
        """Return whether the row is about this error."""
        return error.status in self.statuses and error.says(self.says) and self.holds(error)


ANY = range(1000)
OF_TEXT = {IN_ANSWER, 500, *range(400, 500)} - {401, 404, 429}
"""Statuses of one text that is refused."""
ERROR_ROWS = (
    # DashScope's limits of a minute are called `insufficient_quota`
    ErrorRow({429}, "wait", r"throttling|allocated quota exceeded",
             lambda error: not error.says(wordings.NO_QUOTA)),
    ErrorRow({402, 412}, "no credit"),
    ErrorRow(ANY, "no credit", wordings.NO_CREDIT),
    ErrorRow({403, 429}, "no quota", wordings.NO_QUOTA),
    ErrorRow({400, 403, 429}, "no quota", r"exceeded your current quota|usage limits?\b|使用上限",
             lambda error: not error.wait),
    # "You are not allowed to request logprobs from this model" (403): see `chat_request`
    ErrorRow({403}, "wrong", r"log[ _]?prob"),
    # A route with none of the options (OpenRouter)
    ErrorRow({404}, "wrong", r"no endpoints found that (?:support|can handle)"),
    # A page of a firewall is no answer of the model's (aws-samples/sample-kolya-br-proxy PR 38)
    ErrorRow({400, 403, 422, 451}, "wrong", holds=lambda error: error.is_page),
    # A moderation names what it found in one text (openrouter.ai/docs/errors)
    ErrorRow({403}, "refused",
             holds=lambda error: not {"reasons", "flagged_input"}.isdisjoint(error.metadata)),
    ErrorRow(OF_TEXT, "refused", holds=lambda error: wordings.refuses_text(error.words)),
    ErrorRow({400, 403}, "wait", wordings.RATE),
    ErrorRow({401}, "key"),
    ErrorRow({400}, "key", wordings.NO_KEY),
    ErrorRow({403}, "key", wordings.OF_KEY),
    # The router is there, and the provider behind it is not: another one may be found next time.
    ErrorRow({404}, "broken", holds=lambda error: "provider_name" in error.metadata),
    ErrorRow({404}, "no model"),
    ErrorRow({413}, "too long"),
    ErrorRow({429}, "too long", wordings.OVER_A_MINUTE),
    ErrorRow({400, 422, IN_ANSWER}, "too long",
             holds=lambda error: wordings.is_overflow(error.words)),
    # llama.cpp before 2025-09, Ollama
    ErrorRow({500}, "too long", r"exceed_context_size_error|input length exceeds"),
    ErrorRow({429}, "wait"),
    ErrorRow({IN_ANSWER, 408, 409, 425, *range(500, 1000)}, "broken"),
    ErrorRow(ANY, "wrong"),
)  # fmt: skip
"""The first row that covers an error says what it means."""

_PAIR = "list it with the variable that has the key (`servers add NAME URL --key-variable NAME`)"


def failure_of(server: ServerName, error: ServerError, message: str) -> RequestError:
    """Return the failure that an error means; `message` is its text, in one line without keys.
    Raises TandemError for an error that every request would meet.
    """
    shown = message[:DETAIL_LENGTH]
    detail = shown if error.status == IN_ANSWER else f"HTTP {error.status}: {shown}"
    meaning = next(row.meaning for row in ERROR_ROWS if row.is_about(error))
    if meaning in ("refused", "too long", "wrong"):
        wrong = f"{ERROR}: {detail}"[:FAILURE_LENGTH]
        failure = {"refused": REFUSED, "too long": TOO_LONG}.get(meaning, wrong)
        return RequestError(failure, detail, 1, error=error)
    if meaning not in ("wait", "broken"):
        _end_run(server, error, meaning, detail)
    if error.wait > LONGEST_WAIT:
        raise TandemError(
            f"the server at {server.address} asks to wait {error.wait:,.0f} seconds ({detail})"
        )
    failure = SERVER_ERROR if error.status == IN_ANSWER else f"{ERROR}: HTTP {error.status}"
    tries = BUSY_TRIES if meaning == "wait" else TRIES
    return RequestError(failure, detail, tries, error.wait, error)


def _end_run(server: ServerName, error: ServerError, meaning: str, detail: str) -> NoReturn:
    """Raise TandemError with the sentence for what every request would meet."""
    sent = f"the key in {server.variable}" if server.variable else "what comes without a key"
    ends = {
        "no credit": f"the account at {server.address} has no credit left",
        "no quota": f"the quota at {server.address} is used up until it is renewed",
        "no model": f"the server at {server.address} has no model {server.model!r}, or its address "
        "is another, such as one ending in /v1",
        "key": f"the server at {server.address} refuses {sent}",
    }
    if meaning == "key" and error.status == 401 and not server.has_key:
        way_out = f"export it as {server.variable}" if server.variable else _PAIR
        raise TandemError(f"the server at {server.address} wants a key ({detail}): {way_out}")
    raise TandemError(f"{ends[meaning]} ({detail})")


def fewer_tokens(error: ServerError | None, asked: int) -> int | None:
    """Return the most tokens with which a request fits what its account has for a minute; None if
    that is too few for an answer.
    """
    match = error and re.search(wordings.OVER_A_MINUTE, error.message, re.IGNORECASE)
    if not match:
        return None
    limit, requested = (int(number.replace(",", "")) for number in match.groups())
    fewer = asked - (requested - limit)
    return fewer if min(FEWEST_TOKENS, asked) <= fewer < asked else None


_INNER = ("error", "message", "detail", "details", "violations", "metadata", "base_resp")
_KINDS = ("code", "type", "error_type", "status", "status_code", "reason", "quotaId")
_MESSAGES = ("message", "detail", "error", "msg", "raw", "errors", "base_resp", "status_msg",
             "error_msg")  # fmt: skip


def parse_error(status: int, body: Any, wait: float = 0.0) -> ServerError:
    """Parse the error in a body: an object, a list of them (Gemini), a text, or a page."""
    parts = list(_objects(body))
    kinds = [
        f"code-{part[name]}" if str(part[name]).isdigit() else str(part[name])
        for part in parts
        for name in _KINDS
        if isinstance(part.get(name), (str, int))
    ]
    inner = [part["innererror"] for part in parts if isinstance(part.get("innererror"), dict)]
    kinds += [str(each["code"]) for each in inner if "code" in each]
    metadata = [part["metadata"] for part in parts if isinstance(part.get("metadata"), dict)]
    raw = [explanation(each["raw"]) for each in metadata if each.get("raw")]
    sizes = [
        f"({part.get('n_prompt_tokens')} tokens of {part['n_ctx']})"
        for part in parts
        if part.get("n_ctx")
    ]
    unknown = json.dumps(body, ensure_ascii=False) if body and isinstance(body, dict) else ""
    message = ": ".join(filter(None, [explanation(body), *raw])) or unknown
    said = _WAIT.search(message)
    return ServerError(
        status,
        " ".join([message or f"HTTP {status}", *sizes]),
        " ".join(dict.fromkeys(kinds)),
        tuple(_named_options(parts)),
        tuple(name for each in metadata for name in each if each[name]),
        wait
        or max((_told_wait(part) for part in parts), default=0.0)
        or (_seconds(said[1]) if said else 0.0),
        _is_page(body),
    )


def _objects(body: Any, depth: int = 8) -> Iterator[dict[str, Any]]:
    """Yield an object and those in it that say more of the error."""
    if isinstance(body, list) and depth:
        for each in body:
            yield from _objects(each, depth - 1)
    elif isinstance(body, dict):
        yield body
        for name in _INNER:
            if depth and isinstance(body.get(name), (dict, list)):
                yield from _objects(body[name], depth - 1)


def _named_options(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        if isinstance(part.get("param"), str):
            yield from re.findall(r"\w+", part["param"])
        if isinstance(part.get("loc"), list):  # pydantic's, as of vLLM and Mistral
            yield from (name for name in part["loc"] if isinstance(name, str) and name != "body")


def _is_page(body: Any) -> bool:
    return isinstance(body, str) and body.lstrip().startswith("<")


def explanation(body: Any, depth: int = 6) -> str:
    """Return what a server says is wrong: OpenAI's form, FastAPI's, Ollama's, or plain text."""
    if isinstance(body, str) and _is_page(body):
        title = re.search(r"<title[^<>]*>([^<>]*)</title>", body, re.IGNORECASE)
        words = title[1] if title else re.sub(r"<[^<>]*>", " ", body)
        return " ".join(unescape(words).split()) or "a page without words"
    if isinstance(body, str) and depth and body.lstrip().startswith("{"):
        try:
            return explanation(json.loads(body), depth - 1) or body
        except (ValueError, RecursionError):
            return body
    if depth and isinstance(body, dict):
        told = next((body[name] for name in _MESSAGES if body.get(name)), "")
        return explanation(told, depth - 1)
    if depth and isinstance(body, list):
        return "; ".join(filter(None, (explanation(one, depth - 1) for one in body)))
    return str(body or "")


def retry_after(headers: Mapping[str, str], now: float) -> float:
    """Return the seconds a server asks to wait: Retry-After as seconds or as a date, or
    retry-after-ms; 0 when it does not. `now` is the time of day in seconds since 1970.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        if re.fullmatch(r"\s*\d{1,12}(\.\d*)?\s*", headers.get(name, "")):
            return float(headers[name]) / unit
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = r"(\d{1,12}(?:\.\d{1,9})?)\s{0,3}(ms|s|m|h|d)(?:ec|econd|in|inute|our|ay|r)?s?(?![a-z])"
_WAIT = re.compile(  # "Please try again in 9m38.016s"
    r"(?:try again|retry|wait|resets?)\b(?:\W+[a-z]+){0,3}?\W+"
    rf"((?:{_DURATION}[\s,]*(?:and\s)?)+)",
    re.IGNORECASE,
)


def _told_wait(part: Mapping[str, Any]) -> float:
    """Return the seconds to wait that a field tells: `"retryDelay": "36s"`."""
    for name in ("retryDelay", "retry_after", "retry_after_seconds"):
        told = str(part.get(name) or "")
        if wait := _seconds(f"{told}s" if told.replace(".", "", 1).isdigit() else told):
            return wait
    return 0.0


def _seconds(duration: str) -> float:
    parts = re.findall(_DURATION, duration, re.IGNORECASE)
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in parts)
