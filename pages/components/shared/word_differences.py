"""Words that differ between two texts, marked in their display."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape, unescape

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_FORMULA = r'<span class="tandem-formula[^<]*</span>'
_PIECES = re.compile(rf"({_FORMULA}|<[^<>]*>)")
MOST = 4_000_000
"""Pairs of equal words that are compared at most: some three seconds. Four times as many pairs of
any words, as each match is looked for among all that are left.
"""

Piece = tuple[str, str]
"""A word as HTML and as it is compared; of a tag, which is never compared, the second is ''."""


def mark_differences(html_a: str, html_b: str) -> tuple[str, str] | None:
    """Mark in two texts, as HTML, the words that the other does not have in that place.

    The rest is unchanged; a formula counts as one word. Returns None if the texts are too long.
    """
    pieces_a, pieces_b = list(_split(html_a)), list(_split(html_b))
    a, b = ([word for _, word in pieces if word] for pieces in (pieces_a, pieces_b))
    times_a, times_b = Counter(a), Counter(b)
    equal = sum(count * times_b[word] for word, count in times_a.items())
    if equal > MOST or len(a) * len(b) > 4 * MOST:
        return None
    alike = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return (
        _mark(pieces_a, {at for block in alike for at in range(block.a, block.a + block.size)}),
        _mark(pieces_b, {at for block in alike for at in range(block.b, block.b + block.size)}),
    )


def _split(html: str) -> Iterator[Piece]:
    for nth, part in enumerate(_PIECES.split(html)):
        if nth % 2 == 0:
            yield from ((escape(word), word) for word in WORDS.findall(unescape(part)))
        else:
            yield part, part if part.startswith('<span class="tandem-formula') else ""


def _mark(pieces: list[Piece], alike: set[int]) -> str:
    """Mark neighbouring words together, with the blanks between them; tags separate them."""
    parts, own, place = list[str](), list[str](), 0

    def end() -> None:
        text = "".join(own)
        parts.append(f"<mark>{text}</mark>" if unescape(text).strip() else text)
        own.clear()

    for html, word in pieces:
        is_own = bool(word) and place not in alike
        place += bool(word)
        if is_own:
            own.append(html)
        else:
            end()
            parts.append(html)
    end()
    return "".join(parts)
