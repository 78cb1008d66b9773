"""Label words as replies write them: whole, by the part that tells them apart, in full-width
letters, with markup around them, and in any case, unless only their case differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

MARKUP = r"[\s*_`#>~\"'“”„«»‘’‹›「」『』()\[\]{}$\\]"
"""What may stand around a label or a number and says nothing."""

GAP = MARKUP.replace(r"\s", r"\t ")
"""MARKUP within a line.

Models that go astray write line breaks by the thousand: a pattern that begins at each of them must
not look beyond it.
"""

_LONGEST = 200  # characters that a label may have, with markup

NOUNS = (
    "option", "choice", "candidate", "summary", "response", "text", "output", "answer", "reply",
    "assistant", "model", "version", "translation", "story", "zusammenfassung", "antwort",
)  # fmt: skip
"""What a reply may call a candidate before the letter that the prompt gave it."""

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without spaces

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDE |= {ord("【"): ord("["), ord("】"): ord("]"), ord("〔"): ord("["), ord("〕"): ord("]")}
_WIDE |= {ord("\u3000"): ord(" "), ord("："): ord(":")}


def narrow_characters(text: str) -> str:
    """Return the text with plain letters and signs for full-width ones, as long as before."""
    return text.translate(_WIDE)


@dataclass(frozen=True)
class Labels:
    """The words for text A, for text B and, where it is offered, for a tie."""

    words: tuple[str, ...]

    @property
    def tie(self) -> int | None:
        """The index of the label for a tie, None where none is offered."""
        return 2 if len(self.words) > 2 else None

    @cached_property
    def ignores_case(self) -> bool:
        """Return whether labels may be written in another case: not if "m" and "M" are two."""
        narrow = {narrow_characters(word) for word in self.words}
        return len({word.casefold() for word in narrow}) == len(narrow)

    @cached_property
    def are_distinct(self) -> bool:
        """Return whether no label, as a reply, is read as another one."""
        read = [self.match_exactly(narrow_characters(word)) for word in self.words]
        mistaken = any(match and self.index(match) != own for own, match in enumerate(read))
        return not mistaken and len(set(self.words)) == len(self.words)

    def fold_case(self, text: str) -> str:
        """Return a text for comparison with a label: in one case, unless the labels need theirs."""
        return text.casefold() if self.ignores_case else text

    @cached_property
    def cores(self) -> tuple[str, ...]:
        """The part of each label that tells it from the others: "A" of "Summary A"."""
        words = [narrow_characters(word) for word in self.words]
        pair = words[:2]
        folded = [self.fold_case(word) for word in pair]
        begin = count_shared(*folded)
        while begin and not all(_is_boundary(word, begin) for word in pair):
            begin -= 1
        cores = [word[begin:].strip() for word in pair]
        end = count_shared(*(self.fold_case(core[::-1]) for core in cores))
        while end and not all(_is_boundary(core, len(core) - end) for core in cores):
            end -= 1
        cores = [core[: len(core) - end].strip() if end else core for core in cores]
        return (*(cores if all(cores) else pair), *words[2:])

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """A regular expression for each label; its group `core0`, `core1`, ... is its core."""
        return tuple(self._pattern(index) for index in range(len(self.words)))

    def _pattern(self, index: int) -> str:
        whole, core = narrow_characters(self.words[index]), self.cores[index]
        before, _, after = whole.rpartition(core)
        spaced = _spaced_pattern(core)  # for a search that ignores case elsewhere
        own = rf"(?P<core{index}>{spaced if self.ignores_case else f'(?-i:{spaced})'})"
        called = [_spaced_pattern(before)] if before.strip() else []
        called += [rf"(?:{'|'.join(NOUNS)})\s"] if len(core) < 3 or before.strip() else []
        if called:
            own = rf"(?:(?:{'|'.join(called)})[\s*_\"'“”(\[]{{0,4}})?{own}"
        if after.strip():
            own += rf"(?:[\W_]{{0,3}}{_spaced_pattern(after)})?"
        begins = rf"(?<![^\W_{_IDEOGRAPHS}])" if whole[0].isascii() else ""
        ends = (
            r"(?![A-Za-z0-9])(?!_[A-Za-z0-9])"
            if re.search(r"[A-Za-z0-9]$", core + after)
            else r"(?!\w)"
        )
        return rf"{begins}(?:{own}){ends}"

    @cached_property
    def any_pattern(self) -> str:
        """A regular expression for any of the labels."""
        return rf"(?:{'|'.join(self.patterns)})"

    def pattern_of(self, index: int) -> str:
        """Return a regular expression for one label, without groups."""
        return rf"(?:{self.patterns[index].replace(f'?P<core{index}>', '?:')})"

    def pattern_except(self, index: int) -> str:
        """Return a regular expression for any label but one, without groups."""
        rest = [self.pattern_of(other) for other in range(len(self.words)) if other != index]
        return rf"(?:{'|'.join(rest)})"

    def index(self, match: re.Match[str]) -> int:
        """Return the index of the label that a match of `any` holds."""
        return next(i for i in range(len(self.words)) if match[f"core{i}"] is not None)

    def core_of(self, match: re.Match[str]) -> int:
        """Return the start of the part that tells the matched label from the others."""
        return match.start(f"core{self.index(match)}")

    def match_exactly(self, text: str) -> re.Match[str] | None:
        """Return the label that is all of a text but for markup and a full stop."""
        if len(text) > _LONGEST:
            return None
        return re.fullmatch(
            rf"{MARKUP}*+{self.any_pattern}{MARKUP}*[.!。]?{MARKUP}*", text, re.IGNORECASE
        )


def count_shared(one: str, other: str) -> int:
    """Count the characters with which both texts begin."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _spaced_pattern(words: str) -> str:
    """Return a pattern of words that may have other white space or markup between them."""
    return r"[\s*_\-\"'“”]{1,4}".join(re.escape(word) for word in words.split())


def _is_boundary(word: str, place: int) -> bool:
    """Return whether a word could begin or end at a place.

    It cannot within Latin letters or digits.
    """
    if place in (0, len(word)):
        return True
    before, after = word[place - 1], word[place]
    return not (_is_joining(before) and _is_joining(after))


def _is_joining(sign: str) -> bool:
    """Return whether a sign joins with the next to a word; ideographs and kana do not."""
    return sign.isalnum() and ord(sign) < 0x2E80
