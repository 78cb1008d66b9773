"""Names of people as they are kept: two spellings that nobody can tell apart are one name."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Letters and marks that show nothing, though they are no format characters."""
_JOINING = "\u200c\u200d"
_VIRAMA = 9  # the class of marks after which joiners change what is seen (UAX 31, 2.3)


def clean_name(name: str) -> str:
    """A name composed (NFC), without letters that nobody sees, and with single spaces; '' where
    nothing can be seen.
    """
    kept = [
        letter
        for before, letter in zip(f" {name}", name, strict=False)
        if not _is_unseen(letter, before)
    ]
    return " ".join(unicodedata.normalize("NFC", "".join(kept)).split())


def _is_unseen(letter: str, before: str) -> bool:
    if letter in _JOINING and (
        unicodedata.bidirectional(before) == "AL" or unicodedata.combining(before) == _VIRAMA
    ):
        return False
    return unicodedata.category(letter) == "Cf" or _UNSEEN.match(letter) is not None
