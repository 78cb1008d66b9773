"""What else is said to a server: a JSON object, in one way of writing it."""

from __future__ import annotations

import json

from core.records import TandemError, setting


def canonical_body(text: str) -> str:
    """A JSON object in one way of writing it, '' for none. Raises TandemError for what is none."""
    if not text.strip():
        return ""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TandemError(f"{setting('extra_body')} {text[:60]!r} is no JSON ({error})") from error
    if not isinstance(body, dict):
        raise TandemError(
            f"{setting('extra_body')} {text[:60]!r} is no JSON object: give one such as "
            '{"reasoning_effort": "low"}'
        )
    return json.dumps(body, sort_keys=True, ensure_ascii=False) if body else ""
