"""The sentences that a page says, each found by a word or two; tests read the figures in them."""

from __future__ import annotations

import re
from html import unescape

BLOCK = re.compile(r"</?(?:p|div|li|ul|br|h\d|t[dhr]|span|summary|details)\b[^>]*>")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
FIGURE = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?%?")


def find_sentence(html: str, *words: str) -> str:
    """The one sentence of a page that has all of these words."""
    plain = unescape(re.sub(r"<[^>]+>", "", BLOCK.sub("\n", html)))
    found = {one.strip() for one in SENTENCE_END.split(plain) if all(word in one for word in words)}
    assert len(found) == 1, (words, found or plain)
    return found.pop()


def read_figures(html: str, *words: str) -> list[str]:
    """The figures of the one sentence that has all of these words, in their order."""
    return FIGURE.findall(find_sentence(html, *words))
