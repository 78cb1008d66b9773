"""What people call things, once for every page and command."""

from __future__ import annotations

from core.records import Attribute


def wording(attribute: Attribute, candidate_noun: str = "text") -> str:
    """The question in words, the same for an annotator and an LLM.

    The attribute's own question; without one "Which summary is more coherent?" from its adjective;
    without that too "Which summary is better?".
    """
    return attribute.question or f"Which {candidate_noun} is {_better(attribute)}?"


def _better(attribute: Attribute) -> str:
    return f"more {attribute.adjective}" if attribute.adjective else "better"
