"""Words of a text in any writing system."""

from __future__ import annotations

import unicodedata

_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),  # Thai and Lao, Burmese, Khmer
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),  # radicals, kana
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),  # Han
)  # fmt: skip


def is_other(text: str) -> bool:
    """Return whether most letters and digits of a text are outside a-z, A-Z, 0-9.

    Accents alone do not make it so.
    """
    own = [character for character in text if character.isalnum()]
    return 2 * sum(not character.isascii() for character in own) > len(own)


def is_unspaced(text: str) -> bool:
    """Return whether a text is mostly of writing that puts no spaces between words.

    Its letters and digits are counted.
    """
    own = [character for character in text if character.isalnum()]
    return 2 * sum(map(_is_unspaced_character, own)) > len(own)


def words(text: str) -> list[str]:
    """List runs of letters, digits and their marks, case and width folded; in writing without
    spaces each character.
    """
    found: list[str] = []
    inside = False  # a word that may go on
    for character in unicodedata.normalize("NFKC", text).casefold():
        mark = unicodedata.category(character).startswith("M")
        if mark and found and inside:
            found[-1] += character
        elif not character.isalnum():
            inside = False
        elif _is_unspaced_character(character):
            found.append(character)
            inside = False
        elif inside:
            found[-1] += character
        else:
            found.append(character)
            inside = True
    return found


def _is_unspaced_character(character: str) -> bool:
    code = ord(character)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)
