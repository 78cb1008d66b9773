"""Texts as HTML: to the character, as Markdown or turns, with their differences marked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape, unescape

from core.importing import split_turns
from core.records import TextFormat
from core.rendering.markdown import TooHardError, render_markdown

Turns = list[tuple[str, str]]
BEGINNING = 90  # characters of a folded turn that its line shows
ROOM = 32_000
"""Characters of a text that are shown at first; browsers take many seconds for a million."""
TAG = 8  # characters that a tag counts as, at least
HEAP = 50  # signs without a width on one letter, at most: browsers take the square of their number
_PARTS = re.compile(r"<[^<>]*>|[^<]+")
_BROKEN_ENTITY = re.compile(r"&[^&;]{0,9}\Z")
_VOID = ("<br", "<hr")
_CUT = '<details class="tandem-all"><summary>'


@dataclass(frozen=True)
class Readable:
    """A context and texts as HTML, each in a box of its own; `note` if the format is another."""

    context: str
    texts: list[str]
    text_format: TextFormat
    note: str = ""

    @property
    def is_cut(self) -> bool:
        """Check whether only the beginning of a text is shown at first."""
        return any(_CUT in text for text in self.texts)


def make_readable(
    context: str, texts: Sequence[str], text_format: TextFormat, context_label: str
) -> Readable:
    """Render a context and texts, all in the same format.

    Nobody could compare rendered Markdown with its source. So if one text is too hard for the
    format, all are shown as written.
    """
    note, every = "", [context, *texts]
    if text_format is not TextFormat.PLAIN:
        try:
            html = _render(every, text_format)
        except TooHardError as why:
            note = f"Shown as written, as one of the texts is not fit for Markdown: {why}."
            text_format = TextFormat.PLAIN
    if text_format is TextFormat.PLAIN:
        html = [escape(text) for text in every]
    is_rich = text_format is not TextFormat.PLAIN
    labels = [context_label, *("" for _ in texts)]
    above, *shown = map(_box, html, every, labels, [is_rich] * len(every))
    return Readable(above, shown, text_format, note)


def _render(every: Sequence[str], text_format: TextFormat) -> list[str]:
    if text_format is TextFormat.MARKDOWN:
        return [render_markdown(text) for text in every]
    spoken = [split_turns(text) for text in every]
    alike = [0, *[_count_alike(spoken[1:])] * len(spoken[1:])]
    return [
        _say_turns(turns, folded) or render_markdown(text)
        for turns, folded, text in zip(spoken, alike, every, strict=True)
    ]


def _count_alike(spoken: Sequence[Turns]) -> int:
    """Count turns that all conversations begin with; 0 if they are alike throughout."""
    if len(spoken) < 2 or not all(spoken):
        return 0
    alike = 0
    for turns in zip(*spoken, strict=False):
        if len(set(turns)) > 1:
            break
        alike += 1
    return 0 if alike == max(map(len, spoken)) else alike


def _say_turns(turns: Turns, folded: int) -> str:
    """Return the turns and their roles as HTML, the first `folded` of them folded."""
    parts = []
    for nth, (role, said) in enumerate(turns):
        is_folded = nth < folded
        whole = " ".join(said.split())
        beginning = whole if len(whole) <= BEGINNING else f"{whole[:BEGINNING]} …"
        first = f"<span> {escape(beginning)}</span>" if is_folded else ""
        parts.append(
            f'<details class="tandem-turn"{"" if is_folded else " open"}><summary dir="auto">'
            f"{escape(role)}{first}</summary>{render_markdown(said)}</details>"
        )
    return "".join(parts)


def marked_html(before: str, marked: str, after: str) -> str:
    """Return a text as HTML, exactly as written, with its middle part marked."""
    middle = f"<mark>{escape(marked)}</mark>" if marked else ""
    return _box(f"{escape(before)}{middle}{escape(after)}", before + marked + after)


def _box(html: str, text: str, label: str = "", is_rich: bool = False) -> str:
    """Return a box with a text, whose direction the browser finds and keeps inside the box.

    A `label` makes the box a region that keyboards can reach, for one that scrolls by itself.
    """
    region = f' tabindex="0" role="region" aria-label="{escape(label)}"' if label else ""
    rich = " tandem-rich" if is_rich else ""
    # st.html empties lines of mere blanks
    shown = _fold(html, len(text)).replace("\r", "&#13;").replace("\n", "&#10;") + _say_blank(text)
    return f'<div class="tandem-text{rich}" dir="auto"{region}>{shown}</div>'


def _fold(html: str, length: int) -> str:
    """Return HTML, behind a press if a browser would take long for it, with its beginning below."""
    beginning = _cut(html)
    if beginning is None:
        return html
    return (
        f"{_CUT}This text is cut. Show all {length:,} characters</summary>{html}</details>"
        f'<div class="tandem-beginning">{beginning} <i class="tandem-void">(cut here: “Show all” '
        "is above)</i></div>"
    )


def _cut(html: str) -> str | None:
    """Return the beginning of HTML, its tags closed; None if all of it has room."""
    room, parts, opened = ROOM, list[str](), list[str]()
    for part in (match[0] for match in _PARTS.finditer(html)):
        if room <= 0:
            break
        if part[0] != "<":
            end = _find_heap(part[:room])
            room -= len(part)
            if end < len(part):
                parts.append(_BROKEN_ENTITY.sub("", part[:end]))
                break
        elif part[1] == "/":
            opened.pop()
        else:
            room -= max(TAG, len(part) // 4)  # a formula holds its elements in its tag
            if not part.startswith(_VOID):
                opened.append(part[1:].partition(" ")[0].rstrip(">"))
        parts.append(part)
    else:
        return None
    return "".join(parts) + "".join(f"</{tag}>" for tag in reversed(opened))


def _find_heap(text: str) -> int:
    """Find where more than HEAP signs without a width follow one another; its length if nowhere."""
    run = 0
    for place, sign in enumerate("" if text.isascii() else text):
        run = run + 1 if unicodedata.category(sign) in ("Mn", "Me", "Mc", "Cf") else 0
        if run > HEAP:
            return place
    return len(text)


def _say_blank(text: str) -> str:
    """Describe a text of blank characters only; '' for an empty one, which the style marks."""
    if not text or text.strip():
        return ""
    count = f"{len(text):,} blank characters" if len(text) > 1 else "1 blank character"
    return f'<i class="tandem-void">({count})</i>'


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
