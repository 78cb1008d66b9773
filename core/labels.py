"""What people call things, once for every page and command."""

from __future__ import annotations

import re

from core.records import Attribute

_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"  # Hebrew, Arabic and their neighbours
_OTHER_WAY = re.compile(rf"[^\s{_CONTROLS}]*[{_CONTROLS}{_LETTERS}]\S*")
_ISOLATES = re.compile("[\u2066-\u2069]")


def isolated(text: str) -> str:
    """A sentence or label in which words that run from right to left, or say that what follows
    does, keep that to themselves: each stands between FIRST STRONG ISOLATE and POP DIRECTIONAL
    ISOLATE (Unicode Annex 9), which ends what it has begun.
    """
    return _OTHER_WAY.sub(lambda word: f"\u2068{_ISOLATES.sub('', word[0])}\u2069", text)


def wording(attribute: Attribute, candidate_noun: str = "text") -> str:
    """The question in words, the same for an annotator and an LLM.

    The attribute's own question; without one "Which summary is more coherent?" from its adjective;
    without that too "Which summary is better?".
    """
    return attribute.question or f"Which {candidate_noun} is {_better(attribute)}?"


def _better(attribute: Attribute) -> str:
    return f"more {attribute.adjective}" if attribute.adjective else "better"
