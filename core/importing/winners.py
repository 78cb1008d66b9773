"""What a cell says of two systems: by the name of one, or by a word for its side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from core.importing.codes import UNCERTAIN, Codes, decimal, plain
from core.records import Outcome

NO_ANSWER = "no-answer"

_A, _B = (
    (
        side, f"[[{side}]]", *(f"{noun}{mark}" for noun in (
            "model", "system", "response", "output", "answer", "assistant", "text", "summary",
            "candidate", "option", "completion", "generation", "story", "translation"
        ) for mark in (side, number)),
    )
    for side, number in (("a", "1"), ("b", "2"))
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
            "nopreference",
            "a=b",
            "b=a",
            "1=2",
            "[[c]]",
            "tie(bothgood)",
        ),
        Outcome.TIE,
    ),
    **dict.fromkeys(("bothbad", "tie(bothbad)", "botharebad"), Outcome.BOTH_BAD),
    **dict.fromkeys(
        ("", "n/a", "na", "none", "null", "nan", "error", "invalid", "unknown"), NO_ANSWER
    ),
}
# Words for a place on the screen: with the two swapped, they may mean the place or the column.
PLACES = frozenset(("a", "b", "[[a]]", "[[b]]", "left", "right", "first", "second", "1", "2",
                    "a>b", "a>>b", "b>a", "b>>a", "a<b", "a<<b"))  # fmt: skip


SIDES = (Outcome.A, Outcome.B)


class UncertainValueError(Exception):
    """A value that says that one of the two won, but not which."""


def said(
    text: str,
    systems: tuple[str, str],
    codes: Codes,
    words: Mapping[str, Outcome | str] = WINNERS,
) -> Outcome | str | None:
    """What a cell says of two systems: an outcome, NO_ANSWER, or None where its word is not known.

    Raises UncertainValueError for what may mean either of two things in any file, ValueError where
    it does so in this row.
    """
    if codes and (outcome := codes.outcome(text)) is not None:
        return outcome
    meant, kind = _named(text, systems), _kind(text)
    other = words.get(plain(text) if kind == "number" else word(text))
    if not meant:
        if other is None and kind != "word":
            raise UncertainValueError(text)
        return other
    if len(meant | {other} - {None}) > 1 or (other is None and kind == "number"):
        raise ValueError(
            f"{text.strip()[:40]!r} may mean a system of this row or something else: name the "
            "systems otherwise, or the sides model_a and model_b"
        )
    return meant.pop()


def _named(text: str, systems: tuple[str, str]) -> set[Outcome | str]:
    """The sides whose system has this name: exactly, or else but for how it is written."""
    name = text.strip()
    if name not in systems:
        name, systems = word(text), (word(systems[0]), word(systems[1]))
    if name not in systems:
        return set()
    return {side for system, side in zip(systems, SIDES, strict=True) if system == name}


@lru_cache(maxsize=4096)
def word(text: str) -> str:
    """A winner without what people write differently: "Model-A", "A is better" and "a." are
    modela, a and a.
    """
    bare = re.sub(r"[\s_]+|(?<=\w)-+(?=\w)|\.(?!\d)", "", text.casefold())
    return re.sub(r"(?<=[ab12td])(wins|won|isbetter|better)$", "", bare)


@lru_cache(maxsize=4096)
def _kind(text: str) -> str:
    """Whether a cell is a number, a word that never says who, or another word."""
    if decimal(text) is not None:
        return "number"
    return "uncertain" if text.strip().casefold() in UNCERTAIN else "word"


def is_place(text: str, codes: Codes) -> bool:
    """Whether a winner's word is one for a place on the screen, of which nothing else was said."""
    return codes.outcome(text) is None and (word(text) in PLACES or _kind(text) == "number")
