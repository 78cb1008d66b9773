"""Formats in which texts are meant to be read: found in the texts themselves, when they are
imported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..labels import TEXT_FORMATS
from ..records import TextFormat, option_ref
from .conversations import split_turns
from .stage import LONG_TEXTS, Stage
from .staged_checks import USED

LOOKED_AT = 400  # texts, and as many contexts
SHOWN = 4000  # characters of a text that are looked at
LEAST = 0.1
"""Share of texts with signs of Markdown from which they are shown so.

No news and no summaries have such signs; half of the answers of chat models do.
"""
_MARKS = (
    r"^(```|~~~)",  # code
    r"^\|?[ :]*-{2,}[ :]*\|[-| :]*$",  # the line below a table's head
    r"^#{1,6} \S",
    r"\*\*\S[^*\n]*\S\*\*",
    r"^ {0,3}([-*+]|\d{1,3}[.)]) +\S.*\n+ {0,3}([-*+]|\d{1,3}[.)]) +\S",  # points of a list
    r"\\\(.{1,200}?\\\)|\\\[|\$\$",  # formulas
    r"\[[^\[\]\n]+\]\(https?://",
)
MARKDOWN = re.compile("|".join(f"({mark})" for mark in _MARKS), re.MULTILINE)


@dataclass(frozen=True)
class FoundFormat:
    """Format of `count` of the texts `looked_at`, with a context and a text of that kind."""

    text_format: TextFormat
    count: int = 0
    looked_at: int = 0
    context: str = ""
    text: str = ""

    def describe(self) -> str:
        """Return a sentence for the person who imports; '' where there is nothing to choose."""
        if self.text_format is TextFormat.PLAIN:
            return ""
        return (
            f"{self.count:,} of {self.looked_at:,} texts look like "
            f"{TEXT_FORMATS[self.text_format]}, and people see them so; "
            f"{option_ref('text_format')} plain shows them to the character"
        )


def find_format(contexts: Sequence[str], texts: Sequence[str]) -> FoundFormat:
    """Find the format in which these contexts and texts are meant to be read. It is
    conversations if half of either are some, else Markdown if a tenth of the texts have signs of
    it.
    """
    for given in (contexts, texts):
        spoken = [text for text in given if split_turns(text)]
        if spoken and 2 * len(spoken) >= len(given):
            shown = (spoken[0], texts[0]) if given is contexts and texts else ("", spoken[0])
            return FoundFormat(TextFormat.CONVERSATION, len(spoken), len(given), *shown)
    marked = [text for text in texts if MARKDOWN.search(text[:SHOWN])]
    if marked and len(marked) >= LEAST * len(texts):
        most = max(marked, key=lambda text: len(MARKDOWN.findall(text[:SHOWN])))
        return FoundFormat(TextFormat.MARKDOWN, len(marked), len(texts), text=most)
    return FoundFormat(TextFormat.PLAIN, text=texts[0] if texts else "")


def find_staged_format(stage: Stage) -> FoundFormat:
    """Find the format of the texts of files, by a look at the first."""
    contexts, texts, others = (
        [text for (text,) in stage.database.rows(
            f"SELECT {column} FROM entries e WHERE trim({column}) <> '' AND {USED} "
            f"LIMIT {LOOKED_AT}"
        )] if column in stage.filled else []
        for column in LONG_TEXTS
    )  # fmt: skip
    return find_format(list(dict.fromkeys(contexts)), list(dict.fromkeys([*texts, *others])))
