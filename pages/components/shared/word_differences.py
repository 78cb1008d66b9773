"""Which words two texts do not share, marked in both."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from html import escape

WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def marked(text_a: str, text_b: str) -> tuple[str, str]:
    """Both texts as HTML, with every character as it is, and <mark> around the words that the other
    does not have in that place.
    """
    a, b = WORDS.findall(text_a), WORDS.findall(text_b)
    alike = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return (
        _html(a, [(block.a, block.size) for block in alike]),
        _html(b, [(block.b, block.size) for block in alike]),
    )


def _html(words: list[str], alike: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, size in alike:
        own = "".join(words[at:start])
        if own:
            parts.append(escape(own) if own.isspace() else f"<mark>{escape(own)}</mark>")
        parts.append(escape("".join(words[start : start + size])))
        at = start + size
    return "".join(parts)
