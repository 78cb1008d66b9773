"""Stored replies: what a judge wrote to a question, and which part of it was read, out of the raw
text that is kept with an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Span = tuple[int, int]


@dataclass(frozen=True)
class StoredReply:
    """One reply; `read` is the span of its verdict, None if none was read."""

    text: str
    read: Span | None = None

    @property
    def parts(self) -> tuple[str, str, str]:
        """The text before the part that was read, that part, and the text behind it."""
        start, end = self.read or (len(self.text), len(self.text))
        return self.text[:start], self.text[start:end], self.text[end:]


@dataclass(frozen=True)
class StoredReplies:
    """The replies to one question. `detail` says why one was not read, or what a server said;
    `kept_by` how the server kept the form ('' = it was not asked to).
    """

    replies: tuple[StoredReply, ...] = ()
    detail: str = ""
    kept_by: str = ""


def parse_replies(raw: str) -> StoredReplies:
    """Return the replies in a raw answer; none where it holds none, as that of a baseline.

    A raw text that is no JSON of Tandem's is itself the reply: imported answers hold what they
    like.
    """
    try:
        kept = json.loads(raw or "{}")
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict):
        return StoredReplies((StoredReply(raw),) if raw.strip() else ())
    texts = kept.get("texts")
    if not isinstance(texts, list):
        texts = [kept["text"]] if isinstance(kept.get("text"), str) else []
    spans = kept.get("read")
    spans = spans if isinstance(spans, list) and len(spans) == len(texts) else [None] * len(texts)
    replies = (
        StoredReply(text, _span(span, text))
        for text, span in zip(map(_replace_surrogates, texts), spans, strict=True)
        if text.strip()
    )
    return StoredReplies(tuple(replies), _words(kept, "detail"), _words(kept, "kept_by"))


def _span(span: Any, text: str) -> Span | None:
    if not isinstance(span, list) or len(span) != 2:
        return None
    start, end = span
    if not all(type(place) is int for place in span) or not 0 <= start < end <= len(text):
        return None
    return start, end


def _words(kept: Mapping[str, Any], name: str) -> str:
    return _replace_surrogates(kept.get(name) or "")


def _replace_surrogates(text: Any) -> str:
    return str(text).encode(errors="replace").decode()  # JSON may hold half a sign
