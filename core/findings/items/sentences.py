"""Sentences about a search for items and its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...labels import pluralize
from ..judgements import Finding


def describe_search(asked: Mapping[str, Any]) -> list[str]:
    """List the search terms that differ from the defaults, a phrase each."""
    judge = asked.get("judge", "")
    judged = judge and not (asked.get("contradicts") or asked.get("differs"))
    phrases = {
        "split": "people are split",
        "contradicts": f"{judge} contradicts itself",
        "differs": f"{judge} and most people differ",
        "unanswered": "no person has answered",
        "text": f"“{asked.get('text')}” is in them",
        "separability": describe_range(asked),
        "subset": f"subset {asked.get('subset')}",
        "attribute": f"attribute {asked.get('attribute')}",
        "systems": f"systems {', '.join(asked.get('systems', ()))}",
        "item_set": f"of the set {asked.get('item_set')}",
        "picked": "picked one by one",
    }
    found = [phrase for name, phrase in phrases.items() if asked.get(name)]
    return [f"{judge} has answered", *found] if judged else found


def describe_range(asked: Mapping[str, Any]) -> str:
    """The separability that was asked for: "separability by rouge from 0.2 to 1"."""
    low, high = asked.get("low", -1.0), asked.get("high", 1.0)
    return f"separability by {asked.get('separability')} from {low:g} to {high:g}"


def describe_found(result: Finding) -> str:
    """Describe how many items were found, of how many, and for which reasons."""
    facts = result.facts
    found, of = int(facts["found"]), int(facts["items_in_scope"])
    asked = "; ".join(facts["asked"])
    if not of:
        return "There are no items here: look at others, or import some."
    if not facts["asked"]:
        return f"All {pluralize(of, 'item')} are here: ask for some of them."
    if not found:
        return f"None of {pluralize(of, 'item')} has what you ask for: {asked}."
    pairs = int(facts["pairs"])
    texts = f", {pluralize(pairs, 'pair')} of texts" if pairs else ""
    return f"{found:,} of {pluralize(of, 'item')}{texts}: {asked}."
