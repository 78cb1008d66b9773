"""What a cell says of two systems: by the name of one, or by a word for its side."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from core.importing.codes import NO_ANSWER as NO_ANSWER  # it is among WINNERS
from core.importing.codes import UNCERTAIN, Codes, decimal, plain
from core.records import Outcome

_A, _B = (
    (
        side, f"[[{side}]]", f"[[{side}>{other}]]", f"[[{side}>>{other}]]",
        *(f"{noun}{mark}" for noun in (
            "model", "system", "response", "output", "answer", "assistant", "text", "summary",
            "candidate", "option", "completion", "generation", "story", "translation"
        ) for mark in (side, number)),
    )
    for side, other, number in (("a", "b", "1"), ("b", "a", "2"))
)  # fmt: skip

# What a winner may be called, as `word` reads it: case, spaces, underscores, dots and dashes make
# no difference.
WINNERS: dict[str, Outcome | str] = {
    **dict.fromkeys((*_A, "left", "first", "a>b", "a>>b", "1>2"), Outcome.A),
    **dict.fromkeys((*_B, "right", "second", "b>a", "b>>a", "2>1", "a<b", "a<<b"), Outcome.B),
    **dict.fromkeys(
        (
            "tie",
            "tied",
            "ties",
            "draw",
            "same",
            "equal",
            "equallygood",
            "bothgood",
            "botharegood",
            "aboutthesame",
            "nopreference",
            "a=b",
            "b=a",
            "1=2",
            "[[c]]",
            "[[a=b]]",
            "tie(bothgood)",
        ),
        Outcome.TIE,
    ),
    **dict.fromkeys(("bothbad", "tie(bothbad)", "tiebothbad", "botharebad"), Outcome.BOTH_BAD),
    **dict.fromkeys(
        (
            *("", "n/a", "na", "none", "null", "nan", "error", "invalid", "unknown"),
            *("skip", "skipped"),
        ),
        NO_ANSWER,
    ),
}
# Words for a place on the screen: with the two swapped, they may mean the place or the column.
PLACES = frozenset(("a", "b", "[[a]]", "[[b]]", "left", "right", "first", "second", "1", "2",
                    "a>b", "a>>b", "b>a", "b>>a", "a<b", "a<<b", "[[a>b]]", "[[a>>b]]", "[[b>a]]",
                    "[[b>>a]]"))  # fmt: skip


# What a word for a side becomes when the two sides are swapped.
MIRRORED = dict(
    pair
    for one, other in (
        *zip(
            (*_A, "left", "first", "a>b", "a>>b", "1>2"),
            (*_B, "right", "second", "b>a", "b>>a", "2>1"),
            strict=True,
        ),
        ("a>b", "a<b"),
        ("a>>b", "a<<b"),
    )
    for pair in ((other, one), (one, other))
)

HOW_FAR = "much|far|clearly|significantly|slightly|marginally|abit|alittle"


SIDES = (Outcome.A, Outcome.B)


class UncertainValueError(Exception):
    """A value that says that one of the two won, but not which."""


@lru_cache(maxsize=4096)
def word(text: str) -> str:
    """A winner without what people write differently: "Model-A", "A is better" and "a." are
    modela, a and a. Letters with accents are composed, as no reader sees a difference.
    """
    folded = unicodedata.normalize("NFC", text.casefold())
    bare = re.sub(r"[\s_]+|(?<=\w)-+(?=\w)|\.(?!\d)", "", folded)
    return re.sub(rf"(?<=[ab12td])(wins|won|(is)?({HOW_FAR})?better)$", "", bare)


@lru_cache(maxsize=4096)
def _kind(text: str) -> str:
    """Whether a cell is a number, a word that never says who, or another word."""
    if decimal(text) is not None:
        return "number"
    return "uncertain" if text.strip().casefold() in UNCERTAIN else "word"


def side_key(text: str) -> str:
    """The key of a cell among the words for winners: numbers are compared by value."""
    return plain(text) if _kind(text) == "number" else word(text)


def is_uncertain(text: str) -> bool:
    """Whether a cell is no word, or one that never says who."""
    return _kind(text) != "word"


def is_place(text: str, codes: Codes) -> bool:
    """Whether a winner's word is one for a place on the screen, of which nothing else was said."""
    return codes.outcome(text) is None and (word(text) in PLACES or _kind(text) == "number")


def strength_of(text: str) -> float | None:
    """How much better, 0 to 1, a word says that the better one is; None where it does not."""
    return None
