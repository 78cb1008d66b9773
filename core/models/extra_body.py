"""Extra request options for a server: a JSON object, in one way of writing it."""

from __future__ import annotations

import json
from typing import Any

from ..records import TandemError, option_ref

NOT_EXTRA = {
    "messages": "they hold the texts to be judged",
    "model": "the judge's name says it",
    "n": f"{option_ref('votes')} says it",
    "stream": f"{option_ref('stream')} says it",
}
"""What no extra body may replace, and why: the answers would be about something else."""


def canonical_body(text: str) -> str:
    """Return a JSON object in canonical form, '' for an empty one.

    Raises TandemError for other JSON, and for a name that may not be set.
    """
    if not text.strip():
        return ""
    try:
        body = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_named_once)
    except (ValueError, RecursionError) as error:
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} is no JSON ({error})"
        ) from error
    if not isinstance(body, dict):
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} is not a JSON object: give one such as "
            '{"reasoning_effort": "low"}'
        )
    for name in sorted(NOT_EXTRA.keys() & body.keys()):
        raise TandemError(
            f"{option_ref('extra_body')} may not set {name!r}: {NOT_EXTRA[name]}; leave it out"
        )
    written = json.dumps(body, sort_keys=True, ensure_ascii=False) if body else ""
    if any("\ud800" <= sign <= "\udfff" for sign in written):
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} has half a character, which is not text"
        )
    return written


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for name, value in pairs:
        if name in body:
            raise ValueError(f"it gives {name!r} twice")
        body[name] = value
    return body
