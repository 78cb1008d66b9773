"""Meanings of a server's errors: one table, and a failure or a sentence for each row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from ...failures import ERROR, REFUSED, SERVER_ERROR, TOO_LONG
from ...records import TandemError, option_ref
from .addresses import redirect_host
from .providers import is_overflow, refuses_text
from .request_errors import TRIES, RequestError, ServerError

# Tries of a request that the server asked to come later; waiting 32 seconds from the seventh on
BUSY_TRIES = 20
FAILURE_LENGTH = 160  # characters of a reason that quotes the server
DETAIL_LENGTH = 300
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is asked for too much
FEWEST_TOKENS = 64  # with fewer, a reply is likely to be cut before its verdict
IN_ANSWER = 200  # the status of an error that comes inside an answer


@dataclass(frozen=True)
class ServerName:
    """Name of a server for people: its address, the model, the variable of its key, and whether
    that holds one.
    """

    address: str
    model: str
    variable: str
    has_key: bool


Ending = Callable[[ServerName, ServerError, str], RequestError]


@dataclass(frozen=True)
class ErrorRow:
    """Meaning of some errors: those with these `statuses` (None = any) whose words have the
    pattern (`says`), and that `holds`. `ending` makes the failure of it, or raises TandemError
    if every request would meet it.
    """

    statuses: Callable[[int], bool]
    ending: Ending
    says: str = ""
    holds: Callable[[ServerError], bool] = lambda error: True

    def is_about(self, error: ServerError) -> bool:
        """Return whether the row is about this error."""
        found = not self.says or re.search(self.says, error.words, re.IGNORECASE)
        return bool(self.statuses(error.status) and found and self.holds(error))


def _match_statuses(*statuses: int) -> Callable[[int], bool]:
    return lambda status: status in statuses


def _match_any(status: int) -> bool:
    return True


def _is_about_text(status: int) -> bool:
    """Return whether a status may be that of one text which is refused."""
    return status in (IN_ANSWER, 500) or (400 <= status < 500 and status not in (401, 404, 429))


def _is_flagged(error: ServerError) -> bool:
    """Return whether a moderation names what it found in one text (openrouter.ai/docs/errors)."""
    return not {"reasons", "flagged_input"}.isdisjoint(error.metadata)


def _is_page(error: ServerError) -> bool:
    return error.is_page


def _is_refusal(error: ServerError) -> bool:
    return refuses_text(error.words)


def _is_overflow(error: ServerError) -> bool:
    return is_overflow(error.words)


def _is_routed(error: ServerError) -> bool:
    """Return whether a router reports the error of one provider behind it."""
    return "provider_name" in error.metadata


def _end_without_credit(server: ServerName, error: ServerError, detail: str) -> NoReturn:
    raise TandemError(f"the account at {server.address} has no credit left ({detail})")


def _end_without_quota(server: ServerName, error: ServerError, detail: str) -> NoReturn:
    raise TandemError(f"the quota at {server.address} is used up until it is renewed ({detail})")


def _end_for_key(server: ServerName, error: ServerError, detail: str) -> NoReturn:
    if error.status == 401 and not server.has_key:
        way_out = f"export it as {server.variable}" if server.variable else _PAIR
        raise TandemError(f"the server at {server.address} wants a key ({detail}): {way_out}")
    sent = f"the key in {server.variable}" if server.variable else "what comes without a key"
    raise TandemError(f"the server at {server.address} refuses {sent} ({detail})")


def _end_without_model(server: ServerName, error: ServerError, detail: str) -> NoReturn:
    raise TandemError(
        f"the server at {server.address} has no model {server.model!r}, or its address is another, "
        f"such as one ending in /v1 ({detail})"
    )


def _make_refused_text_error(server: ServerName, error: ServerError, detail: str) -> RequestError:
    return RequestError(REFUSED, detail, tries=1, status=error.status, error=error)


def _too_long(server: ServerName, error: ServerError, detail: str) -> RequestError:
    return RequestError(TOO_LONG, detail, tries=1, status=error.status, error=error)


def _wrong_request(server: ServerName, error: ServerError, detail: str) -> RequestError:
    """The reason is what the server says about it."""
    failure = f"{ERROR}: {detail}"[:FAILURE_LENGTH]
    return RequestError(failure, detail, tries=1, status=error.status, error=error)


def _retry_ending(tries: int, failure: str = "") -> Ending:
    def make_error(server: ServerName, error: ServerError, detail: str) -> RequestError:
        if error.wait > LONGEST_WAIT:
            raise TandemError(
                f"the server at {server.address} asks to wait {error.wait:,.0f} seconds ({detail})"
            )
        reason = failure or f"{ERROR}: HTTP {error.status}"
        return RequestError(reason, detail, tries, error.wait, error.status, error)

    return make_error


# OpenAI, Moonshot (MoonshotAI/Kimi-K2#5), Anthropic, xAI, DashScope, Zhipu, Fireworks ...
_NO_CREDIT = (
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
_NO_QUOTA = (
    r"(?:per[_ -]?|/ ?)(?:day|week|month)|\b(?:daily|weekly|monthly)\b|\b[RT]PD\b"
    r"|\blimit: 0(?![\d.])"
)
_OF_KEY = (
    r"key|token|credential|auth|permission|access|forbidden|allowed|denied|countr|region|territor"
    r"|locat|organi[sz]ation|project|team|account|subscription|suspended|not active|\bip\b"
)
# Keys that some refuse with 400 (xAI, Gemini), and accounts
_NO_KEY = (
    r"(?:incorrect|invalid|expired)[_ ]api[_ -]?key|api[_ -]?key[_ ](?:is )?(?:not valid|invalid"
    r"|expired)|organi[sz]ation has been disabled|location is not supported"
)
_RATE = r"rate[_ -]?limit|too[_ ]?many[_ ]?requests|throttl|slow down"
# More tokens at once than a minute has: "(TPM): Limit 700, Requested 900", with nothing "Used"
_OVER_A_MINUTE = r"\bLimit ([\d,]+), Requested ([\d,]+)"

ERROR_ROWS = (
    # DashScope's limits of a minute are called `insufficient_quota`
    ErrorRow(
        _match_statuses(429),
        _retry_ending(BUSY_TRIES),
        r"throttling|allocated quota exceeded",
        lambda error: not re.search(_NO_QUOTA, error.words, re.IGNORECASE),
    ),
    # No credit or quota
    ErrorRow(_match_statuses(402, 412), _end_without_credit),
    ErrorRow(_match_any, _end_without_credit, _NO_CREDIT),
    ErrorRow(_match_statuses(403, 429), _end_without_quota, _NO_QUOTA),
    ErrorRow(
        _match_statuses(400, 403, 429),
        _end_without_quota,
        r"exceeded your current quota|usage limits?\b|使用上限",
        lambda error: not error.wait,
    ),
    # "You are not allowed to request logprobs from this model" (403): see `option_refusals`
    ErrorRow(_match_statuses(403), _wrong_request, r"log[ _]?prob"),
    # A route with none of the options: "No endpoints found that support ..." (OpenRouter)
    ErrorRow(
        _match_statuses(404), _wrong_request, r"no endpoints found that (?:support|can handle)"
    ),
    # A page of a firewall is no answer of the model's (aws-samples/sample-kolya-br-proxy PR 38)
    ErrorRow(
        _match_statuses(400, 403, 422, 451), _wrong_request, holds=lambda error: error.is_page
    ),
    # One text is refused
    ErrorRow(_match_statuses(403), _make_refused_text_error, holds=_is_flagged),
    ErrorRow(_is_about_text, _make_refused_text_error, holds=_is_refusal),
    # The key, the model, the address
    ErrorRow(_match_statuses(400, 403), _retry_ending(BUSY_TRIES), _RATE),
    ErrorRow(_match_statuses(401), _end_for_key),
    ErrorRow(_match_statuses(400), _end_for_key, _NO_KEY),
    ErrorRow(_match_statuses(403), _end_for_key, _OF_KEY),
    # The router is there, and the provider behind it is not: another one may be found next time.
    ErrorRow(_match_statuses(404), _retry_ending(TRIES), holds=_is_routed),
    ErrorRow(_match_statuses(404), _end_without_model),
    # Too long, or too much for a minute
    ErrorRow(_match_statuses(413), _too_long),
    ErrorRow(_match_statuses(429), _too_long, _OVER_A_MINUTE),
    ErrorRow(_match_statuses(400, 422, IN_ANSWER), _too_long, holds=_is_overflow),
    ErrorRow(
        _match_statuses(500), _too_long, r"exceed_context_size_error|input length exceeds"
    ),  # llama.cpp before 2025-09, Ollama
    # Wait
    ErrorRow(_match_statuses(429), _retry_ending(BUSY_TRIES)),
    ErrorRow(_match_statuses(408, 409, 425), _retry_ending(TRIES)),
    # Broken
    ErrorRow(lambda status: status >= 500, _retry_ending(TRIES)),
    ErrorRow(_match_statuses(IN_ANSWER), _retry_ending(TRIES, SERVER_ERROR)),
    ErrorRow(_match_any, _wrong_request),
)
"""The first row that covers an error says what it means."""

_PAIR = "list it with the variable that has the key (`servers add NAME URL --key-variable NAME`)"


def failure_of(server: ServerName, error: ServerError, message: str) -> RequestError:
    """Return the failure that an error means; `message` is its text, in one line without keys.
    Raises TandemError for an error that every request would meet.
    """
    shown = message[:DETAIL_LENGTH]
    detail = shown if error.status == IN_ANSWER else f"HTTP {error.status}: {shown}"
    row = next(row for row in ERROR_ROWS if row.is_about(error))
    return row.ending(server, error, detail)


def fewer_tokens(error: ServerError | None, asked: int) -> int | None:
    """Return the most tokens with which a request fits what its account has for a minute; None if
    that is too few for an answer.
    """
    match = error and re.search(_OVER_A_MINUTE, error.message, re.IGNORECASE)
    if not match:
        return None
    limit, requested = (int(number.replace(",", "")) for number in match.groups())
    fewer = asked - (requested - limit)
    return fewer if min(FEWEST_TOKENS, asked) <= fewer < asked else None


def refuse_redirect(server: ServerName, status: int, location: str) -> None:
    """Refuse an HTTP status that redirects to a different address. Raises TandemError."""
    if 300 <= status < 400:
        raise TandemError(
            f"the server at {server.address} redirects to {redirect_host(location)}: texts go to "
            f"no other address than {option_ref('base_url')} names"
        )
