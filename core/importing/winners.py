"""Meaning of a cell about two systems: by the name of one, or by a word for its side."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from ..records import Outcome
from .codes import NO_ANSWER as NO_ANSWER  # it is among WINNERS
from .codes import UNCERTAIN, decimal, normalise_value

LONG = 100  # characters of a text that is no word for a side
SIDES = (Outcome.A, Outcome.B)
SMALL = frozenset(("-1", "0", "1", "2"))  # numbers that people write for sides and ties

NOUNS = (
    "model", "system", "response", "output", "answer", "assistant", "text", "summary", "candidate",
    "option", "completion", "generation", "story", "translation",
)  # fmt: skip


def _places_of(side: str, other: str, *names: str) -> list[str]:
    signs = [f"{side}>{other}", f"{side}>>{other}", f"{other}<{side}", f"{other}<<{side}"]
    return [side, *names, *signs, *(f"[[{word}]]" for word in (side, *signs))]


_PLACES_A = _places_of("a", "b", "left", "first")
_PLACES_B = _places_of("b", "a", "right", "second")
_A = [*_PLACES_A, *(f"{noun}{mark}" for noun in NOUNS for mark in "a1"), "1>2"]
_B = [*_PLACES_B, *(f"{noun}{mark}" for noun in NOUNS for mark in "b2"), "2>1"]
_TIES = (
    "tie", "tied", "ties", "draw", "same", "thesame", "equal", "equally", "equallygood", "both",
    "bothgood", "botharegood", "bothequal", "bothareequal", "bothequallygood", "aboutequal",
    "aboutthesame", "aboutequallygood", "roughlyequal", "roughlythesame", "nearlyequal", "similar",
    "equivalent", "nodifference", "nopreference", "neitherisbetter", "neitherbetter", "a=b", "b=a",
    "1=2", "2=1", "[[c]]", "[[a=b]]", "[[b=a]]", "tie(bothgood)",
)  # fmt: skip
_BAD = (
    "bothbad", "botharebad", "bothpoor", "equallybad", "bothareequallybad", "neither",
    "neithergood", "neitherisgood", "tiebothbad", "tie(bothbad)",
)  # fmt: skip
_SILENT = (
    "", "n/a", "na", "none", "null", "nan", "error", "invalid", "unknown", "skip", "skipped",
    "unsure", "notsure", "dontknow", "don'tknow", "canttell", "can'ttell", "cannottell",
    "cannotdetermine", "can'tdetermine", "unabletodetermine", "cannotdecide", "can'tdecide",
    "undecided",
)  # fmt: skip
# What a winner may be called, as `side_key` reads it: case, spaces, underscores, dots and dashes
# make no difference, nor does how much better it is.
WINNERS: dict[str, Outcome | str] = {
    **dict.fromkeys(_A, Outcome.A),
    **dict.fromkeys(_B, Outcome.B),
    **dict.fromkeys(_TIES, Outcome.TIE),
    **dict.fromkeys(_BAD, Outcome.BOTH_BAD),
    **dict.fromkeys(_SILENT, NO_ANSWER),
}
# Words for a place on the screen: with the two swapped, they may mean the place or the column.
PLACES = frozenset((*_PLACES_A, *_PLACES_B, "1", "2"))
# What a word for a side becomes when the two sides are swapped.
MIRRORED = dict(zip((*_A, *_B), (*_B, *_A), strict=True))

STRENGTHS: dict[str, float] = {
    **dict.fromkeys(
        ("much", "far", "way", "alot", "clearly", "significantly", "strongly", "definitely",
         "considerably", "substantially"), 1.0
    ),
    **dict.fromkeys(("moderately", "somewhat", "noticeably"), 0.75),
    **dict.fromkeys(
        ("slightly", "marginally", "abit", "alittle", "alittlebit", "weakly", "barely", "probably"),
        0.5,
    ),
}  # fmt: skip
"""How much better the better one is, 0 to 1, by the word for it: as the screen here has it."""
_HOW = "|".join(sorted(STRENGTHS, key=len, reverse=True))
_STEP = re.compile(r"\s*\(?[-+]?\d+\)?\s*[-\u2013\u2014:.)=]\s*(?=[^\W\d])|\s*\([-+]?\d+\)\s*$")
"""The number of a step beside its words: "1 - A much better"."""
_BEFORE = re.compile(rf"(?:i)?(?P<how>{_HOW})?(?:prefer|favou?r|choose)?:?(?=.)")
_AFTER = re.compile(
    rf"\(?(?:is|was|:|,|-)?(?P<how>{_HOW})?\(?"
    r"(?:better|superior|stronger|preferred|wins|won|(?P<worse>worse|weaker|inferior))?\)?"
    r"(?:(?:than|over).+)?$"
)


_FILL = re.compile(
    r"[\s_]+|(?<=\w)-+(?=\w)|\.(?!\d)|[\u2190-\u21ff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+"
)
"""What tells no words apart: spaces, dashes, dots, and the pictures of the Arena's buttons."""


class WordMeaning(NamedTuple):
    """Meaning of a word: an outcome or NO_ANSWER and, if the word says it, how much better."""

    outcome: Outcome | str
    strength: float | None = None


def meaning_of(text: str) -> WordMeaning | None:
    """Return the meaning of a word in any file; None for a number, a name or an unknown word."""
    if is_uncertain(text) or (outcome := WINNERS.get(side_key(text))) is None:
        return None
    return WordMeaning(outcome, strength_of(text) if outcome in SIDES else None)


@lru_cache(maxsize=4096)
def side_key(text: str) -> str:
    """Return the key of a cell among the words for winners: numbers are compared by value."""
    return _split_grade(text)[0] if decimal(text) is None else normalise_value(text)


def strength_of(text: str) -> float | None:
    """Return how much better the better one is by a word, 0 to 1; None if it does not say it."""
    return _split_grade(text)[1]


@lru_cache(maxsize=4096)
def word(text: str) -> str:
    """Return a winner without what people write differently: "Model-A", "A is better" and "a." are
    modela, a and a. Letters with accents are composed, as no reader sees a difference.
    """
    return re.sub(rf"(?<=[ab12td])(wins|won|(is)?({_HOW})?better)$", "", _bare(text))


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFC", text.casefold())
    folded = folded.replace("≫", ">>").replace("≪", "<<").replace("\u2019", "'")
    return _FILL.sub("", folded) or folded.strip()


@lru_cache(maxsize=4096)
def _split_grade(text: str) -> tuple[str, float | None]:
    """Return the word for a side, and the strength that goes with it.

    A word outside WINNERS is returned as it is. The strength is None where none was given.
    """
    if len(text) > LONG:
        return word(text), None
    bare = _bare(_STEP.sub("", text))
    strength = 1.0 if ">>" in bare or "<<" in bare else None
    if bare in WINNERS:
        return bare, strength
    before = _BEFORE.match(bare)
    end = before.end() if before else 0
    for start in dict.fromkeys((0, end, end + bare.startswith("s", end) * bool(end))):
        for match in _AFTER.finditer(bare, start):
            key = bare[start : match.start()]
            if key in WINNERS and key:
                key = MIRRORED.get(key, key) if match["worse"] else key
                how = match["how"] or (before["how"] if before and start else None)
                return key, STRENGTHS.get(how or "", strength)
    return word(text), strength


@lru_cache(maxsize=4096)
def is_uncertain(text: str) -> bool:
    """Return whether a cell is a number, or a word that never says who won."""
    return decimal(text) is not None or text.strip().casefold() in UNCERTAIN
